"""What a person stands for and has undertaken."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from rqa_checkpoints.errors import RefusedTextError, RuleBrokenError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, Status
from tests.support.memories import ANN, open_memory


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened
        assert opened.state_hash() == opened.log.replayed_hash()


def _drawn(memory: ProvenanceMemory, node: MemoryNode) -> set[tuple[str, str]]:
    return {(edge.kind, edge.dst) for edge in memory.show(node.id, scope=ANN).edges if edge.src == node.id}


def _days(node: MemoryNode) -> float:
    return (datetime.fromisoformat(node.expires_at) - datetime.fromisoformat(node.recorded_at)) / timedelta(days=1)


@pytest.mark.parametrize(
    ("value", "intention", "commitment", "task"),
    [
        ("Health comes first.", "I want to run a half-marathon.", "I run on Sundays.", "Buy shoes."),
        ("健康を第一に考える。", "ハーフマラソンを走りたい。", "日曜日に走る。", "靴を買う。"),
    ],
)
def test_what_is_declared_serves_what_was_declared_before(
    memory: ProvenanceMemory, value: str, intention: str, commitment: str, task: str
) -> None:
    first = memory.persona.declare(Kind.value, value, scope=ANN)
    second = memory.persona.declare(Kind.intention, intention, scope=ANN, serves=first.handle)
    third = memory.persona.declare(Kind.commitment, commitment, scope=ANN, serves=second.handle)
    fourth = memory.tasks.commit(task, scope=ANN, serves=third.handle)
    assert [node.kind for node in (first, second, third, fourth)] == ["value", "intention", "commitment", "task"]
    assert {node.source for node in (first, second, third, fourth)} == {SourceClass.user}
    assert _drawn(memory, second) == {("derived_from", first.id)}
    assert _drawn(memory, third) == {("fulfills", second.id)}
    assert _drawn(memory, fourth) == {("fulfills", third.id)}
    assert (first.expires_at, second.expires_at, _days(third), _days(fourth)) == ("", "", 14, 30)
    again = memory.persona.declare(Kind.commitment, commitment, scope=ANN, lifetime=timedelta(days=3))
    assert (again.id, again.seen) == (third.id, 2)
    assert again.expires_at < third.expires_at


def test_what_cannot_be_declared_or_served_is_refused_and_nothing_is_written(memory: ProvenanceMemory) -> None:
    value = memory.persona.declare(Kind.value, "Health comes first.", scope=ANN)
    guess = memory.add("You value rest.", scope=ANN, source=SourceClass.assistant, author="m", kind=Kind.value)
    before = memory.state_hash()
    with pytest.raises(RuleBrokenError, match="nobody declares a note"):
        memory.persona.declare(Kind.note, "x", scope=ANN)
    with pytest.raises(RefusedTextError, match="a question is no value"):
        memory.persona.declare(Kind.value, "What matters?", scope=ANN)
    with pytest.raises(RuleBrokenError, match="cannot serve"):
        memory.persona.declare(Kind.value, "Rest.", scope=ANN, serves=value.id)
    with pytest.raises(RuleBrokenError, match="of 'assistant'"):
        memory.persona.declare(Kind.intention, "I want to rest.", scope=ANN, serves=guess.id)
    assert memory.state_hash() == before


def test_a_task_is_started_completed_and_then_has_no_end(memory: ProvenanceMemory) -> None:
    task = memory.tasks.commit("Order the frames.", scope=ANN)
    started = memory.tasks.start(task.handle, scope=ANN)
    assert (started.status, started.expires_at > task.expires_at) == (Status.revisited, True)
    done, outcome = memory.tasks.complete(task.handle, "Forty came.", scope=ANN)
    assert (done.status, done.expires_at, outcome.source) == (Status.resolved, "", SourceClass.user)
    assert _drawn(memory, outcome) == {("completed", task.id)}
    for call in (memory.tasks.complete, memory.tasks.abandon):
        with pytest.raises(RuleBrokenError, match="cannot become"):
            call(task.id, "Again.", scope=ANN)
    again = memory.tasks.start(task.id, scope=ANN)
    assert (again.status, bool(again.expires_at)) == (Status.revisited, True)
    given_up = memory.tasks.abandon(memory.tasks.commit("Paint it.", scope=ANN).id, "No time.", scope=ANN)
    assert (given_up.task.status, _drawn(memory, given_up.words)) == (
        Status.abandoned,
        {("abandoned", given_up.task.id)},
    )


def test_a_blocked_task_waits_and_no_circle_is_drawn(memory: ProvenanceMemory) -> None:
    first, second, third = (memory.tasks.commit(f"Step {n}.", scope=ANN) for n in "abc")
    assert memory.tasks.depend(second.id, first.id, scope=ANN, blocking=True)
    assert memory.tasks.depend(third.id, second.id, scope=ANN)
    for on in (third, first):
        with pytest.raises(RuleBrokenError, match="waits for"):
            memory.tasks.depend(first.id, on.id, scope=ANN)
    with pytest.raises(RuleBrokenError, match="is blocked by"):
        memory.tasks.start(second.id, scope=ANN)
    memory.tasks.start(third.id, scope=ANN)
    memory.tasks.complete(first.id, "Done.", scope=ANN)
    memory.tasks.start(second.id, scope=ANN)
    with pytest.raises(RuleBrokenError, match="no task"):
        memory.tasks.start(memory.add("I keep bees.", scope=ANN, source=SourceClass.user, author="ann").id, scope=ANN)
