"""Whole turns on a real home, killed at any moment: none that was acknowledged is lost, none is there by half."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import SourceClass
from rqa_checkpoints.trail import Filter
from rqa_graph.turns import Graph
from tests.support.turn_runner import MARA, open_home, pending
from tests.support.turns import config_of

_SEED = 20261130
_KILLS = 20
"""In one home: more would mostly read again what the home holds."""
_HOMES = [_SEED, *(pytest.param(_SEED + number, marks=pytest.mark.full) for number in range(1, 25))]
"""Seeds: of one home, or of 25 with 500 kills."""
_TURNS = (0, 1, 1, 2)
"""Acknowledged turns after which a process is killed; at 0 the kill falls into opening or into the first turn."""
_OPENING_SECONDS = 1.2
_TURN_SECONDS = 0.3
_PATIENCE_SECONDS = 60

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")


class _Ack(NamedTuple):
    round: str
    number: str
    level: str
    thread: str
    turn: str


@pytest.fixture
def runner(tmp_path: Path, programs: Path) -> Iterator[subprocess.Popen[str]]:
    command: list[str | Path] = [programs / "python", "-m", "tests.support.turn_runner", tmp_path / "home"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    yield process
    process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
    process.wait(timeout=20)
    process.stdout.close()  # type: ignore[union-attr]  # it is a pipe


def _killed_run(runner: subprocess.Popen[str], number: int, chance: random.Random, acks: Path) -> int:
    """Let a process run some turns, and kill it at a random moment of the next; return how many were awaited."""
    assert runner.stdin is not None
    assert runner.stdout is not None
    turns = chance.choice(_TURNS)
    wait = chance.uniform(0, _TURN_SECONDS if turns else _OPENING_SECONDS)
    before = len(_acknowledged(acks))
    runner.stdin.write(f"{number}\n")
    runner.stdin.flush()
    pid = int(runner.stdout.readline())
    end = time.monotonic() + _PATIENCE_SECONDS
    while len(_acknowledged(acks)) < before + turns:
        assert time.monotonic() < end, "the process takes no turns"
        time.sleep(0.01)
    time.sleep(wait)
    os.kill(pid, signal.SIGKILL)
    assert runner.stdout.readline() == "dead\n"
    return turns


def _acknowledged(acks: Path) -> list[_Ack]:
    return [_Ack(*line.split()) for line in acks.read_text().splitlines()] if acks.exists() else []


def _check_log(memory: ProvenanceMemory, acknowledged: list[_Ack]) -> None:
    assert memory.verify_chain() is None
    assert memory.state_hash() == memory.log.replayed_hash()
    parts = memory.turns(scope=MARA, limit=100_000)
    for part in parts:
        # Whole: the words, the items that were cut from them, and whose they are.
        nodes = memory.get(part.written, scope=MARA)
        assert len(nodes) == len(part.written)
        if part.part == "answer":
            assert part.reply_text
            assert SourceClass.user in {node.source for node in nodes}
    assert max(Counter((part.turn_id, part.part) for part in parts).values(), default=1) == 1
    by_turn = Counter(part.turn_id for part in parts)
    for ack in acknowledged:
        # Level 2 leaves an answer and a side question.
        assert by_turn[ack.turn] >= 1, ack
        assert any(f"{ack.round}x{ack.number}" in part.user_text for part in memory.turn(ack.turn, scope=MARA))


def _check_index(memory: ProvenanceMemory) -> None:
    memory.recall("otters", scope=MARA)
    trail = memory.trail
    assert trail is not None
    trail.catch_up()
    assert trail.watermark == memory.log.last_seq()
    nodes = {node.id for node in memory.list(scope=MARA, limit=1_000_000)}
    indexed = {hit.id for hit in trail.search("fact", where=Filter(scope=MARA), limit=len(nodes) + 100).hits}
    assert indexed == nodes


def _resume_all(graph: Graph, memory: ProvenanceMemory) -> int:
    waiting = pending(graph)
    for thread in waiting:
        begun = graph.get_state(config_of(thread))
        graph.invoke(None, config_of(thread))
        ended = graph.get_state(config_of(thread))
        assert ended.next == ()
        if begun.next[0] not in {"__start__", "route"}:
            assert ended.values["turn"]["turn_id"] == begun.values["turn"]["turn_id"]
        (answer, *_) = memory.turn(ended.values["turn"]["turn_id"], scope=MARA)
        assert answer.reply_text in [message.text for message in ended.values["messages"]]
    return len(waiting)


@pytest.mark.parametrize("seed", _HOMES)
def test_kills_lose_no_acknowledged_turn_and_every_thread_goes_on(
    tmp_path: Path, runner: subprocess.Popen[str], seed: int
) -> None:
    chance, acks, home = random.Random(seed), tmp_path / "acks", tmp_path / "home"
    resumed = awaited = 0
    for number in range(_KILLS):
        awaited += _killed_run(runner, number, chance, acks)
        # The next process resumes what is pending by itself; every other time this one does.
        with open_home(home) as (graph, _services, memory):
            _check_log(memory, _acknowledged(acks))
            if number % 2:
                resumed += _resume_all(graph, memory)
                _check_log(memory, _acknowledged(acks))
    acknowledged = _acknowledged(acks)
    with open_home(home) as (graph, _services, memory):
        resumed += _resume_all(graph, memory)
        _check_log(memory, acknowledged)
        _check_index(memory)
        messages = {
            message.id
            for thread in {ack.thread for ack in acknowledged}
            for message in graph.get_state(config_of(thread)).values["messages"]
        }
        # Threads keep 16 messages; the newest acknowledged turn of each is still there.
        newest = {ack.thread: ack for ack in acknowledged}
        assert all(f"{ack.turn}-answer" in messages for ack in newest.values())
    assert len(acknowledged) >= awaited > 0
    assert {ack.level for ack in acknowledged} == {"1", "2", "3"}
    assert resumed > 0, "no kill fell into a turn: the waits are too short or too long"
