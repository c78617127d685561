"""How many bytes of checkpoint does a turn leave?

Turns of one thread through the graph with the built-in engine; the bytes are those of the JSON payloads that the saver
stores. A bare chat graph of two nodes beside it stores its messages alone, all of them. Of each the last tenth of the
turns says whether a long thread costs more than a short one. Prints one JSON object: bytes.

Run: python -m evals.bench.checkpoints [--turns 200] [--seed 7]
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from evals.bench._turn_texts import draw_messages
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.saver import QdrantSaver
from rqa_graph.bound_model import BoundChatModel
from rqa_graph.clock import new_id, utc_now
from rqa_graph.graph import build_graph
from rqa_graph.resources import load_config
from rqa_graph.services import AppServices
from rqa_graph.turn_saver import TurnSaver
from rqa_graph.turns import run_turn
from rqa_nodes import models
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.route import Router
from rqa_nodes.scripted import ScriptedEvaluator
from rqa_nodes.state import Context

__all__ = ["main", "measure"]

_LIMIT: Final = 30_000
"""Bytes of checkpoint that a turn may leave."""


def _stored(saver: QdrantSaver) -> int:
    return sum(len(json.dumps(payload)) for _, payload in saver.points())


def _bare(saver: QdrantSaver) -> Any:
    builder: Any = StateGraph(MessagesState)
    builder.add_node("answer", lambda _state: {"messages": [AIMessage("That could be asked again.")]})
    builder.add_node("check", lambda _state: {"messages": []})
    builder.add_edge(START, "answer")
    builder.add_edge("answer", "check")
    builder.add_edge("check", END)
    return builder.compile(checkpointer=saver)


def _summary(sizes: Sequence[int]) -> dict[str, int]:
    ranked = sorted(sizes)
    return {"median": ranked[len(ranked) // 2], "p99": ranked[math.ceil(0.99 * len(ranked)) - 1], "largest": ranked[-1]}


def measure(folder: Path, *, turns: int, seed: int) -> dict[str, Any]:
    """Take turns in one thread; see the module."""
    said = draw_messages(turns, source=random.Random(seed))
    with ExitStack() as stack:
        memory = stack.enter_context(ProvenanceMemory.open(folder / "home", clock=utc_now, ids=new_id, embedder="hash"))
        services = AppServices(
            router=Router.from_rules(load_config("router")),
            budgets=Budgets.from_mapping(load_config("budgets")),
            evaluator=ScriptedEvaluator([]),
            open_memory=lambda: memory,
            resolve=lambda _name: BoundChatModel(models.builtin(), utc_now, 60.0),
            scope=Scope("local", "me"),
        )
        ours = stack.enter_context(TurnSaver.from_location(str(folder / "ours")))
        plain = stack.enter_context(QdrantSaver.from_location(str(folder / "plain")))
        graph, bare = build_graph(services=services, checkpointer=ours), _bare(plain)
        mine, others = list[int](), list[int]()
        for message in said:
            before = (_stored(ours), _stored(plain))
            run_turn(graph, message, thread="t", context=Context())
            bare.invoke({"messages": [("user", message)]}, {"configurable": {"thread_id": "t"}})
            mine.append(_stored(ours) - before[0])
            others.append(_stored(plain) - before[1])
    late = -math.ceil(turns / 10)
    results = {
        "turn": _summary(mine),
        "turn_of_the_last_tenth": _summary(mine[late:]),
        "bare_chat_turn": _summary(others),
        "bare_chat_turn_of_the_last_tenth": _summary(others[late:]),
    }
    return {"limit": _LIMIT, "turns_over_limit": sum(size > _LIMIT for size in mine), "results": results}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = vars(parser.parse_args(arguments))
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), **options)
    print(json.dumps({"bench": "checkpoints", "unit": "bytes", **options, **result}, indent=1))


if __name__ == "__main__":
    main()
