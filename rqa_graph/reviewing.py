"""How are the steps of a review joined?

The graph `review` puts one item of the queue before a person: an interrupt in the review's own thread, with a schema
for the answer. `verify` is its only way to the end, proved on the compiled graph each time one is built. The module
exports `graph` bare; a server binds checkpoints.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore
from langgraph.types import Command

from rqa_checkpoints.errors import AlreadyDecidedError, StaleVersionError, UnknownKindError, UnknownProposalError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import QueueItem
from rqa_graph.drawing import what_it_does
from rqa_graph.reachability import assert_verified, declared
from rqa_graph.services import AppServices, default_services
from rqa_graph.settings import Settings
from rqa_graph.speaking import review_context
from rqa_nodes import review
from rqa_nodes.curation import CURATION
from rqa_nodes.deliberate.review_kinds import CACHE_KINDS
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.reflect.evaluator_change import EVALUATOR_BINDING
from rqa_nodes.reflect.self_update import SELF_UPDATE
from rqa_nodes.review import Desk, ReviewContext, ReviewInput, ReviewOutput, ReviewState
from rqa_nodes.review_answer import Answer
from rqa_nodes.review_kinds import Kinds, reach_of

__all__ = ["KINDS", "ReviewGraph", "build_review", "decide", "graph", "rendered"]

ReviewGraph = CompiledStateGraph[ReviewState, ReviewContext, ReviewInput, ReviewOutput]
Step = Callable[[ReviewState, Desk], Any]

KINDS: Final[Kinds] = {kind.name: kind for kind in (SELF_UPDATE, EVALUATOR_BINDING, CURATION, *CACHE_KINDS)}
"""What can wait for a person. A further kind of decision is a further row."""

_TRANSITIONS: Final[dict[str, tuple[str, ...]]] = {
    "load": ("ask", "verify"),
    "attest": ("commit", "verify"),
    "commit": ("load", "verify"),
    "verify": (END,),
}


def build_review(
    *,
    settings: Settings | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    store: BaseStore | None = None,
    services: AppServices | None = None,
    kinds: Kinds = KINDS,
) -> ReviewGraph:
    """Build the graph `review`.

    Args:
        settings: What a person may set; default: read from the configuration at the first run.
        checkpointer: Keeps the thread in which a person is asked.
        store: A LangGraph store for code around the graph; the nodes do not use it.
        services: Ready-made services instead of those that `settings` describe.
        kinds: What can be decided.

    Raises:
        UnverifiedPathError: The graph could end without `verify`.
    """
    source = cache(lambda: services or default_services(settings))
    builder = StateGraph(
        ReviewState, context_schema=ReviewContext, input_schema=ReviewInput, output_schema=ReviewOutput
    )

    def desk() -> Desk:
        return _desk(source(), kinds)

    for step in (review.load, review.ask, review.attest, review.commit, review.verify):
        name = step.__name__
        bound = _bind(name, step, desk)
        builder.add_node(name, bound, destinations=_TRANSITIONS.get(name), metadata=what_it_does(step))
    builder.add_edge(START, "load")
    builder.add_edge("ask", "attest")
    compiled = builder.compile(checkpointer=checkpointer, store=store, name="review")
    assert_verified(compiled)
    return compiled


def _desk(services: AppServices, kinds: Kinds) -> Desk:
    context = review_context()
    owner = services.scope("", "")
    scope = services.scope(context.tenant, context.user)
    return Desk(
        queue=services.memory.queue,
        kinds=kinds,
        clock=services.clock,
        scope=scope,
        reviewer=context.reviewer or (scope.user if reach_of(scope) == "person" else owner.user),
        lang=context.lang,
        thread=str(get_config().get("configurable", {}).get("thread_id") or ""),
        open_shelf=lambda: services.shelf_of(scope.tenant),
    )


def _bind(name: str, step: Step, desk: Callable[[], Desk]) -> Runnable[ReviewState, Any]:
    """Give a step both forms; the async one runs in a thread, because every step reads the log."""

    def run(state: ReviewState) -> Any:
        return step(state, desk())

    async def arun(state: ReviewState) -> Any:
        return await asyncio.to_thread(run, state)

    return declared(RunnableLambda(run, arun, name=name), name=name, destinations=_TRANSITIONS.get(name))


def decide(graph: ReviewGraph, item: str, answer: Answer, *, context: ReviewContext) -> dict[str, Any]:
    """Put one item before a person whose answer is known, in the item's own thread.

    Args:
        graph: With a checkpointer.
        item: Id of the item.
        answer: What the person decided.
        context: Whose queue, and who decides.

    Returns:
        `item`, `kind`, `version`, `status`, `outcome` ("approved", "rejected" or "edited") and `text`.

    Raises:
        UnknownProposalError, UnknownKindError: There is no such item, or no such kind any more.
        AlreadyDecidedError, StaleVersionError: Somebody was faster; nothing was changed.
        ProposalRefusedError: The payload may not be kept.
    """
    config: Any = {"configurable": {"thread_id": f"review-{context.tenant}-{context.user}-{item}"}}
    found: dict[str, Any] = graph.invoke({"item": item}, config, context=context)
    if "__interrupt__" in found:
        found = graph.invoke(Command(resume=answer.model_dump()), config, context=context)
    if "__interrupt__" in found:
        outcome, text = "edited", str(found["__interrupt__"][0].value["text"])
    else:
        outcome, text = found["outcome"], str(found["messages"][-1].text)
    refusal = _REFUSALS.get(outcome)
    if refusal is not None:
        raise refusal(text)
    return {**{name: found[name] for name in ("item", "kind", "version", "status")}, "outcome": outcome, "text": text}


_REFUSALS: Final[dict[str, Callable[[str], Exception]]] = {
    "unknown": lambda text: UnknownProposalError(text, hint="`rqa review-queue list` has them."),
    "unknown_kind": lambda text: UnknownKindError(text, hint="Use the version that queued it, or reject it there."),
    "already_decided": lambda text: AlreadyDecidedError(text, hint="A decision stands."),
    "stale": lambda text: StaleVersionError(text, hint="Look at it again: `rqa review-queue show`."),
    "refused": lambda text: ProposalRefusedError(text),
}
"""Outcomes that changed nothing."""


graph = build_review()


def rendered(memory: ProvenanceMemory, item: QueueItem, lang: str) -> str:
    """What a person decides on, in words; the bare payload of a kind that is not known here."""
    kind = KINDS.get(item.kind)
    if kind is None:
        return "\n".join(f"{name}: {value}" for name, value in item.payload.items())
    return kind.render(item.payload, lambda area: memory.queue.adopted(area, scope=item.scope), lang)
