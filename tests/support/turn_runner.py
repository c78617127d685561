"""Processes that run whole turns on a real home until they are killed.

Run as `python -m tests.support.turn_runner HOME`. For each line on standard input (the number of the round) it forks a
process that takes turns and prints its pid; when that process is dead it prints `dead`. Forking spares each of them the
imports. A turn is acknowledged by a line in `HOME/../acks`, written after the run has returned: round, number, level,
thread and turn id.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.saver import QdrantSaver
from rqa_graph.clock import new_id, utc_now
from rqa_graph.graph import build_graph
from rqa_graph.resources import load_config
from rqa_graph.services import AppServices
from rqa_graph.turns import Graph, run_turn
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.route import Router
from rqa_nodes.scripted import ScriptedEvaluator
from rqa_nodes.state import Context
from tests.support.graphs import analysis, evaluation
from tests.support.turns import ByTask, config_of

__all__ = ["MARA", "THREADS", "open_home", "pending"]

MARA = Scope("local", "mara")
THREADS = ("th0", "th1", "th2")

_SAYINGS = {
    1: "Fact {name} is about the otters of lake {name}. 事実{name}はカワウソの湖{name}について。",
    2: "Should we move mill {name} upstream, or is that the wrong question?",
    3: "Analyse this plan critically: mill {name} always pays for itself, therefore we must move it.",
}
_ANSWER = "The otters prefer the quiet bank [m:zqzqz9]. 静かな岸のほうが好まれます。"
_QUESTIONS = ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"]


@contextmanager
def open_home(home: Path) -> Iterator[tuple[Graph, AppServices, ProvenanceMemory]]:
    """A real home: log, Edge index and checkpoints in folders; real clock and ids, a scripted model."""
    judged = evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4))
    model = ByTask(_ANSWER, analysis(_QUESTIONS))
    services = AppServices(
        router=Router.from_rules(load_config("router")),
        budgets=Budgets.from_mapping(load_config("budgets")),
        evaluator=ScriptedEvaluator([judged] * 10_000),
        open_memory=lambda: ProvenanceMemory.open(home, clock=utc_now, ids=new_id, embedder="hash"),
        resolve=lambda _name: model,
        scope=MARA,
    )
    try:
        memory = services.memory
        with QdrantSaver.from_location(str(home / "checkpoints")) as saver:
            yield build_graph(services=services, checkpointer=saver), services, memory
    finally:
        services.close()


def pending(graph: Graph) -> list[str]:
    """Threads with a turn that has begun and not ended."""
    return [thread for thread in THREADS if graph.get_state(config_of(thread)).next]


def _take_turns(home: Path, round_: str) -> None:
    acks = os.open(home.parent / "acks", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    with open_home(home) as (graph, _services, _memory):
        for thread in pending(graph):
            graph.invoke(None, config_of(thread))
        for number in count(int(round_)):
            level, thread = number % 3 + 1, THREADS[number % len(THREADS)]
            said = _SAYINGS[level].format(name=f"{round_}x{number}")
            result = run_turn(graph, said, thread=thread, context=Context())
            assert result.level == level
            os.write(acks, f"{round_} {number} {level} {thread} {result.turn}\n".encode())


def main(home: str) -> None:
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _take_turns(Path(home), line.strip())
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        os.waitpid(pid, 0)
        sys.stdout.write("dead\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
