"""What would answer, who would judge, what leaves this machine, and who holds the home: the data behind `rqa check`.

Invariant: nothing here holds a secret, only whether one is set and where; nothing is written, opened or locked.
`report` is pure; `examine` looks at the model servers and the home first.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from langsmith.utils import tracing_is_enabled

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.home import Holder, Home
from rqa_checkpoints.provenance import Adopted
from rqa_graph.evaluator import Judge, adopted_in, judge
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import GROQ_KEY, Origin, Settings
from rqa_graph.tool_settings import ToolSettings
from rqa_nodes.addresses import is_loopback, shown_url
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.models import ResolvedModel, resolve_chat

__all__ = [
    "CheckReport",
    "EngineState",
    "EvaluatorState",
    "HomeState",
    "KeyState",
    "Leaving",
    "ToolState",
    "examine",
    "report",
]

_TRACES_TO = "LangSmith"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineState:
    """Which model would answer the next turn, and why."""

    asked: str
    """What the settings or --model say."""
    engine: str
    """Empty if the model asked for is not available."""
    is_local: bool
    notice: str
    error: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorState:
    """Who would score the questions, or why nobody would."""

    model: str
    endpoint: str
    is_local: bool
    fingerprint: str
    """What an approval has to name; empty for a binding that cannot be read."""
    problem: Literal["", "binding_refused", "no_key"]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """Whether a key is set and where; never its value."""

    name: str
    source: str
    """Empty if it is not set."""

    @property
    def is_set(self) -> bool:
        """True if some source has it."""
        return bool(self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """One kind of text that goes to another machine, and to which."""

    what: Literal["prompts", "evaluations", "memory", "log", "checkpoints", "traces", "searches", "addresses"]
    """prompts: messages, documents and recalled memory; evaluations: the input and the questions, without memory;
    memory, log, checkpoints: everything that is stored there; traces: the runs, with verified text; searches: a few
    words that a model wrote, none of memory; addresses: web addresses that a person or a search named."""
    to: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolState:
    """One tool, whether it may be used, and how often in a turn."""

    name: str
    enabled: bool
    calls: int
    seconds: float
    detail: str
    """What it may reach: the folders, the search tool; "" for nothing in particular."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeState:
    """The home directory, and who has it."""

    path: str
    exists: bool
    writable: bool
    """For a home that does not exist yet: whether it can be made."""
    holder: Holder | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """Everything that `rqa check` shows."""

    settings: tuple[Origin, ...]
    ignored: tuple[str, ...]
    engine: EngineState
    evaluator: EvaluatorState
    keys: tuple[KeyState, ...]
    tools: tuple[ToolState, ...]
    leaving: tuple[Leaving, ...]
    embedder: str
    index: str
    log: str
    checkpointer: str
    home: HomeState

    @property
    def ok(self) -> bool:
        """True if a turn could run now: a model answers, and the home can be written."""
        return not self.engine.error and self.home.writable

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {**asdict(self), "ok": self.ok}


def examine(settings: Settings, *, model: str = "", lang: str = "en") -> CheckReport:
    """Look at the model servers and the home, and report. `model` as given to --model."""
    choice = settings.model_choice(model)
    try:
        found: ResolvedModel | ModelUnavailableError = resolve_chat(choice, lang=lang)
    except ModelUnavailableError as error:
        found = error
    return report(
        settings,
        asked=choice.name,
        found=found,
        home=_home_state(settings.home),
        tracing=bool(tracing_is_enabled()),
        adopted=_adopted(settings),
    )


def report(
    settings: Settings,
    *,
    asked: str,
    found: ResolvedModel | ModelUnavailableError,
    home: HomeState,
    tracing: bool,
    adopted: Adopted | None = None,
) -> CheckReport:
    """Put together what is known; pure.

    Args:
        settings: All settings.
        asked: The model asked for.
        found: The model that would answer, or why there is none.
        home: The state of the home.
        tracing: Whether LangChain would send traces of runs.
        adopted: The evaluator that a person approved last, by the log of the home.
    """
    judging = judge(settings, adopted)
    evaluator = _evaluator_state(judging)
    return CheckReport(
        settings=settings.provenance(),
        ignored=settings.ignored(),
        engine=_engine_state(asked, found),
        evaluator=evaluator,
        keys=_key_states(settings, judging),
        tools=_tool_states(settings.tools),
        leaving=_leaving(settings, found, evaluator, tracing=tracing),
        embedder=settings.memory.embedder,
        index=_place(settings.memory.index),
        log=_place(settings.memory.log),
        checkpointer=_place(settings.memory.checkpointer),
        home=home,
    )


