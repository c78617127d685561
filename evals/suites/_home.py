"""A home of the product for suites: the whole graph over a fresh memory, under a clock that the suite moves."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_graph.graph import build_graph
from rqa_graph.resources import load_config
from rqa_graph.services import AppServices
from rqa_graph.turns import Event, TurnResult, run_turn
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.route import Router
from rqa_nodes.scripted import ScriptedEvaluator
from rqa_nodes.state import Context
from rqa_nodes.turn import ChatModel

__all__ = ["SCOPE", "Home"]

SCOPE: Final = Scope("local", "mara")
_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Home:
    """Graph, memory and clock of one person; closed with its memory."""

    def __init__(
        self, folder: Path, *, model: ChatModel, encoder: Encoder, clock: Callable[[], datetime] | None = None
    ) -> None:
        """`clock`: the real one, where a model is timed; by default time goes on as the suite says."""
        self.now = _START
        ids = map(_id, itertools.count())
        clock = clock or self._clock
        self.memory = ProvenanceMemory.open(folder, clock=clock, ids=ids.__next__, embedder=encoder)
        services = AppServices(
            router=Router.from_rules(load_config("router")),
            budgets=Budgets.from_mapping(load_config("budgets")),
            evaluator=ScriptedEvaluator([]),
            open_memory=lambda: self.memory,
            resolve=lambda _name: model,
            scope=SCOPE,
            clock=clock,
            ids=ids.__next__,
        )
        self._graph = build_graph(services=services, checkpointer=InMemorySaver())

    def _clock(self) -> datetime:
        self.now += timedelta(milliseconds=1)
        return self.now

    def turn(
        self, text: str, *, thread: str = "eval", on_event: Callable[[Event], None] = lambda _event: None
    ) -> TurnResult:
        """One turn, without a judge of questions."""
        self.now += timedelta(hours=1)
        context = Context(evaluator=False)
        return run_turn(self._graph, text, thread=thread, context=context, on_event=on_event)


def _id(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()[:26]
