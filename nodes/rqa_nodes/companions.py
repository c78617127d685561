"""What has to come with an item that a turn is given?

A guess without the person's yes is unverified, and a bare yes without the guess says nothing: where one of both was
recalled, the other comes with it, within the same number of items, or neither does. What the person has said since in
place of an item comes before it. What counts as an answer or as newer is the memory's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rqa_checkpoints.provenance import (
    Answered,
    MemoryNode,
    Recall,
    RecalledItem,
    Scope,
    SourceClass,
    confirmed_by,
    is_bare_answer,
)
from rqa_nodes.ports import Memory

__all__ = ["replaced", "standing", "with_companions"]

_ANSWERABLE = frozenset({SourceClass.assistant, SourceClass.external})


def with_companions(found: Recall, memory: Memory, *, scope: Scope, limit: int) -> Recall:
    """The recall, each answered guess beside its answer, and what is newer before what it replaces.

    At most `limit` items, none of which loses its other half.
    """
    nodes = [item.node for item in found.items]
    asked = [guess for node in nodes for guess in _answers_to(node)]
    guesses = {node.id: node for node in memory.get(asked, scope=scope) if not node.hidden} if asked else {}
    guesses |= {node.id: node for node in nodes if node.source in _ANSWERABLE}
    stands = memory.answered(list(guesses), scope=scope) if guesses else {}
    newer = memory.newer([node.id for node in nodes if node.source is SourceClass.user], scope=scope)
    items: dict[str, RecalledItem] = {}
    for group in _groups(found.items, _Known(guesses, stands, newer), limit):
        fresh = [item for item in group if item.node.id not in items]
        if len(items) + len(fresh) <= limit:
            items |= {item.node.id: item for item in fresh}
    return replace(found, items=tuple(items.values()))


def _answers_to(node: MemoryNode) -> tuple[str, ...]:
    """Ids of what a user's item says yes or no to, or repeats."""
    if node.source is not SourceClass.user or not node.echo_of:
        return ()
    return confirmed_by(node) or (node.echo_of,)


class _Known(NamedTuple):
    """What the memory knows of the items."""

    guesses: Mapping[str, MemoryNode]
    """What was recalled of others, and what the person's own items answer."""
    stands: Mapping[str, Answered]
    newer: Mapping[str, Sequence[MemoryNode]]


def _groups(items: Sequence[RecalledItem], known: _Known, limit: int) -> Iterator[list[RecalledItem]]:
    """What is to be given together, in the order in which it was found."""
    for item in items:
        node = item.node
        if node.id in known.newer:
            yield [_beside(known.newer[node.id][0], "newer")]
        if node.id in known.stands:
            yield [item, _beside(known.stands[node.id].by, "answer")]
            continue
        own = [name for name in _answers_to(node) if name in known.stands and known.stands[name].by.id == node.id]
        guesses = [_beside(known.guesses[name], "answer") for name in own if name in known.guesses][: max(limit - 1, 0)]
        if guesses or not (_answers_to(node) and is_bare_answer(node.text)):
            yield [*guesses, item]
    for item in items:
        yield from ([_beside(between, "newer")] for between in known.newer.get(item.node.id, ())[1:])


def _beside(node: MemoryNode, why: str) -> RecalledItem:
    return RecalledItem(node=node, score=0.0, why=why)


def standing(nodes: Sequence[MemoryNode], memory: Memory, scope: Scope) -> dict[str, Answered]:
    """The answers that stand to those of these items, of the answers that are among them themselves."""
    others = [node.id for node in nodes if node.source in _ANSWERABLE]
    given = {node.id for node in nodes}
    found = memory.answered(others, scope=scope) if others else {}
    return {guess: answer for guess, answer in found.items() if answer.by.id in given}


def replaced(nodes: Sequence[MemoryNode], memory: Memory, scope: Scope) -> dict[str, str]:
    """Of those of these items that the person has replaced by another one of them, the id of that one."""
    given = {node.id for node in nodes}
    said = [node.id for node in nodes if node.source is SourceClass.user]
    found = memory.newer(said, scope=scope) if said else {}
    there = {item: next((newer.id for newer in row if newer.id in given), "") for item, row in found.items()}
    return {item: newer for item, newer in there.items() if newer}
