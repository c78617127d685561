"""The queue keeps what it was given, lets exactly one decision through, and is the log that it lies in."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, update

from rqa_checkpoints import tables
from rqa_checkpoints.errors import (
    AlreadyDecidedError,
    CheckpointError,
    QueueFullError,
    RuleBrokenError,
    StaleVersionError,
    UnknownProposalError,
)
from rqa_checkpoints.proposals import Adopted, Attestation, Effect, Proposal, QueueStatus, adoption
from rqa_checkpoints.provenance import TurnPart
from rqa_checkpoints.review_queue import MAX_PAYLOAD_BYTES, MAX_PENDING, Effects
from tests.support.memories import ANN, AT, BOB, log_at, open_memory, tamper

pytestmark = pytest.mark.log_contract

HABIT = Proposal(kind="habit", payload={"line": "ask about time"}, requester="engine", key="k1")


def _decision(item: str, *, version: int = 1, by: str = "mio", thread: str = "t1", reject: bool = False) -> Attestation:
    return Attestation(
        item=item, version=version, verdict="reject" if reject else "approve", by=by, at=AT, thread=thread, note="so"
    )


def _adopting(attestation: Attestation, *lines: str) -> Effects:
    def plan(read: Callable[[str], Adopted | None]) -> Sequence[Effect]:
        return [adoption("habits", {"lines": list(lines)}, current=read("habits"), attestation=attestation)]

    return plan


def _nothing(_read: Callable[[str], Adopted | None]) -> Sequence[Effect]:
    return ()


def test_what_is_put_is_listed_for_its_person_alone_and_once() -> None:
    with open_memory() as memory:
        first = memory.queue.put(HABIT, scope=ANN, at=AT)
        assert memory.queue.put(replace(HABIT, payload={"line": "other"}), scope=ANN, at=AT) == ("known", first.id)
        assert first.state == "queued"
        (item,) = memory.queue.items(scope=ANN)
        assert (item.id, item.version, item.status, dict(item.payload)) == (first.id, 1, "pending", HABIT.payload)
        assert memory.queue.items(scope=BOB) == []
        with pytest.raises(UnknownProposalError, match=first.id):
            memory.queue.get(first.id, scope=BOB)


def test_an_edit_is_the_next_version_and_the_one_that_was_seen_before_decides_nothing() -> None:
    with open_memory() as memory:
        item = memory.queue.put(HABIT, scope=ANN, at=AT).id
        edited = memory.queue.revise(item, {"line": "ask who"}, scope=ANN, version=1, by="mio", at=AT)
        assert (edited.version, dict(edited.payload), edited.edited_by) == (2, {"line": "ask who"}, "mio")
        assert memory.queue.revise(item, {"line": "ask who"}, scope=ANN, version=1, by="mio", at=AT) == edited
        with pytest.raises(StaleVersionError, match="version 2"):
            memory.queue.decide(_decision(item), scope=ANN, effects=_nothing)
        with pytest.raises(StaleVersionError):
            memory.queue.revise(item, {"line": "x"}, scope=ANN, version=1, by="mio", at=AT)
        assert memory.queue.get(item, scope=ANN) == edited


def test_a_decision_stands_and_the_very_same_one_again_is_no_second() -> None:
    with open_memory() as memory:
        item = memory.queue.put(HABIT, scope=ANN, at=AT).id
        decision = _decision(item)
        done = memory.queue.decide(decision, scope=ANN, effects=_adopting(decision, "ask"))
        assert (done.state, done.item.status, done.item.decided_by, done.item.note) == (
            "decided",
            "approved",
            "mio",
            "so",
        )
        head = memory.log.head()
        assert memory.queue.decide(decision, scope=ANN, effects=_adopting(decision, "ask")).state == "repeated"
        for other in (replace(decision, by="juno"), replace(decision, thread="t2"), _decision(item, reject=True)):
            with pytest.raises(AlreadyDecidedError, match="mio"):
                memory.queue.decide(other, scope=ANN, effects=_adopting(other, "ask"))
        with pytest.raises(AlreadyDecidedError):
            memory.queue.revise(item, {"line": "x"}, scope=ANN, version=1, by="juno", at=AT)
        assert memory.log.head() == head
        assert [row.version for row in memory.queue.history("habits", scope=ANN)] == [1]


def test_a_rejection_brings_nothing_about() -> None:
    with open_memory() as memory:
        item = memory.queue.put(HABIT, scope=ANN, at=AT).id
        no = _decision(item, reject=True)
        assert memory.queue.decide(no, scope=ANN, effects=_adopting(no, "x")).item.status is QueueStatus.rejected
        assert memory.queue.areas(scope=ANN) == []


def test_where_what_it_brings_about_fails_there_was_no_decision() -> None:
    def fails(_read: Callable[[str], Adopted | None]) -> Sequence[Effect]:
        raise RuleBrokenError("no")

    with open_memory() as memory:
        item = memory.queue.put(HABIT, scope=ANN, at=AT).id
        with pytest.raises(RuleBrokenError):
            memory.queue.decide(_decision(item), scope=ANN, effects=fails)
        assert memory.queue.get(item, scope=ANN).status is QueueStatus.pending


def test_of_many_decisions_at_once_exactly_one_wins(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        items = [memory.queue.put(replace(HABIT, key=f"k{n}"), scope=ANN, at=AT).id for n in range(4)]

        def decide(number: int) -> str:
            decision = _decision(items[number % 4], by=f"p{number}", thread=f"t{number}", reject=number % 3 == 0)
            try:
                memory.queue.decide(decision, scope=ANN, effects=_adopting(decision, decision.by))
            except AlreadyDecidedError:
                return ""
            return decision.by

        with ThreadPoolExecutor(8) as pool:
            winners = [by for by in pool.map(decide, range(24)) if by]
        found = memory.queue.items(scope=ANN)
        assert sorted(winners) == sorted(item.decided_by for item in found)
        assert len([event for event in memory.log.events() if event.op == "decide"]) == 4
        approved = [item for item in found if item.status is QueueStatus.approved]
        assert [row.version for row in memory.queue.history("habits", scope=ANN)] == [*range(1, len(approved) + 1)]
        assert memory.verify_chain() is None


def test_the_queue_takes_no_more_than_it_can_show_and_nothing_huge() -> None:
    with open_memory() as memory:
        for number in range(MAX_PENDING):
            memory.queue.put(replace(HABIT, key=f"k{number}"), scope=ANN, at=AT)
        with pytest.raises(QueueFullError):
            memory.queue.put(replace(HABIT, key="one more"), scope=ANN, at=AT)
        memory.queue.put(replace(HABIT, kind="other"), scope=ANN, at=AT)
        huge = {"line": "x" * MAX_PAYLOAD_BYTES}
        with pytest.raises(QueueFullError):
            memory.queue.put(replace(HABIT, payload=huge), scope=BOB, at=AT)
        item = memory.queue.put(HABIT, scope=BOB, at=AT).id
        with pytest.raises(QueueFullError):
            memory.queue.revise(item, huge, scope=BOB, version=1, by="mio", at=AT)


def test_a_turn_leaves_its_proposal_with_its_words_or_neither() -> None:
    part = TurnPart(
        scope=ANN, thread="th", turn_id="t1", part="answer", recorded_at=AT, reply_text="So.", proposals=(HABIT,)
    )
    with open_memory() as memory:
        assert memory.commit(part).state == "written"
        assert memory.commit(part).state == "repeated"
        assert [item.requester for item in memory.queue.items(scope=ANN)] == ["engine"]


def test_rolling_back_restores_the_state_before_again_and_again() -> None:
    with open_memory() as memory:
        for number in range(1, 4):
            item = memory.queue.put(replace(HABIT, key=f"k{number}"), scope=ANN, at=AT).id
            decision = _decision(item)
            memory.queue.decide(decision, scope=ANN, effects=_adopting(decision, *"abc"[:number]))
        queue = memory.queue
        options: dict[str, Any] = {"scope": ANN, "by": "mio", "at": AT}
        with pytest.raises(StaleVersionError):
            queue.rollback("habits", version=2, **options)
        seen = [dict(queue.rollback("habits", **options).content) for _ in range(3)]
        assert seen == [{"lines": ["a", "b"]}, {"lines": ["a"]}, {}]
        with pytest.raises(RuleBrokenError):
            queue.rollback("habits", **options)
        again = queue.rollback("habits", to=3, **options)
        assert (again.version, again.restores, again.is_rollback) == (7, 3, True)
        assert dict(again.content) == {"lines": ["a", "b", "c"]}
        with pytest.raises(RuleBrokenError, match="99"):
            queue.rollback("habits", to=99, **options)
        with pytest.raises(RuleBrokenError, match="nobody"):
            queue.rollback("nothing", **options)
        assert memory.log.replayed_hash() == memory.log.state_hash()


_PUTS = """
import sys
from tests.support.memories import ANN, AT, log_places, open_memory
from tests.checkpoints.test_review_queue import HABIT, _adopting, _decision
from dataclasses import replace
if sys.argv[3]:
    log_places.append(lambda _home: sys.argv[3])
