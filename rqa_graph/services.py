"""What do the nodes of a turn work with, and who opens it?

One set of services a process and home: the memory is opened at the first use, because only one process may hold it and
a fixed reply needs none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import MemoryNode, Scope
from rqa_graph.answer_library import IntegrityLibrary
from rqa_graph.bound_model import BoundChatModel
from rqa_graph.clock import new_id, utc_now
from rqa_graph.deliberating import Deliberating, open_deliberating
from rqa_graph.errors import ConfigError
from rqa_graph.evaluator import BoundEvaluator, adopted_in
from rqa_graph.flagging import flag
from rqa_graph.flights import SingleFlight
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.resources import load_config
from rqa_graph.settings import Settings
from rqa_graph.shelf import LibraryShelf
from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile
from rqa_graph.tools.opening import open_toolbox
from rqa_graph.turn_deliberation import adeliberate_turn, deliberate_turn, items_now
from rqa_nodes import models
from rqa_nodes.deliberate.ports import Inquiry
from rqa_nodes.models import ModelChoice
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.removals import RemovalStash
from rqa_nodes.route import Router
from rqa_nodes.telemetry import NoTelemetry, Telemetry
from rqa_nodes.tools.toolbox import Toolbox
from rqa_nodes.turn import ChatModel, Evaluator

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from rqa_graph.deliberation import DeliberationGraph
    from rqa_nodes.contradiction import Entailment

__all__ = [
    "AppServices",
    "default_services",
    "open_services",
]

_RESOLVED_SECONDS = 60.0
"""How long the choice of a model stands: a turn does not look for servers again and again."""


class AppServices:
    """The services of one home."""

    def __init__(
        self,
        *,
        router: Router,
        budgets: Budgets,
        evaluator: Evaluator,
        open_memory: Callable[[], ProvenanceMemory],
        resolve: Callable[[str], ChatModel],
        scope: Scope,
        telemetry: Telemetry | None = None,
        tools: Toolbox | None = None,
        deliberating: Deliberating | None = None,
        nli: str = "",
        clock: Callable[[], datetime] = utc_now,
        ids: Callable[[], str] = new_id,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`resolve` finds a chat model by name, "" for the configured one; `scope` is whose memory by default.

        Without `telemetry`, no figures are kept; without `tools`, nothing can be looked up; without `deliberating`,
        nothing can be deliberated on; without `nli`, contradictions are found by rules alone.
        """
        self.router = router
        self.budgets = budgets
        self.evaluator = evaluator
        self.removals = RemovalStash()
        self.telemetry: Telemetry = telemetry or NoTelemetry()
        self.tools = tools or Toolbox()
        self._deliberating = deliberating
        self._nli = nli
        self._library: IntegrityLibrary | None = None
        self.flights = SingleFlight()
        self.clock = clock
        self.ids = ids
        self._open_memory = open_memory
        self._memory: ProvenanceMemory | None = None
        self._resolve = resolve
        self._resolved: dict[str, tuple[float, ChatModel]] = {}
        self._monotonic = monotonic
        self._scope = scope
        self._lock = Lock()

    @property
    def memory(self) -> ProvenanceMemory:
        """The memory, opened at the first use. Raises HomeLockedError while another process holds it."""
        with self._lock:
            if self._memory is None:
                self._memory = self._open_memory()
            return self._memory

    @property
    def answer_library(self) -> IntegrityLibrary:
        """The library of verified answers, opened at the first use. Raises LedgerKeyError, CachePolicyError."""
        memory = self.memory
        with self._lock:
            if self._library is None:
                self._library = self.deliberating.open_library(memory)
            return self._library

    @property
    def cache(self) -> IntegrityCache | None:
        """The cache in that library; None for services that were made without one."""
        return self.answer_library.cache if self._deliberating is not None else None

    @cached_property
    def entailment(self) -> Entailment | None:
        """The model that looks for contradictions beside the rules, loaded at the first use."""
        if not self._nli:
            return None
        from rqa_graph.entailment import entailment_for_turns

        return entailment_for_turns(self._nli)

    def shelf_of(self, tenant: str) -> LibraryShelf:
        """The library of a tenant, as persons' decisions change it."""
        found = self.deliberating
        return LibraryShelf(self.answer_library, found.corpus, found.guard, tenant=tenant)

    def flag(self, entry: str, *, tenant: str, by: str, note: str) -> str:
        """Take an answer out and ask a person; return the item. Raises UnknownEntryError, RuleBrokenError."""
        at = self.clock().isoformat(timespec="seconds")
        return flag(self.answer_library, self.memory.queue, entry, tenant=tenant, by=by, note=note, at=at)

    @property
    def deliberating(self) -> Deliberating:
        """What is deliberated with. Raises ConfigError where these services were made without it."""
        if self._deliberating is None:
            raise ConfigError("these services have no sources to deliberate on", hint="Build them from settings.")
        return self._deliberating

    @cached_property
    def deliberation(self) -> DeliberationGraph:
        """The graph `deliberate` over these services; made once, since making it is proving it."""
        from rqa_graph.deliberation import build_deliberation  # which is made of services itself

        return build_deliberation(services=self)

    @cached_property
    def deliberation_steps(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """The same steps for inside a turn, without a verifier of their own."""
        from rqa_graph.deliberation import build_steps  # as above

        return build_steps(self)

    @property
    def deliberates(self) -> bool:
        """Is there a source on the list that a turn could deliberate on?"""
        return self._deliberating is not None and self._deliberating.listed

    def deliberate(self, given: Mapping[str, Any], *, looked: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
        """Deliberate inside a turn; see `rqa_nodes.turn.Services`."""
        return deliberate_turn(self, given, looked=looked, scope=scope)

    async def adeliberate(self, given: Mapping[str, Any], *, looked: Mapping[str, Any], scope: Scope) -> dict[str, Any]:
        """Async form of `deliberate`."""
        return await adeliberate_turn(self, given, looked=looked, scope=scope)

    def source_items(self, rows: Iterable[Mapping[str, str]], *, domain: str, tenant: str) -> tuple[MemoryNode, ...]:
        """Sources as they lie in the corpus now, as external items."""
        return items_now(self, rows, domain=domain, tenant=tenant)

    def inquiry(self, scope: Scope, *, emit: Callable[[dict[str, Any]], None] = lambda _event: None) -> Inquiry:
        """What a step of a deliberation works with."""
        found = self.deliberating
        return Inquiry(
            clock=self.clock,
            ids=self.ids,
            bench=found.bench,
            corpus=found.corpus,
            answer_library=self.answer_library,
            queue=self.memory.queue,
            guard=found.guard,
            chat=self.chat,
            scope=scope,
            emit=emit,
        )

    def chat(self, name: str) -> ChatModel:
        """A model by name; the choice stands for a minute."""
        found = self._resolved.get(name)
        if found is None or self._monotonic() - found[0] > _RESOLVED_SECONDS:
            found = (self._monotonic(), self._resolve(name))
            self._resolved[name] = found
        return found[1]

    def scope(self, tenant: str, user: str) -> Scope:
        """Whose memory: the defaults where empty."""
        return Scope(tenant or self._scope.tenant, user or self._scope.user)

    def replaced(self, *, resolve: Callable[[str], ChatModel], evaluator: Evaluator) -> AppServices:
        """The same services with another way to find models and another evaluator; the memory is opened anew."""
        return AppServices(
            router=self.router,
            budgets=self.budgets,
            evaluator=evaluator,
            open_memory=self._open_memory,
            resolve=resolve,
            scope=self._scope,
            telemetry=self.telemetry,
            tools=self.tools,
            deliberating=self._deliberating,
            nli=self._nli,
            clock=self.clock,
            ids=self.ids,
            monotonic=self._monotonic,
        )

    def close(self) -> None:
        """Release the memory and its home."""
        with self._lock:
            if self._library is not None:
                self._library.cache.close()
            if self._memory is not None:
                self._memory.close()
            self._memory = self._library = None
        self.tools.close()


def open_services(settings: Settings, *, lang: str = "en", memory: ProvenanceMemory | None = None) -> AppServices:
    """Build the services that the settings describe; nothing is opened yet.

    Args:
        settings: What a person set.
        lang: Language of the notice that says which model answers.
        memory: The memory of the home, where it is open already; the services close it with themselves.
    """

    def resolve(name: str) -> ChatModel:
        choice: ModelChoice = settings.model_choice(name)
        return BoundChatModel(models.resolve_chat(choice, lang=lang), utc_now, settings.models.timeouts.answer_s)

    telemetry, tools = TelemetryFile(settings.home / TELEMETRY_FILE), open_toolbox(settings)
    services = AppServices(
        router=Router.from_rules(load_config("router", settings.home)),
        budgets=Budgets.from_mapping(settings.budget_config()),
        evaluator=BoundEvaluator(
            settings, clock=utc_now, monotonic=time.monotonic, adopted=lambda: adopted_in(services.memory)
        ),
        open_memory=lambda: memory or open_memory_of(settings),
        resolve=resolve,
        scope=Scope(settings.memory.tenant, settings.user()),
        telemetry=telemetry,
        deliberating=open_deliberating(settings, clock=utc_now, telemetry=telemetry, tools=tools),
        tools=tools,
        nli=settings.memory.nli,
    )
    return services


_shared: dict[Path, AppServices] = {}
_shared_lock = Lock()


def default_services(settings: Settings | None = None) -> AppServices:
    """The services of this process for a home: one set, shared by the graph, the store and the checkpointer."""
    settings = settings or Settings.load()
    with _shared_lock:
        if settings.home not in _shared:
            _shared[settings.home] = open_services(settings)
        return _shared[settings.home]
