"""Putting a memory in order: proposals, a person's yes above twenty, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from rqa_checkpoints.curation import AT_ONCE
from rqa_checkpoints.errors import RuleBrokenError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Attestation, Kind, SourceClass, Status
from rqa_graph.curating import contradictions, curate, proposals
from rqa_nodes.curation import CURATION
from rqa_nodes.errors import ProposalRefusedError
from tests.support.memories import ANN, BOB, open_memory, take_turn

USER, ASSISTANT = SourceClass.user, SourceClass.assistant
NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened
        assert opened.verify_chain() is None
        assert opened.state_hash() == opened.log.replayed_hash()


def said(memory: ProvenanceMemory, text: str, source: SourceClass = USER, kind: Kind | None = None) -> str:
    return memory.add(text, scope=ANN, source=source, author="x", kind=kind).id


def fill(memory: ProvenanceMemory) -> None:
    for text in ("The backup job is late.", "The backup job is late!", "I live in Lund.", "I live in Malmö now."):
        said(memory, text)
    said(memory, "血液型はB型です。")
    said(memory, "血液型はA型です。")
    question = said(memory, "Is the pump loud?", ASSISTANT)
    memory.relate(said(memory, "The pump hums."), question, "answers", scope=ANN)
    said(memory, "Why do you keep bees?", ASSISTANT)


def test_proposals_name_what_is_double_changed_contradicting_answered_and_stale(memory: ProvenanceMemory) -> None:
    fill(memory)
    before = memory.state_hash()
    found = proposals(memory, scope=ANN, now=NOW)
    assert [(one.reason, one.op, one.name) for one in found] == [
        ("duplicate", "merge", ""),
        ("update", "relate", "supersedes"),
        ("contradiction", "relate", "contradicts"),
        ("answered", "status", "revisited"),
        ("answered", "status", "resolved"),
    ]
    later = proposals(memory, scope=ANN, now=NOW + timedelta(days=91))
    assert [(one.reason, one.shown[0][9:]) for one in later][5:] == [("stale", "Why do you keep bees?")]
    assert proposals(memory, scope=BOB, now=NOW) == []
    assert memory.state_hash() == before


def test_few_changes_are_made_at_once_and_taken_back_whole(memory: ProvenanceMemory) -> None:
    fill(memory)
    before = memory.graph(scope=ANN).export()
    done = curate(memory, proposals(memory, scope=ANN, now=NOW), scope=ANN, now=NOW, ask=False)
    assert proposals(memory, scope=ANN, now=NOW) == []
    assert [row["id"] for row in memory.curations(scope=ANN)] == [done.batch]
    assert memory.curations(scope=BOB) == []
    with pytest.raises(RuleBrokenError, match="no curation"):
        memory.uncurate(done.batch, scope=BOB)
    assert memory.uncurate(done.batch, scope=ANN) == 5
    assert memory.graph(scope=ANN).export() == before
    with pytest.raises(RuleBrokenError, match="no curation"):
        memory.uncurate(done.batch, scope=ANN)


def test_what_was_changed_since_stays_when_a_curation_is_taken_back(memory: ProvenanceMemory) -> None:
    fill(memory)
    done = curate(memory, proposals(memory, scope=ANN, now=NOW), scope=ANN, now=NOW, ask=False)
    question = next(n for n in memory.list(scope=ANN) if n.text == "Is the pump loud?")
    memory.set_status(question.id, Status.archived, scope=ANN)
    assert memory.uncurate(done.batch, scope=ANN) == 3
    assert memory.get([question.id], scope=ANN)[0].status is Status.archived


def test_more_than_twenty_wait_for_a_person_and_an_approval_leaves_out_what_does_not_fit(
    memory: ProvenanceMemory,
) -> None:
    pairs = [
        (said(memory, f"The {name} house has a red door."), said(memory, f"The {name} house has a red door!"))
        for name in ("alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel", "ivy", "juniper", "larch")
    ]
    changes = proposals(memory, scope=ANN, now=NOW)
    many = (changes * 2)[: AT_ONCE + 1]
    assert len(changes) == len(pairs)
    with pytest.raises(RuleBrokenError, match="at once"):
        memory.curate(many, scope=ANN)
    done = curate(memory, many, scope=ANN, now=NOW, ask=False)
    assert (done.batch, len(done.queued)) == ("", 2)
    waiting = memory.queue.get(done.queued[0], scope=ANN)
    assert len(memory.list(scope=ANN, limit=100)) == 2 * len(pairs)
    assert "red door" in CURATION.render(waiting.payload, lambda _area: None, "ja")
    memory.forget(changes[0].item, scope=ANN)
    yes = Attestation(item=waiting.id, version=1, verdict="approve", by="ann", at="2026-03-02", thread="t")
    checked = CURATION.check(waiting.payload)
    memory.queue.decide(yes, scope=ANN, effects=lambda read: CURATION.apply(checked, read, yes))
    assert len(memory.list(scope=ANN, limit=100)) == len(pairs)
    assert memory.curations(scope=ANN)[0]["by"] == "ann"
    memory.uncurate(waiting.id, scope=ANN)
    assert len(memory.list(scope=ANN, limit=100)) == 2 * len(pairs) - 1


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"changes": []},
        {"changes": "all"},
        {"changes": [{}] * 21},
        {"changes": [{"op": "erase"}]},
        {"changes": [dict.fromkeys(("op", "item", "other", "name", "was", "reason"), "x") | {"shown": []}]},
    ],
)
def test_a_payload_that_is_none_is_refused(payload: dict[str, object]) -> None:
    with pytest.raises(ProposalRefusedError):
        CURATION.check(payload)


def test_a_revalidated_claim_counts_as_said_now_and_guesses_contradict_nobody(memory: ProvenanceMemory) -> None:
    old, new = said(memory, "I live in Lund."), said(memory, "I live in Malmö.")
    said(memory, "You live in Ystad.", ASSISTANT)
    [found] = contradictions(memory, scope=ANN)
    assert (found.earlier.id, found.later.id) == (old, new)
    memory.revalidate(old, scope=ANN)
    [found] = contradictions(memory, scope=ANN)
    assert (found.earlier.id, found.later.id) == (new, old)


def test_a_question_that_only_the_assistant_answered_stays_open(memory: ProvenanceMemory) -> None:
    take_turn(memory, "Are bees loud?", "They hum softly.", turn="t1")
    assert proposals(memory, scope=ANN, now=NOW) == []
