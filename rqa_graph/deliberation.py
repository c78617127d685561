"""How are the steps of a deliberation joined?

The graph `deliberate` answers one question from verified sources with several engines and a reviewer, and ends in
`verify`. Inside `rqa` the same steps run without a verifier of their own, because there the turn's verifier follows.
The module exports `graph` bare; a server binds checkpoints.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final

from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from rqa_graph.drawing import what_it_does
from rqa_graph.reachability import assert_verified, declared
from rqa_graph.services import AppServices, default_services
from rqa_graph.settings import Settings
from rqa_graph.speaking import deliberation_context
from rqa_nodes.deliberate.engines import aengines, engines
from rqa_nodes.deliberate.enqueue import enqueue
from rqa_nodes.deliberate.gate import gate
from rqa_nodes.deliberate.judge import ajudge, judge
from rqa_nodes.deliberate.keeping import attest, commit
from rqa_nodes.deliberate.ports import Inquiry
from rqa_nodes.deliberate.retrieve import retrieve
from rqa_nodes.deliberate.state import (
    DeliberationContext,
    DeliberationInput,
    DeliberationOutput,
    DeliberationState,
)
from rqa_nodes.deliberate.step_score import score
from rqa_nodes.deliberate.verify import verify

__all__ = ["DeliberationGraph", "build_deliberation", "build_steps", "graph", "steps_of_deliberation"]

DeliberationGraph = CompiledStateGraph[DeliberationState, DeliberationContext, DeliberationInput, DeliberationOutput]
Step = Callable[[Any, Inquiry], Any]
AsyncStep = Callable[[Any, Inquiry], Awaitable[Any]]
InquirySource = Callable[[], Inquiry]

_TRANSITIONS: Final[dict[str, tuple[str, ...]]] = {
    "retrieve": ("engines", "gate"),
    "gate": ("engines", "attest", "enqueue"),
    "attest": ("commit", "enqueue"),
    "verify": (END,),
}


def build_deliberation(
    *,
    settings: Settings | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    store: BaseStore | None = None,
    services: AppServices | None = None,
) -> DeliberationGraph:
    """Build the graph `deliberate`.

    Args:
        settings: What a person may set; default: read from the configuration at the first run.
        checkpointer: Lets a run that was cut off go on. A run whose question may not be kept needs one that keeps
            nothing on a disk.
        store: A LangGraph store for code around the graph; the nodes do not use it.
        services: Ready-made services instead of those that `settings` describe.

    Raises:
        UnverifiedPathError: The graph could end without `verify`.
    """
    source = cache(lambda: services or default_services(settings))
    builder = steps_of_deliberation(lambda: source())
    compiled = builder.compile(checkpointer=checkpointer, store=store, name="deliberate")
    assert_verified(compiled)
    return compiled


def build_steps(services: AppServices) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The steps for inside a turn: without a verifier, because the turn's own one follows, and without checkpoints.

    What they return is the whole state. A turn that is resumed deliberates anew; what a cut-off run had attested is
    finished by `rqa cache revalidate`.
    """
    return _steps(lambda: services, ends=True).compile(checkpointer=False, name="deliberate")


def steps_of_deliberation(services: Callable[[], AppServices]) -> StateGraph[Any, Any, Any, Any]:
    """The steps, joined and not compiled."""
    return _steps(services, ends=False)


def _steps(services: Callable[[], AppServices], *, ends: bool) -> StateGraph[Any, Any, Any, Any]:
    """`ends`: the run ends with its last step, and returns all that it carries."""
    builder = StateGraph(
        DeliberationState,
        context_schema=DeliberationContext,
        input_schema=DeliberationInput,
        output_schema=DeliberationState if ends else DeliberationOutput,
    )

    def inquiry() -> Inquiry:
        context = deliberation_context()
        found = services()
        return found.inquiry(found.scope(context.tenant, context.user), emit=get_stream_writer())

    def add(name: str, step: Step, astep: AsyncStep | None = None) -> None:
        bound = _bind(name, step, inquiry, astep)
        builder.add_node(name, bound, destinations=_TRANSITIONS.get(name), metadata=what_it_does(step))

    add("retrieve", retrieve)
    add("engines", engines, aengines)
    add("judge", judge, ajudge)
    add("score", score)
    add("gate", gate)
    add("attest", attest)
    add("commit", commit)
    add("enqueue", enqueue)
    if not ends:
        add("verify", verify)
    builder.add_edge(START, "retrieve")
    builder.add_edge("engines", "judge")
    builder.add_edge("judge", "score")
    builder.add_edge("score", "gate")
    last = END if ends else "verify"
    builder.add_edge("commit", last)
    builder.add_edge("enqueue", last)
    return builder


def _bind(name: str, step: Step, inquiry: InquirySource, astep: AsyncStep | None) -> Runnable[Any, Any]:
    """Give a step both forms. Without an async form of its own it runs in a thread, because it reads the disk."""

    def run(state: Any) -> Any:
        return step(state, inquiry())

    async def arun(state: Any) -> Any:
        if astep is not None:
            return await astep(state, await asyncio.to_thread(inquiry))
        return await asyncio.to_thread(run, state)

    return declared(RunnableLambda(run, arun, name=name), name=name, destinations=_TRANSITIONS.get(name))


graph = build_deliberation()
