"""Many threads, and on a server many processes, at one memory: no deadlock, no lost update, one chain."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.trail import Filter
from tests.support.crowd import SHARED, Done, crowd
from tests.support.memories import ANN, Clock, Ids, log_at, open_memory
from tests.support.postgres import Server

_PATIENCE_SECONDS = 540
_FULL_PATIENCE_SECONDS = 7200
"""So long may it take, and so long with the large count, before it counts as a deadlock."""


@pytest.fixture
def operations(request: pytest.FixtureRequest) -> int:
    return 10_000 if request.config.getoption("--full") else 240


@pytest.fixture
def patience(request: pytest.FixtureRequest) -> int:
    return _FULL_PATIENCE_SECONDS if request.config.getoption("--full") else _PATIENCE_SECONDS


def _check(memory: ProvenanceMemory, done: Done) -> None:
    assert memory.verify_chain() is None
    assert memory.state_hash() == memory.log.replayed_hash()
    nodes = {node.id: node for node in memory.list(scope=ANN, where=NodeFilter(hidden=None), limit=1_000_000)}
    assert len(set(done.added)) == len(done.added)
    assert set(done.added) <= nodes.keys()
    assert {one for one in done.added if nodes[one].hidden} == set(done.hidden)
    [shared] = [node for node in nodes.values() if node.text == SHARED]
    assert shared.seen == done.said > 1, "a sighting was lost"
    assert len(done.written) == len(set(done.written)) > 1, "two were told that they wrote one turn"
    assert {part.turn_id for part in memory.turns(scope=ANN, limit=1_000_000)} == set(done.written)
    assert len(memory.queue.items(scope=ANN)) == 1
    trail = memory.trail
    assert trail is not None
    trail.catch_up()
    visible = {one for one, node in nodes.items() if not node.hidden}
    found = trail.search("fence", where=Filter(scope=ANN), limit=len(nodes) + 100).hits
    assert {hit.id for hit in found} == visible


@pytest.mark.log_contract
def test_eight_threads_lose_nothing(tmp_path: Path, operations: int) -> None:
    with open_memory(tmp_path / "home") as memory:
        done = crowd(memory, "t", threads=8, operations=operations)
        assert done.operations == operations // 8 * 8
        _check(memory, done)
        assert log_at(tmp_path / "home") == "" or memory.log.place.startswith("postgresql://")


def test_two_processes_at_one_log_on_a_server_lose_nothing(
    tmp_path: Path, postgres_server: Server, programs: Path, operations: int, patience: int
) -> None:
    address = postgres_server.new_database()
    half = str(operations // 2)
    workers = [
        subprocess.Popen(
            [programs / "python", "-m", "tests.support.crowd", tmp_path / name, address, name, "4", half],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for name in ("a", "b")
    ]
    try:
        for worker in workers:
            assert worker.stdout is not None
            assert worker.stdout.readline() == "ready\n"
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("\n")
            worker.stdin.flush()
        told = [worker.communicate(timeout=patience)[0] for worker in workers]
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    done = Done.together([Done(**json.loads(line)) for line in told])
    opened = ProvenanceMemory.open(tmp_path / "c", clock=Clock(), ids=Ids("c"), embedder="hash", log=address)
    with opened as memory:
        _check(memory, done)
