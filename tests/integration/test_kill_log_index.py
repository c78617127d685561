"""A killed process loses no acknowledged turn, and log and index agree again when the home is opened."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.trail import Filter
from tests.support.memories import ANN, open_memory, take_turn

_ROOT = Path(__file__).parents[2]
_SEED = 20261129
_LONGEST_SECONDS = 0.4


def _killed_run(python: Path, home: Path, number: int, wait: float) -> dict[str, list[str]]:
    """Let a process write until it is killed; return the turns that it acknowledged, with their items."""
    command: list[str | Path] = [python, "-m", "tests.support.turn_writer", home, str(number)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=_ROOT)
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(wait)
    process.send_signal(signal.SIGKILL)
    rest, errors = process.communicate()
    assert first, errors
    # A line that was cut by the kill was not acknowledged.
    lines = [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]
    return {line.split()[0]: line.split()[1:] for line in lines}


def _check_log(memory: ProvenanceMemory, acknowledged: dict[str, list[str]]) -> None:
    assert memory.verify_chain() is None
    assert memory.state_hash() == memory.log.replayed_hash()
    for turn, items in acknowledged.items():
        record = memory.turn(turn, scope=ANN)
        assert [list(part.written) for part in record] == [items]
        assert len(memory.get(items, scope=ANN)) == len(items) == 3


def _check_index(memory: ProvenanceMemory) -> None:
    trail = memory.trail
    assert trail is not None
    trail.catch_up()
    assert trail.watermark == memory.log.last_seq()
    nodes = {node.id for node in memory.list(scope=ANN, limit=1_000_000)}
    # The vectors of everything are nearer than nothing, so a search without a limit lists the whole index.
    indexed = {hit.id for hit in trail.search("fact", where=Filter(scope=ANN), limit=len(nodes) + 100).hits}
    assert indexed == nodes


def test_kills_lose_no_acknowledged_turn_and_leave_log_and_index_equal(
    tmp_path: Path, kills: int, programs: Path
) -> None:
    chance = random.Random(_SEED)
    acknowledged: dict[str, list[str]] = {}
    for number in range(kills):
        # Every other kill falls into the first commits, where opening and indexing still go on.
        wait = chance.uniform(0, _LONGEST_SECONDS if number % 2 else _LONGEST_SECONDS / 20)
        acknowledged |= _killed_run(programs / "python", tmp_path, number, wait)
        with open_memory(tmp_path, ids=f"check{number}", read_only=number % 5 != 4) as memory:
            _check_log(memory, acknowledged)
            if not memory.log.read_only:
                _check_index(memory)
    with open_memory(tmp_path, ids="end") as memory:
        for turn in chance.sample(sorted(acknowledged), 10):
            found = memory.recall(f"topic{turn} 事実{turn}", scope=ANN, top_k=20)
            assert set(acknowledged[turn]) & {item.node.id for item in found.items}
        turn, items = next(iter(acknowledged.items()))
        said = f"Fact {turn} is about topic{turn}. 事実{turn}について。"
        again = take_turn(memory, said, f"Noted topic{turn} then.", turn=turn, thread="th0")
        assert (again.state, list(again.written)) == ("repeated", items)
    assert len(acknowledged) >= kills
