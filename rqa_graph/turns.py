"""How does a surface run one turn and read what came of it?

Surfaces read the custom channel while the turn runs - preludes, released sentences, stage names - and the state when it
is over. This is the one place that knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.graph.state import CompiledStateGraph

from rqa_nodes.echo import Verdict, VerdictKind, VerificationReport
from rqa_nodes.facts import current_message, given_refs
from rqa_nodes.state import Context, DocumentInput

__all__ = ["INTERRUPTED", "Event", "Graph", "TurnResult", "arun_turn", "read_turn", "report_line", "run_turn"]

INTERRUPTED: Final = "interrupted"

Event = Mapping[str, Any]
Graph = CompiledStateGraph[Any, Context, Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """One finished turn, as every surface shows it."""

    text: str
    lang: str
    level: int
    mode: str
    reason: str
    budget: str
    question: str | None
    question_reason: str
    """Why there is no side question, where none was asked; INTERRUPTED if somebody stopped waiting for one."""
    panel: Mapping[str, Any] | None
    report: Mapping[str, Any]
    memory: Mapping[str, Sequence[Mapping[str, str]]]
    """`injected`, `cited` and `written`, each a list of id, handle and source."""
    withheld: Sequence[Mapping[str, str]]
    stop_reason: str
    degraded: bool
    degraded_reason: str
    stored: bool
    engine: str
    notice: str
    thread: str
    turn: str
    rounds: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    tools: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    """What was looked up (`state.ToolRow` each)."""
    training_delta: Mapping[str, Any] = field(default_factory=dict)
    """`planned`, gain of mass by handle, and `applied`, by id."""


def run_turn(
    graph: Graph,
    text: str,
    *,
    thread: str,
    context: Context,
    documents: Sequence[DocumentInput] = (),
    on_event: Callable[[Event], None] = lambda _event: None,
) -> TurnResult:
    """Run one turn on a graph that has a checkpointer.

    Args:
        graph: A graph of `build_graph` with a checkpointer.
        text: The user's message; "" if there are only documents, since nobody's words may be made up.
        thread: The thread to continue or to begin.
        context: Who asks, and the options of this run.
        documents: Documents that the message is about.
        on_event: Called with each event of the custom channel, in order.
    """
    values: Mapping[str, Any] = {}
    for mode, chunk in graph.stream(**_arguments(graph, text, thread, context, documents)):
        if mode == "custom":
            on_event(chunk)
        else:
            values = chunk
    return read_turn(values, thread)


async def arun_turn(
    graph: Graph,
    text: str,
    *,
    thread: str,
    context: Context,
    documents: Sequence[DocumentInput] = (),
    before: Sequence[BaseMessage] = (),
    library: Mapping[str, str] = MappingProxyType({}),
    on_event: Callable[[Event], None] = lambda _event: None,
    on_values: Callable[[Mapping[str, Any]], None] = lambda _values: None,
) -> None:
    """Async form of `run_turn`, which can be cancelled while a model is silent.

    `before` is what was said in a thread that begins here; `library` the domain and jurisdiction where a verified
    answer may be given. `on_values` is called with the state after each step, the last one included: `read_turn` reads
    it.
    """
    async for mode, chunk in graph.astream(**_arguments(graph, text, thread, context, documents, before, library)):
        if mode == "custom":
            on_event(chunk)
        else:
            on_values(chunk)


def _arguments(
    graph: Graph,
    text: str,
    thread: str,
    context: Context,
    documents: Sequence[DocumentInput],
    before: Sequence[BaseMessage] = (),
    library: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    given = {"messages": [*before, HumanMessage(text)] if text else [], "documents": list(documents)}
    return {
        "input": {**given, "cacheable": True, **library} if library else given,
        "config": {"configurable": {"thread_id": thread}},
        "context": context,
        # All channels, as `get_state` would read them: the last of these is the state that the turn ends with.
        "stream_mode": ["custom", "values"],
        "output_keys": list(graph.builder.channels),
    }


def read_turn(values: Mapping[str, Any], thread: str) -> TurnResult:
    """The result of the last turn of a thread, from its state."""
    route, facts = values["route"], values["turn"]
    tools = values.get("tools", [])
    injected: list[dict[str, Any]] = [dict(ref) for ref in given_refs(values)]
    messages = values.get("messages", [])
    replies = messages[current_message(messages, facts["message_id"]) + 1 :]
    answer = next((m for m in replies if m.type == "ai" and not (m.id or "").endswith("-question")), None)
    by_id = {ref["id"]: ref for ref in injected}
    return TurnResult(
        text=answer.text if answer is not None else "",
        lang=facts["lang"],
        level=route["level"],
        mode=route["mode"],
        reason=route["reason"],
        budget=route["budget"],
        question=values.get("question"),
        question_reason=values.get("question_reason", ""),
        panel=values.get("panel"),
        report=values.get("report", {}),
        memory={
            "injected": injected,
            "cited": [by_id[i] for i in values.get("cited", []) if i in by_id],
            "written": [dict(ref) for ref in values.get("written", [])],
        },
        withheld=values.get("withheld", []),
        stop_reason=values.get("stop_reason", ""),
        degraded=values.get("degraded", False),
        degraded_reason=values.get("degraded_reason", ""),
        stored=values.get("stored", True),
        engine=values.get("engine", ""),
        notice=values.get("notice", ""),
        thread=thread,
        turn=facts["turn_id"],
        rounds=values.get("rounds", []),
        tools=tools,
        training_delta=_trained(values),
    )


def _trained(values: Mapping[str, Any]) -> dict[str, Any]:
    """What the recall planned and what use has brought; empty where neither is there."""
    planned, applied = values.get("training_delta") or {}, values.get("applied") or {}
    return {"planned": {}, **planned, "applied": applied} if planned or applied else {}


def report_line(report: Mapping[str, Any], lang: str) -> str:
    """The line that ends a reply: what was cited, what was removed and why."""
    verdicts = [
        Verdict(kind=VerdictKind(row["kind"]), span=(row["span"][0], row["span"][1]), action=row["action"])
        for row in report.get("verdicts", [])
    ]
    return VerificationReport(text="", verdicts=tuple(verdicts), cited=tuple(report.get("cited", ()))).one_line(lang)