def _place(location: str) -> str:
    """A place without the password that its address may hold."""
    return shown_url(location) if "://" in location else location


def _engine_state(asked: str, found: ResolvedModel | ModelUnavailableError) -> EngineState:
    if isinstance(found, ModelUnavailableError):
        return EngineState(asked=asked, engine="", is_local=True, notice="", error=found.message, hint=found.hint)
    return EngineState(
        asked=asked, engine=found.engine, is_local=found.is_local, notice=found.notice, error="", hint=""
    )


def _adopted(settings: Settings) -> Adopted | None:
    """The evaluator that a person approved last; a home without a readable log has none."""
    if settings.memory.log == "sqlite" and not Home(settings.home).log.exists():
        return None
    try:
        with open_memory_of(settings, read_only=True) as memory:
            return adopted_in(memory)
    except CheckpointError:
        return None


def _evaluator_state(found: Judge) -> EvaluatorState:
    if found.binding is None:
        return EvaluatorState(
            model="", endpoint="", is_local=True, fingerprint="", problem=found.problem, detail=found.detail
        )
    return EvaluatorState(
        model=found.binding.model,
        endpoint=shown_url(found.binding.endpoint),
        is_local=is_loopback(found.binding.endpoint),
        fingerprint=found.binding.fingerprint,
        problem=found.problem,
        detail=found.detail,
    )


def _key_states(settings: Settings, found: Judge) -> tuple[KeyState, ...]:
    sources = {origin.name: origin.source for origin in settings.provenance() if origin.is_secret}
    variable = found.binding.key_variable if found.binding else ""
    names = {GROQ_KEY, "models.api_key", variable or GROQ_KEY}
    return tuple(KeyState(name=name, source=sources.get(name) or settings.key_source(name)) for name in sorted(names))


def _tool_states(tools: ToolSettings) -> tuple[ToolState, ...]:
    fetch = tools.document_fetch
    reach = {
        "local_rag": "",
        "document_fetch": ", ".join([*map(str, fetch.roots), *(["http(s)"] if fetch.web else [])]),
        "web_search": tools.web_search.tool,
    }
    return tuple(
        ToolState(name=name, enabled=tool.enabled, calls=tool.calls, seconds=tool.seconds, detail=reach[name])
        for name, tool in (("local_rag", tools.local_rag), ("document_fetch", fetch), ("web_search", tools.web_search))
    )


def _leaving(
    settings: Settings, found: ResolvedModel | ModelUnavailableError, evaluator: EvaluatorState, *, tracing: bool
) -> tuple[Leaving, ...]:
    rows = []
    if isinstance(found, ResolvedModel) and not found.is_local:
        where = shown_url(found.endpoint.url) if found.endpoint else found.engine
        rows.append(Leaving(what="prompts", to=f"{found.engine} ({where})"))
    if not evaluator.is_local and not evaluator.problem:
        rows.append(Leaving(what="evaluations", to=evaluator.endpoint))
    places: tuple[tuple[Literal["memory", "log", "checkpoints"], str], ...] = (
        ("memory", settings.memory.index),
        ("log", settings.memory.log),
        ("checkpoints", settings.memory.checkpointer),
    )
    rows += [
        Leaving(what=what, to=shown_url(place)) for what, place in places if "://" in place and not is_loopback(place)
    ]
    tools = settings.tools
    if tools.web_search.enabled:
        rows.append(Leaving(what="searches", to=tools.web_search.tool))
    if tools.document_fetch.enabled and tools.document_fetch.web:
        rows.append(Leaving(what="addresses", to="http(s)"))
    if tracing:
        rows.append(Leaving(what="traces", to=_TRACES_TO))
    return tuple(rows)


def _home_state(path: Path) -> HomeState:
    nearest = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    return HomeState(
        path=str(path),
        exists=path.is_dir(),
        writable=nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK),
        holder=Home(path).holder(),
    )
