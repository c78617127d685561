"""A log in a file that two processes write into at once: each waits for the other, and neither is told of a lock."""

from __future__ import annotations

import subprocess
from pathlib import Path

from rqa_checkpoints.log import EventLog
from tests.support.memories import Clock, Ids

_TURNS = 50
_PATIENCE_SECONDS = 300


def test_an_api_and_a_worker_write_fifty_turns_each_into_one_file(tmp_path: Path, programs: Path) -> None:
    log = tmp_path / "log.sqlite"
    EventLog.open(log, clock=Clock(), ids=Ids()).close()
    writers = [
        subprocess.Popen(
            [programs / "python", "-m", "tests.support.write_turns", log, name, str(_TURNS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        for name in ("api", "worker")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    said = []
    for writer in writers:  # both begin at once
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        said.append(writer.communicate(timeout=_PATIENCE_SECONDS)[0])
    assert (said, [writer.returncode for writer in writers]) == (["", ""], [0, 0])
    found = EventLog.open(log, clock=Clock(), ids=Ids())
    turns = {event.public()["turn_id"] for event in found.events() if "turn_id" in event.public()}
    assert turns == {f"{name}-{number}" for name in ("api", "worker") for number in range(_TURNS)}
    assert found.verify_chain() is None
    assert found.state_hash() == found.replayed_hash()
    found.close()
