"""A process killed between attest and commit, or before its entry is indexed, leaves no orphan and no duplicate."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from rqa_checkpoints.cache.records import Ask
from rqa_checkpoints.cache.rows import ATTEST, COMMIT
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.services import AppServices
from rqa_graph.upkeep import finish_interrupted
from tests.support.deliberate_and_die import STEPS, lake_services, question


def test_what_was_attested_before_a_kill_is_an_entry_after_it_once(
    tmp_path: Path, request: pytest.FixtureRequest, programs: Path
) -> None:
    kills = 150 if request.config.getoption("--full") else 15  # 50, or 5, at each step
    home, documents = tmp_path / "home", tmp_path / "documents"
    command: list[str | Path] = [programs / "python", "-m", "tests.support.deliberate_and_die", home, documents]
    command.append(str(kills))
    lines = "".join(f"{STEPS[number % len(STEPS)]} {number}\n" for number in range(kills))
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=1_800, check=True)
    assert done.stdout.split() == [str(-signal.SIGKILL)] * kills, done.stderr[-2000:]
    services = lake_services(home, documents, kills)
    store = services.answer_library.store
    cut_off = range(0, kills, len(STEPS))
    assert len(store.orphans(tenant="local")) == len(cut_off)
    assert len(store.entries(tenant="local")) == kills - len(cut_off)
    for number in cut_off:  # what was attested and not committed is not served
        assert services.answer_library.cache.look(_ask(number)).outcome.value != "hit"
    finished = finish_interrupted(services, tenant="local")
    assert len(finished) == len(set(finished)) == len(cut_off)
    assert finish_interrupted(services, tenant="local") == []
    events = [event.op for event in services.memory.log.events(after=0, limit=10 * kills)]
    assert (events.count(ATTEST), events.count(COMMIT)) == (kills, kills)
    for number in range(kills):
        again = answer_with_integrity(question(number), services=services)
        assert (again["source"], again["answer"].split(" [")[0]) == (
            "integrity_cache_exact",
            f"Lake {number} is {number + 10} metres deep",
        )
    assert _indexed(services, kills)  # every question once, whichever process wrote its vector
    log = services.memory.log
    assert log.verify_chain() is None
    assert log.state_hash() == log.replayed_hash()
    services.close()


def _indexed(services: AppServices, kills: int) -> bool:
    cache = services.answer_library.cache
    cache.look(_ask(kills))
    index = cache._questions()
    assert index is not None
    far = index.embed("anything")
    found = [scored.id for scored in index.nearest(far, _ask(kills), limit=2 * kills)]
    wanted = {entry.id for entry in services.answer_library.store.entries(tenant="local")}
    return len(found) == len(wanted) and set(found) == wanted


def _ask(number: int) -> Ask:
    return Question(text=question(number), domain="facts").ask("local", listed=True)
