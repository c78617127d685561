"""The lineage of an item: what it was made from, as far back as it goes, whatever the log holds."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sqlalchemy import delete, update

from rqa_checkpoints import tables
from rqa_checkpoints.lineage import MAX_DEPTH, Ancestor
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import MemoryNode, SourceClass
from tests.support.memories import ANN, BOB, open_memory, take_turn


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


def _note(memory: ProvenanceMemory, text: str, *parents: MemoryNode) -> MemoryNode:
    made_from = [parent.id for parent in parents]
    return memory.add(text, scope=ANN, source=SourceClass.assistant, author="m", derived_from=made_from)


def _shape(ancestors: tuple[Ancestor, ...]) -> list[object]:
    return [(one.relation, one.node.text if one.node else "", one.ends, _shape(one.parents)) for one in ancestors]


def _rewrite(memory: ProvenanceMemory, node: MemoryNode, *parents: str) -> None:
    """Make the stored lineage of an item what no write of ours makes it."""
    with memory.log.writing() as writer:
        row = update(tables.node).where(tables.node.c.id == node.id)
        writer.connection.execute(row.values(derived_from=json.dumps(parents)))


def test_parents_of_parents_are_in_the_tree_with_their_classes(memory: ProvenanceMemory) -> None:
    said = memory.add("I keep bees.", scope=ANN, source=SourceClass.user, author="ann")
    page = memory.add("Bees sleep.", scope=ANN, source=SourceClass.external, author="p", locator="page.html")
    middle = _note(memory, "Your bees sleep.", said, page)
    last = _note(memory, "All is quiet in your hive.", middle)
    [parent] = memory.show(last.id, scope=ANN).lineage
    assert (parent.node, parent.relation) == (middle, "made_from")
    assert {one.node for one in parent.parents} == {said, page}
    assert last.origin == (SourceClass.assistant, SourceClass.external, SourceClass.user)


@pytest.mark.parametrize(
    ("said", "relation"),
    [
        ("Yes.", "confirms"),
        ("はい。", "confirms"),
        ("No.", "denies"),
        ("いいえ。", "denies"),
        ("I fear failing.", "repeats"),
        ("I do not fear failing.", "denies"),
    ],
)
def test_an_answer_names_the_guess_and_the_guess_names_the_answer(
    memory: ProvenanceMemory, said: str, relation: str
) -> None:
    take_turn(memory, "I missed my run.", "You fear failing.", turn="t1")
    take_turn(memory, said, turn="t2")
    answer = next(node for node in memory.list(scope=ANN) if node.text == said)
    guess = next(node for node in memory.list(scope=ANN) if node.source is SourceClass.assistant)
    assert _shape(memory.show(answer.id, scope=ANN).lineage) == [(relation, "You fear failing.", "", [])]
    detail = memory.show(guess.id, scope=ANN)
    told = {"confirms": detail.confirmations, "denies": detail.denials}
    assert {name: [node.text for node in nodes] for name, nodes in told.items()} == {
        name: [said] if name == relation else [] for name in told
    }


def test_a_parent_that_two_items_share_is_unfolded_once(memory: ProvenanceMemory) -> None:
    root = _note(memory, "Root of it all.", _note(memory, "Below the root of all."))
    last = _note(memory, "Top.", _note(memory, "Left branch.", root), _note(memory, "Right side.", root))
    left, right = memory.show(last.id, scope=ANN).lineage
    assert (left.parents[0].ends, len(left.parents[0].parents)) == ("", 1)
    assert (right.parents[0].ends, right.parents[0].parents) == ("again", ())


def test_a_circle_ends(memory: ProvenanceMemory) -> None:
    first = _note(memory, "Hen.")
    second = _note(memory, "Egg.", first)
    _rewrite(memory, first, second.id)
    assert _shape(memory.show(first.id, scope=ANN).lineage) == [
        ("made_from", "Egg.", "", [("made_from", "Hen.", "again", [])])
    ]
    _rewrite(memory, first, first.id)
    assert _shape(memory.show(first.id, scope=ANN).lineage) == [("made_from", "Hen.", "again", [])]


def test_a_parent_that_is_gone_or_another_persons_is_only_an_id(memory: ProvenanceMemory) -> None:
    gone = _note(memory, "Soon gone.")
    foreign = memory.add("My diary.", scope=BOB, source=SourceClass.user, author="bob")
    last = _note(memory, "Left over.", gone)
    _rewrite(memory, last, gone.id, foreign.id)
    with memory.log.writing() as writer:
        writer.connection.execute(delete(tables.node).where(tables.node.c.id == gone.id))
    lineage = memory.show(last.id, scope=ANN).lineage
    assert [(one.id, one.node, one.ends) for one in lineage] == [
        (gone.id, None, "missing"),
        (foreign.id, None, "missing"),
    ]


def test_a_very_long_line_is_cut_and_says_so(memory: ProvenanceMemory) -> None:
    node = _note(memory, "Generation 0.")
    for number in range(1, MAX_DEPTH + 10):
        node = _note(memory, f"Generation {number}.", node)
    depth, place = 0, memory.show(node.id, scope=ANN).lineage
    while place:
        depth, last, place = depth + 1, place[0], place[0].parents
    assert (depth, last.node, last.ends) == (MAX_DEPTH + 1, None, "deep")
