"""How the steps of a turn are joined.

One turn is one pass; `verify` is the only way to the end, proved on the compiled graph each time one is built. The
module exports `graph` bare, without persistence of its own: a server binds checkpointer and store.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any

from langchain_core.runnables import Runnable, RunnableLambda
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_config, get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

from rqa_graph.drawing import what_it_does
from rqa_graph.reachability import assert_verified, declared
from rqa_graph.services import default_services
from rqa_graph.settings import Settings
from rqa_graph.speaking import turn_context
from rqa_nodes.answer import aanswer, answer
from rqa_nodes.deliberate.step_deliberate import adeliberate, deliberate
from rqa_nodes.lookup import lookup
from rqa_nodes.opening import route
from rqa_nodes.recall import recall
from rqa_nodes.reflect.step_analyse import aanalyse, analyse
from rqa_nodes.reflect.step_govern import govern
from rqa_nodes.reflect.step_select import aevaluate, degrade, evaluate, rank
from rqa_nodes.state import Context, Input, Output, State
from rqa_nodes.turn import Services, Turn
from rqa_nodes.verify import verify

__all__ = ["build_graph", "graph"]

Step = Callable[[State, Turn], Any]
AsyncStep = Callable[[State, Turn], Awaitable[Any]]
ServicesSource = Callable[[], Services]

_TRANSITIONS: dict[str, tuple[str, ...]] = {
    "route": ("lookup", "recall", "verify"),
    "lookup": ("deliberate", "recall", "verify"),
    "recall": ("answer", "analyse"),
    "analyse": ("rank", "govern"),
    "rank": ("evaluate", "govern"),
    "evaluate": ("govern", "degrade"),
    "govern": ("analyse", "verify"),
    "verify": ("analyse", END),
}
"""Where a node may send the turn, drawn and held to at run time. Nodes that are not here have one fixed edge."""


def _turn(services: ServicesSource) -> Turn:
    thread = get_config().get("configurable", {}).get("thread_id") or ""
    return Turn(
        services=services(),
        context=turn_context(),
        thread=str(thread),
        emit=get_stream_writer(),
    )


def _bind(name: str, step: Step, services: ServicesSource, astep: AsyncStep | None = None) -> Runnable[State, Any]:
    """Give a step both forms. Without an async form of its own it runs in a thread, so that nothing blocks a server."""

    def run(state: State) -> Any:
        return step(state, _turn(services))

    async def arun(state: State) -> Any:
        if astep is not None:
            return await astep(state, await asyncio.to_thread(_turn, services))
        return await asyncio.to_thread(run, state)

    return declared(RunnableLambda(run, arun, name=name), name=name, destinations=_TRANSITIONS.get(name))


def build_graph(
    *,
    settings: Settings | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    store: BaseStore | None = None,
    services: Services | None = None,
) -> CompiledStateGraph[State, Context, Input, Output]:
    """Build the graph `rqa`; runs without arguments or context.

    Args:
        settings: What a person may set; default: read from the configuration at the first turn.
        checkpointer: Keeps threads; without one every run stands alone (memory is kept all the same).
        store: A LangGraph store for code around the graph; the nodes do not use it.
        services: Ready-made services instead of those that `settings` describe (tests, embedding).

    Raises:
        UnverifiedPathError: The graph could end without `verify`.
    """
    source: ServicesSource = cache(lambda: services or default_services(settings))
    builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)

    def add(name: str, step: Step, astep: AsyncStep | None = None) -> None:
        bound = _bind(name, step, source, astep)
        builder.add_node(name, bound, destinations=_TRANSITIONS.get(name), metadata=what_it_does(step))

    add("route", route)
    add("lookup", lookup)
    add("deliberate", deliberate, adeliberate)
    add("recall", recall)
    add("answer", answer, aanswer)
    add("analyse", analyse, aanalyse)
    add("rank", rank)
    add("evaluate", evaluate, aevaluate)
    add("degrade", degrade)
    add("govern", govern)
    add("verify", verify)
    builder.add_edge(START, "route")
    builder.add_edge("deliberate", "verify")
    builder.add_edge("answer", "verify")
    builder.add_edge("degrade", "govern")
    compiled = builder.compile(checkpointer=checkpointer, store=store, name="rqa")
    assert_verified(compiled)
    return compiled


graph = build_graph()
