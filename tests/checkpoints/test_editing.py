"""The verbs with which a person puts their memory in order: each leaves what was said as it was, and can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest

from rqa_checkpoints.errors import RuleBrokenError, UnknownNodeError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, Status
from rqa_checkpoints.writing import FOREVER
from rqa_graph.erasing import Eraser
from tests.support.memories import ANN, BOB, Clock, Ids, open_memory, take_turn

USER, ASSISTANT, EXTERNAL = SourceClass.user, SourceClass.assistant, SourceClass.external


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened
        assert opened.verify_chain() is None
        assert opened.state_hash() == opened.log.replayed_hash()


def guess(memory: ProvenanceMemory, text: str = "Maybe you are afraid of failing.") -> MemoryNode:
    return memory.add(text, scope=ANN, source=ASSISTANT, author="m")


def said(memory: ProvenanceMemory, text: str, kind: Kind | None = None) -> MemoryNode:
    return memory.add(text, scope=ANN, source=USER, author="ann", kind=kind)


@pytest.mark.parametrize(
    ("lang", "yes", "no", "text"),
    [
        ("en", "Yes.", "No.", "Maybe you are afraid of failing."),
        ("ja", "はい。", "いいえ。", "失敗を恐れているのかもしれません。"),
    ],
)
def test_a_confirmation_is_a_new_item_of_the_users_and_the_guess_stays_a_guess(
    memory: ProvenanceMemory, lang: Literal["en", "ja"], yes: str, no: str, text: str
) -> None:
    node = guess(memory, text)
    confirmed = memory.confirm(node.handle, scope=ANN, lang=lang)
    assert (confirmed.source, confirmed.text, confirmed.derived_from) == (USER, yes, (node.id,))
    assert confirmed.origin == (ASSISTANT, USER)
    denied = memory.deny(node.handle, scope=ANN, lang=lang)
    assert (denied.source, denied.text, denied.derived_from, denied.origin) == (USER, no, (), (USER,))
    shown = memory.show(node.id, scope=ANN)
    assert shown.node == node
    assert ([n.id for n in shown.confirmations], [n.id for n in shown.denials]) == ([confirmed.id], [denied.id])
    assert {(edge.src, edge.kind) for edge in shown.edges} == {
        (confirmed.id, "supports"),
        (denied.id, "contradicts"),
    }


def test_confirming_twice_is_one_item_and_own_words_are_an_item_beside_it(memory: ProvenanceMemory) -> None:
    node, other = guess(memory), guess(memory, "The delay comes from the backup job.")
    first = memory.confirm(node.id, scope=ANN, words="I dread the finish line.")
    again = memory.confirm(node.id, scope=ANN)
    assert (again.id, again.seen) == (first.id, 2)
    assert memory.confirm(other.id, scope=ANN).id != first.id
    [own] = [n for n in memory.list(scope=ANN) if n.text == "I dread the finish line."]
    assert (own.source, own.derived_from) == (USER, ())
    assert (own.id, node.id, "supports") in {(e.src, e.dst, e.kind) for e in memory.show(own.id, scope=ANN).edges}


def test_only_what_somebody_else_says_is_confirmed_and_only_the_users_own_is_revalidated(
    memory: ProvenanceMemory,
) -> None:
    own, theirs = said(memory, "I keep bees."), guess(memory)
    before = memory.state_hash()
    for call in (memory.confirm, memory.deny):
        with pytest.raises(RuleBrokenError, match="no guess or document"):
            call(own.id, scope=ANN)
    with pytest.raises(RuleBrokenError, match="the assistant's guess"):
        memory.revalidate(theirs.id, scope=ANN)
    with pytest.raises(UnknownNodeError):
        memory.confirm(theirs.id, scope=BOB)
    assert memory.state_hash() == before


def test_a_document_may_be_confirmed(memory: ProvenanceMemory) -> None:
    page = memory.add("The gate opens at nine.", scope=ANN, source=EXTERNAL, author="notice.pdf", locator="notice.pdf")
    assert memory.confirm(page.id, scope=ANN).origin == (EXTERNAL, USER)


def test_what_has_an_end_is_skipped_when_it_is_over_and_revalidation_begins_its_time_anew() -> None:
    clock = Clock()
    with ProvenanceMemory.open(":memory:", clock=clock, ids=Ids(), embedder="hash") as m:
        task = m.tasks.commit("Order the frames.", scope=ANN)
        m.add("Perhaps the queen is old.", scope=ANN, source=USER, author="ann", kind=Kind.claim)
        m.add("I keep bees.", scope=ANN, source=USER, author="ann")
        m.add("Bees like lime trees.", scope=ANN, source=USER, author="ann", kind=Kind.claim, lifetime=FOREVER)

        def texts() -> set[str]:
            return {node.text for node in m.list(scope=ANN)}

        clock._now += timedelta(days=8)
        assert texts() == {"Order the frames.", "I keep bees.", "Bees like lime trees."}
        clock._now += timedelta(days=20)
        m.revalidate(task.id, scope=ANN)
        clock._now += timedelta(days=29)
        assert "Order the frames." in texts()
        clock._now += timedelta(days=2)
        assert "Order the frames." not in texts()
        m.restore(task.id, scope=ANN)
        clock._now += timedelta(days=400)
        assert texts() == {"Order the frames.", "I keep bees.", "Bees like lime trees."}


def test_a_memory_opened_for_reading_skips_what_is_over_and_was_not_swept(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        claim = memory.add("The queen is old.", scope=ANN, source=USER, author="ann", kind=Kind.claim)
    later = Clock()
    later._now += timedelta(days=8)
    opened = ProvenanceMemory.open(tmp_path, clock=later, ids=lambda: "x", embedder="hash", read_only=True)
    with opened as reader:
        assert reader.list(scope=ANN) == []
        assert reader.recall("The queen is old.", scope=ANN).items == ()
        assert reader.counts(scope=ANN)["total"] == {"visible": 0, "hidden": 1}
        assert reader.graph(scope=ANN).stats()["nodes"] == 0
        assert reader.show(claim.id, scope=ANN).node.hidden
        assert [node.hidden for node in reader.get([claim.id], scope=ANN)] == [True]


def test_a_merge_hides_and_points_and_restore_undoes_all_of_it(memory: ProvenanceMemory) -> None:
    kept, other = said(memory, "I keep bees."), said(memory, "I am a beekeeper.")
    question = said(memory, "How loud are bees?")
    memory.relate(question.id, other.id, "mentions", scope=ANN)
    before = memory.graph(scope=ANN).export()
    memory.merge(kept.handle, [other.handle, kept.handle], scope=ANN)
    graph = memory.graph(scope=ANN)
    assert [n.id for n in memory.list(scope=ANN)] == [question.id, kept.id]
    assert [(kind, n.id) for kind, n, _ in graph.neighbours(question.id)] == [("mentions", kept.id)]
    assert memory.get([kept.id], scope=ANN) == [kept]
    memory.restore(other.handle, scope=ANN)
    assert memory.graph(scope=ANN).export() == before


def test_saying_again_what_was_merged_away_brings_it_back(memory: ProvenanceMemory) -> None:
    kept, other = said(memory, "I keep bees."), said(memory, "I am a beekeeper.")
    memory.merge(kept.id, [other.id], scope=ANN)
    assert said(memory, "I am a beekeeper.").id == other.id
    assert {n.id for n in memory.list(scope=ANN)} == {kept.id, other.id}
    assert memory.show(other.id, scope=ANN).edges == ()


def test_nobodys_words_stand_for_anothers(memory: ProvenanceMemory) -> None:
    own, theirs, gone = said(memory, "I keep bees."), guess(memory), said(memory, "I keep hens.")
    memory.forget(gone.id, scope=ANN)
    before = memory.state_hash()
    for others, reason in (
        ([theirs.id], "'assistant'"),
        ([], "nothing is to be merged"),
        ([own.id], "nothing"),
        ([gone.id], "out of sight"),
    ):
        with pytest.raises(RuleBrokenError, match=reason):
            memory.merge(own.id, others, scope=ANN)
    assert memory.state_hash() == before


def test_a_relation_is_taken_back(memory: ProvenanceMemory) -> None:
    one, two = said(memory, "I keep bees."), said(memory, "I keep no bees.")
    memory.relate(one.id, two.id, "contradicts", scope=ANN)
    assert memory.graph(scope=ANN).stats()["edges"] == 1
    assert memory.unrelate(one.id, two.id, "contradicts", scope=ANN)
    assert not memory.unrelate(one.id, two.id, "contradicts", scope=ANN)
    assert memory.graph(scope=ANN).stats()["edges"] == 0
    assert memory.relate(one.id, two.id, "contradicts", scope=ANN)
    for kind in ("merged_into", "completed", "abandoned"):
        with pytest.raises(RuleBrokenError, match="not drawn by hand"):
            memory.relate(one.id, two.id, kind, scope=ANN)


def test_history_tells_what_became_of_an_item_and_from_what_it_comes(memory: ProvenanceMemory) -> None:
    take_turn(memory, "Are bees loud?", "They hum softly.", turn="t1")
    question = next(n for n in memory.list(scope=ANN) if n.kind is Kind.question)
    memory.set_status(question.id, Status.revisited, scope=ANN, reason="came up again")
    memory.forget(question.id, scope=ANN)
    memory.restore(question.id, scope=ANN)
    told = memory.history(question.handle, scope=ANN)
    assert [row.op for row in told.events] == ["node", "edge", "status", "hide", "restore"]
    assert told.events[2].detail == {"from": "open", "to": "revisited", "reason": "came up again"}
    assert told.events[1].detail["kind"] == "answers"
    assert told.versions == (memory.get([question.id], scope=ANN)[0],)


def test_versions_are_what_supersedes_what(memory: ProvenanceMemory) -> None:
    nodes = [said(memory, f"I have {n} hives.") for n in (3, 4, 5)]
    for new, old in ((nodes[1], nodes[0]), (nodes[2], nodes[1])):
        memory.relate(new.id, old.id, "supersedes", scope=ANN)
    for node in nodes:
        assert [n.id for n in memory.history(node.id, scope=ANN).versions] == [n.id for n in nodes]


def _use_every_verb(memory: ProvenanceMemory) -> None:
    one, two = said(memory, "I keep bees near Lund."), said(memory, "Near Lund I am a beekeeper.")
    node = guess(memory)
    memory.relate(one.id, two.id, "same_topic", scope=ANN)
    memory.confirm(node.id, scope=ANN, words="I dread the finish line.")
    memory.revalidate(one.id, scope=ANN)
    memory.merge(one.id, [two.id], scope=ANN)
    task = memory.tasks.commit("Paint the hives green.", scope=ANN)
    memory.tasks.complete(task.id, "All five are green.", scope=ANN)


def test_erasure_and_export_carry_over_the_new_events(memory: ProvenanceMemory, tmp_path: Path) -> None:
    _use_every_verb(memory)
    rows = memory.export(scope=ANN)
    with open_memory(ids="other") as elsewhere:
        elsewhere.import_export(rows, scope=ANN)
        assert elsewhere.state_hash() == elsewhere.log.replayed_hash()
        again = elsewhere.export(scope=ANN)
        assert sorted(map(str, again[1:])) == sorted(map(str, rows[1:]))
    eraser = Eraser(memory, home=tmp_path / "none", threads=None, clock=Clock())
    for words in ("I keep bees near Lund.", "All five are green.", "Maybe you are afraid of failing."):
        [node] = [n for n in memory.list(scope=ANN, limit=100) if n.text == words]
        eraser.erase(eraser.plan_item(node.id, scope=ANN))
        left = memory.export(scope=ANN)[1:]
        assert node.id not in {end for row in left for end in (row.get("id"), row.get("src"), row.get("dst"))}
        assert words not in str(left)
        assert memory.verify_chain() is None
        assert memory.state_hash() == memory.log.replayed_hash()