memory = open_memory(sys.argv[1], ids=sys.argv[2])
for number in range(10_000):
    item = memory.queue.put(replace(HABIT, key=f"{sys.argv[2]}{number}"), scope=ANN, at=AT).id
    print("put", item, flush=True)
    decision = _decision(item)
    memory.queue.decide(decision, scope=ANN, effects=_adopting(decision, item))
    print("decided", item, flush=True)
"""


def test_a_killed_process_loses_nothing_that_it_said_was_there(tmp_path: Path, programs: Path) -> None:
    told: list[tuple[str, str]] = []
    for series in ("a", "b", "c"):
        command: list[str | Path] = [programs / "python", "-c", _PUTS, tmp_path, series, log_at(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(9):
                word, item = process.stdout.readline().split()
                told.append((word, item))
            process.kill()
            process.communicate()  # it has ended when its words have
    with open_memory(tmp_path, read_only=True) as memory:
        found = {item.id: item.status for item in memory.queue.items(scope=ANN, limit=1000)}
        assert {item for _, item in told} <= found.keys()
        assert all(found[item] is QueueStatus.approved for word, item in told if word == "decided")
        approved = [item for item, status in found.items() if status is QueueStatus.approved]
        adopted = [row.item for row in memory.queue.history("habits", scope=ANN)]
        assert sorted(adopted) == sorted(approved)
        assert memory.verify_chain() is None


def _set(seq: int, **values: str) -> Callable[[Connection], int]:
    statement = update(tables.event).where(tables.event.c.seq == seq).values(values)
    return lambda connection: connection.execute(statement).rowcount


class TestTheLogOfATurn:
    def test_is_walked_once_and_then_only_what_is_new(self, tmp_path: Path) -> None:
        with open_memory(tmp_path) as memory:
            assert memory.is_intact()
            memory.queue.put(HABIT, scope=ANN, at=AT)
            assert memory.is_intact()
            memory.queue.put(replace(HABIT, key="k2"), scope=ANN, at=AT)
            tamper(tmp_path, _set(2, body="{}"))
            assert not memory.is_intact()
            assert not memory.is_intact()
            assert memory.verify_chain() == 2

    def test_is_found_broken_when_it_was_changed_before_the_process_began(self, tmp_path: Path) -> None:
        with open_memory(tmp_path) as memory:
            memory.queue.put(HABIT, scope=ANN, at=AT)
        tamper(tmp_path, _set(1, at="1999"))
        with open_memory(tmp_path) as memory:
            assert not memory.is_intact()


def test_every_refusal_of_the_queue_says_what_to_do() -> None:
    with open_memory() as memory:
        item = memory.queue.put(HABIT, scope=ANN, at=AT).id
        memory.queue.decide(_decision(item), scope=ANN, effects=_nothing)
        calls: list[Callable[[], object]] = [
            lambda: memory.queue.get("q0", scope=ANN),
            lambda: memory.queue.decide(_decision(item, by="x"), scope=ANN, effects=_nothing),
        ]
        for call in calls:
            with pytest.raises(CheckpointError) as refused:
                call()
            assert refused.value.hint
