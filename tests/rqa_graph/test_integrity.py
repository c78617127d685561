"""The library is asked first, a stored answer is given only with proof, and a crowd costs one deliberation."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from rqa_checkpoints.cache.rows import ATTEST, COMMIT, RUN
from rqa_checkpoints.errors import CachePolicyError
from rqa_checkpoints.provenance import CACHE_USER, Scope
from rqa_graph.errors import EmptyInputError, TooLargeError
from rqa_graph.flights import SingleFlight
from rqa_graph.integrity import Question, aanswer_with_integrity, answer_with_integrity
from rqa_graph.services import AppServices
from rqa_nodes.deliberate.body import body
from tests.support.caches import SetClock
from tests.support.deliberations import ANSWERS, Sage, answering, deliberating_services
from tests.support.turns import FORMS, Form

FUJI = "How tall is Mount Fuji?"
forms = pytest.mark.parametrize("form", FORMS)


def _ask(services: AppServices, question: str | Question = FUJI, *, form: Form = "sync") -> dict[str, Any]:
    if form == "async":
        return asyncio.run(aanswer_with_integrity(question, services=services))
    return answer_with_integrity(question, services=services)


def _ops(services: AppServices) -> list[str]:
    return [event.op for event in services.memory.log.events(after=0, limit=500)]


@forms
def test_the_second_time_no_model_is_asked(form: Form, tmp_path: Path) -> None:
    sages = answering()
    services = deliberating_services(tmp_path, sages)
    first, second = _ask(services, form=form), _ask(services, "how tall is Mount Fuji？", form=form)
    assert (first["source"], second["source"]) == ("deliberation", "integrity_cache_exact")
    assert (first["answer"], first["ledgerTx"]) == (second["answer"], second["ledgerTx"])
    assert (second["trace"]["cacheHit"], second["trace"]["hitKind"]) == (True, "exact")
    assert second["trace"]["matchedQuestion"] == FUJI
    assert all(len(sage.prompts) == 1 for sage in sages.values())
    assert set(first) == set(second) == set(body())


def test_a_hit_gives_sources_that_the_answer_cites(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    _ask(services)
    hit = _ask(services)
    handles = {row["handle"] for row in hit["sources"]}
    assert any(f"[m:{handle}]" in hit["answer"] for handle in handles)
    assert all(row["span"] in (tmp_path / row["locator"]).read_text("utf-8") for row in hit["sources"])


@forms
def test_a_hundred_who_ask_at_once_cost_one_deliberation(form: Form, tmp_path: Path) -> None:
    def slowly(_parts: Any) -> str:
        time.sleep(0.1)
        return ANSWERS["a"]

    sages = {**answering(), "alpha:1": Sage("scripted:alpha1", slowly)}
    services = deliberating_services(tmp_path, sages)
    _ = services.answer_library
    if form == "async":

        async def crowd() -> list[dict[str, Any]]:
            return await asyncio.gather(*(aanswer_with_integrity(FUJI, services=services) for _ in range(100)))

        found = asyncio.run(crowd())
    else:
        start = Barrier(100)

        def one(_number: int) -> dict[str, Any]:
            start.wait()
            return _ask(services)

        with ThreadPoolExecutor(100) as pool:
            found = list(pool.map(one, range(100)))
    assert len({row["ledgerTx"] for row in found}) == 1
    assert all(row["status"] == "ok" for row in found)
    assert [len(sage.prompts) for sage in sages.values()] == [1, 1, 1]
    ops = _ops(services)
    assert (ops.count(ATTEST), ops.count(COMMIT), ops.count(RUN)) == (1, 1, 1)
    assert sum(row["source"] == "deliberation" and row["trace"]["singleFlight"] == "leader" for row in found) == 1


def test_what_may_not_be_kept_is_never_shared(tmp_path: Path) -> None:
    sages = answering()
    services = deliberating_services(tmp_path, sages)
    for _ in range(2):
        done = _ask(services, Question(text=FUJI, domain="facts", cacheable=False))
        assert (done["status"], done["trace"]["singleFlight"], done["trace"]["bypassReason"]) == (
            "ok",
            "none",
            "not_cacheable",
        )
    assert len(sages["alpha:1"].prompts) == 2
    assert _ops(services).count(ATTEST) == 0


@pytest.mark.parametrize(
    ("changes", "asked", "kept"),
    [
        ({"bypass_cache": True}, 2, 2),
        ({"no_store": True}, 1, 1),
        ({"as_of": "2020-01-01"}, 2, 1),
        ({"domain": "gossip"}, 2, 1),
    ],
)
def test_reading_and_writing_are_switched_off_one_by_one(
    changes: dict[str, Any], asked: int, kept: int, tmp_path: Path
) -> None:
    sages = answering()
    services = deliberating_services(tmp_path, sages)
    _ask(services)
    _ask(services, Question(**{"text": FUJI, "domain": "facts", **changes}))
    assert len(sages["alpha:1"].prompts) == asked
    assert _ops(services).count(ATTEST) == kept


def test_a_stored_answer_that_the_verifier_would_change_is_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = deliberating_services(tmp_path, answering())
    _ask(services)
    (entry,) = services.answer_library.store.entries(tenant="local")
    monkeypatch.setattr("rqa_graph.integrity.is_as_verified", lambda *_: False)
    again = _ask(services)
    assert (again["source"], again["trace"]["bypassReason"]) == ("deliberation", "not_verified")
    assert services.answer_library.store.get(entry.id, tenant="local").quarantined


def test_a_flagged_answer_is_not_given_again_and_the_reason_is_named(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, {"alpha:1": Sage("builtin", ANSWERS["a"])})
    full = deliberating_services(tmp_path, answering())
    _ask(full)
    (entry,) = full.answer_library.store.entries(tenant="local")
    full.flag(entry.id, tenant="local", by="ann", note="no")
    found = full.answer_library.cache.look(Question(text=FUJI, domain="facts").ask("local", listed=True))
    assert (found.outcome.value, found.reason.value) == ("miss", "not_servable")
    services.close()


def test_an_expired_answer_is_deliberated_on_again(tmp_path: Path) -> None:
    clock, sages = SetClock(), answering()
    services = deliberating_services(tmp_path, sages, clock=clock)
    first = _ask(services)
    clock.forward(days=366)
    second = _ask(services)
    assert second["trace"]["bypassReason"] == "expired"
    assert second["ledgerTx"] != first["ledgerTx"]
    assert len(services.answer_library.store.entries(tenant="local")) == 1


@pytest.mark.parametrize(
    ("text", "error"), [("", EmptyInputError), (" ？", EmptyInputError), ("x" * 2001, TooLargeError)]
)
def test_what_is_no_question_is_refused_before_anything_is_written(
    text: str, error: type[Exception], tmp_path: Path
) -> None:
    services = deliberating_services(tmp_path, answering())
    with pytest.raises(error):
        _ask(services, text)
    assert _ops(services) == []


def test_a_threshold_that_there_is_none_of_is_refused(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    with pytest.raises(CachePolicyError):
        _ask(services, Question(text=FUJI, domain="facts", tighten={"speed": 3}))


def test_personal_questions_are_answered_and_leave_no_word(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path, answering())
    done = _ask(services, "My doctor says my blood pressure is high. How tall is Mount Fuji?")
    assert done["trace"]["bypassReason"] == "personal"
    assert services.memory.queue.items(scope=Scope("local", CACHE_USER)) == []
    assert "blood" not in str([(e.public(), e.private) for e in services.memory.log.events(after=0, limit=99)])


class TestFlights:
    def test_a_leader_that_fails_hands_over_and_keeps_its_error_to_itself(self) -> None:
        flights, calls = SingleFlight(), []
        start = Barrier(8)

        def work() -> str:
            calls.append(1)
            time.sleep(0.05)
            if len(calls) == 1:
                raise ValueError("first")
            return "found"

        def one(_number: int) -> str:
            start.wait()
            try:
                return flights.run("k", work).result
            except ValueError:
                return "failed"

        with ThreadPoolExecutor(8) as pool:
            results = sorted(pool.map(one, range(8)))
        assert results == ["failed", *["found"] * 7]
        assert len(calls) == 2

    def test_a_follower_waits_only_so_long(self) -> None:
        flights = SingleFlight(wait_s=0.05)
        with ThreadPoolExecutor(2) as pool:
            leader = pool.submit(flights.run, "k", lambda: time.sleep(0.4))
            time.sleep(0.1)
            with pytest.raises(TimeoutError):
                flights.run("k", lambda: None)
            assert leader.result().role == "leader"

    def test_keys_do_not_wait_for_each_other(self) -> None:
        flights = SingleFlight(wait_s=0.05)
        assert flights.run("a", lambda: flights.run("b", lambda: 1).result).result == 1
