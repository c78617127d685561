"""A process that is killed between attest and commit, or right after it, leaves no orphan and no duplicate."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from rqa_checkpoints.cache.records import Ask
from rqa_checkpoints.cache.rows import ATTEST, COMMIT
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.upkeep import finish_interrupted
from tests.support.deliberate_and_die import STEPS, lake_services, question


def test_what_was_attested_before_a_kill_is_an_entry_after_it_once(tmp_path: Path, kills: int) -> None:
    home, documents = tmp_path / "home", tmp_path / "documents"
    command = [sys.executable, "-m", "tests.support.deliberate_and_die", str(home), str(documents), str(kills)]
    lines = "".join(f"{STEPS[number % 2]} {number}\n" for number in range(kills))
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=550, check=True)
    assert done.stdout.split() == [str(-signal.SIGKILL)] * kills, done.stderr[-2000:]
    services = lake_services(home, documents, kills)
    store = services.answer_library.store
    assert len(store.orphans(tenant="local")) == (kills + 1) // 2
    assert len(store.entries(tenant="local")) == kills // 2
    for number in range(0, kills, 2):  # what was attested and not committed is not served
        assert services.answer_library.cache.look(_ask(number)).outcome.value == "miss"
    finished = finish_interrupted(services, tenant="local")
    assert len(finished) == len(set(finished)) == (kills + 1) // 2
    assert finish_interrupted(services, tenant="local") == []
    events = [event.op for event in services.memory.log.events(after=0, limit=10 * kills)]
    assert (events.count(ATTEST), events.count(COMMIT)) == (kills, kills)
    for number in range(kills):
        again = answer_with_integrity(question(number), services=services)
        assert (again["source"], again["answer"].split(" [")[0]) == (
            "integrity_cache_exact",
            f"Lake {number} is {number + 10} metres deep",
        )
    log = services.memory.log
    assert log.verify_chain() is None
    assert log.state_hash() == log.replayed_hash()
    services.close()


def _ask(number: int) -> Ask:
    return Question(text=question(number), domain="facts").ask("local", listed=True)
