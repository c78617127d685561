"""Several processes over one log on a server: one deliberation, and no word of a leader that was too slow."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rqa_checkpoints.cache.entries import prepare
from rqa_checkpoints.cache.leases import Leases
from rqa_checkpoints.cache.ledger import Ledger
from rqa_checkpoints.cache.rows import ATTEST, COMMIT, RUN
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.errors import EntryRefusedError
from rqa_checkpoints.log import EventLog
from tests.support.caches import NOW, SetClock, book, draft
from tests.support.memories import Ids
from tests.support.postgres import Server


@pytest.fixture
def address(postgres_server: Server) -> str:
    return postgres_server.new_database()


@pytest.mark.parametrize("way", ["library", "turn"])
def test_two_processes_that_are_asked_at_once_deliberate_once(
    way: str, address: str, tmp_path: Path, programs: Path, pytestconfig: pytest.Config
) -> None:
    """A hundred in all with `--full`."""
    times = "50" if pytestconfig.getoption("--full") else "20" if way == "library" else "4"

    def run(number: int) -> subprocess.CompletedProcess[str]:
        given = (address, tmp_path / str(number), times, way)
        command: list[str | Path] = [programs / "python", "-m", "tests.support.ask_together", *given]
        return subprocess.run(command, capture_output=True, text=True, timeout=400, check=False)

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(run, range(2)))
    assert [one.returncode for one in done] == [0, 0], done[0].stderr[-3000:] + done[1].stderr[-3000:]
    said = {line for one in done for line in one.stdout.splitlines()}
    assert len(said) == 1, said
    log = EventLog.open(address, clock=SetClock(), ids=Ids())
    ops = [event.op for event in log.events()]
    log.close()
    assert [ops.count(op) for op in (ATTEST, COMMIT, RUN)] == [1, 1, 1]


def test_a_lease_has_one_holder_ends_with_its_time_and_its_next_token_is_higher(address: str) -> None:
    clock = SetClock()
    log = EventLog.open(address, clock=clock, ids=Ids())
    mine, theirs = Leases(log), Leases(log)
    first = mine.take("k", seconds=10)
    assert (first, theirs.take("k", seconds=10), theirs.take("other", seconds=10)) == (1, None, 1)
    clock.forward(seconds=9.999)
    assert theirs.take("k", seconds=10) is None
    clock.forward(seconds=0.001)
    assert theirs.take("k", seconds=10) == 2
    mine.give_back("k", 1)  # what was taken over is the other's
    assert mine.take("k", seconds=10) is None
    theirs.give_back("k", 2)
    assert mine.take("k", seconds=10) == 3
    log.close()


def test_a_leader_that_was_too_slow_attests_nothing(address: str) -> None:
    clock = SetClock()
    log = EventLog.open(address, clock=clock, ids=Ids())
    store = CacheStore(Ledger(log, KeyRing.in_memory()), clock=clock)
    given = draft()
    prepared = prepare(given, book().of("facts"), phase=4, findings=(), embedding_model="", supersedes="", now=NOW)
    key = f"local/{prepared.payload['scope_key']}"
    slow, other = Leases(log), Leases(log)
    assert slow.take(key, seconds=1) == 1
    clock.forward(seconds=2)
    assert other.take(key, seconds=60) == 2
    with pytest.raises(EntryRefusedError) as caught:
        store.attest(prepared, leases=slow)
    assert (caught.value.reason, log.events()) == ("taken_over", [])
    assert store.attest(prepared, leases=other).state == "attested"
    log.close()


def test_a_log_of_one_process_needs_no_lease() -> None:
    log = EventLog.open(":memory:", clock=SetClock(), ids=Ids())
    assert not log.is_shared
    log.close()
