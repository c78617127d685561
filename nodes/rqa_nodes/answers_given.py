"""Which answers of the person's go with the items that a turn is given?

A guess without the person's yes is unverified, and a bare yes without the guess says nothing: where one of both was
recalled, the other comes with it, within the same number of items, or neither does. What counts as an answer, and
whether it still stands, is the memory's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

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

__all__ = ["standing", "with_answers"]

_WHY = "answer"
_ANSWERABLE = frozenset({SourceClass.assistant, SourceClass.external})


def with_answers(found: Recall, memory: Memory, *, scope: Scope, limit: int) -> Recall:
    """The recall, each answered guess beside its answer; at most `limit` items, none of which loses its other half."""
    nodes = [item.node for item in found.items]
    asked = [guess for node in nodes for guess in _answers_to(node)]
    guesses = {node.id: node for node in memory.get(asked, scope=scope) if not node.hidden} if asked else {}
    guesses |= {node.id: node for node in nodes if node.source in _ANSWERABLE}
    stands = memory.answered(list(guesses), scope=scope) if guesses else {}
    items: dict[str, RecalledItem] = {}
    for group in _groups(found.items, guesses, stands, limit):
        fresh = [item for item in group if item.node.id not in items]
        if len(items) + len(fresh) <= limit:
            items |= {item.node.id: item for item in fresh}
    return replace(found, items=tuple(items.values()))


def _answers_to(node: MemoryNode) -> tuple[str, ...]:
    """Ids of what a user's item says yes or no to, or repeats."""
    if node.source is not SourceClass.user or not node.echo_of:
        return ()
    return confirmed_by(node) or (node.echo_of,)


def _groups(
    items: Sequence[RecalledItem], guesses: Mapping[str, MemoryNode], stands: Mapping[str, Answered], limit: int
) -> Iterator[list[RecalledItem]]:
    """What is to be given together, in the order in which it was found."""
    for item in items:
        node = item.node
        if node.id in stands:
            yield [item, _beside(stands[node.id].by)]
            continue
        own = [guess for guess in _answers_to(node) if guess in stands and stands[guess].by.id == node.id]
        known = [_beside(guesses[guess]) for guess in own if guess in guesses][: max(limit - 1, 0)]
        if known or not (_answers_to(node) and is_bare_answer(node.text)):
            yield [*known, item]


def _beside(node: MemoryNode) -> RecalledItem:
    return RecalledItem(node=node, score=0.0, why=_WHY)


def standing(nodes: Sequence[MemoryNode], memory: Memory, scope: Scope) -> dict[str, Answered]:
    """The answers that stand to those of these items, of the answers that are among them themselves."""
    others = [node.id for node in nodes if node.source in _ANSWERABLE]
    given = {node.id for node in nodes}
    found = memory.answered(others, scope=scope) if others else {}
    return {guess: answer for guess, answer in found.items() if answer.by.id in given}
