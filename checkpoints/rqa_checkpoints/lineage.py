"""What was an item made from, and what were those made from?

A tree of parents, each with what it is to the item below it. An item that stands in the tree already is named and not
unfolded again, so that items which share a parent, or a log that somebody made circular, end. A parent that is not
there (erased, or another person's) keeps its place under its id, and nothing is told of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.provenance import MemoryNode, Scope, confirmed_by, denied_by

__all__ = ["MAX_DEPTH", "Ancestor", "Relation", "lineage"]

Relation = Literal["made_from", "confirms", "denies", "repeats"]
"""What the item below has to do with this one."""

MAX_DEPTH: Final = 24
"""Generations that are shown."""
_MAX_ITEMS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Ancestor:
    """One parent of an item, and its own parents."""

    id: str
    node: MemoryNode | None
    """None: no such item of this person."""
    relation: Relation
    ends: Literal["", "again", "missing", "deep"] = ""
    """Why its own parents are not unfolded: it stands above already, is not there, or the tree is deep enough."""
    parents: tuple[Ancestor, ...] = ()


def lineage(view: Connection, node: MemoryNode, scope: Scope) -> tuple[Ancestor, ...]:
    """The parents of an item, with theirs, as far back as they go."""
    known = _ancestors(view, node, scope)
    return _parents(node, known, {node.id})


_Known = Mapping[str, MemoryNode | None]
"""What was asked for, by id; None: it is not there."""


def _ancestors(view: Connection, node: MemoryNode, scope: Scope) -> _Known:
    """Everything that may stand in the tree, a generation a question."""
    known: dict[str, MemoryNode | None] = {node.id: node}
    generation = [node]
    for _ in range(MAX_DEPTH):
        asked = [item for one in generation for item, _ in _named(one, known) if item not in known]
        if not asked or len(known) > _MAX_ITEMS:
            break
        found = queries.nodes_by_id(view, asked, scope)
        known |= {item: found.get(item) for item in asked}
        generation = list(found.values())
    return known


def _named(node: MemoryNode, known: _Known) -> list[tuple[str, Relation]]:
    """Ids of the parents with their relation; what is repeated or denied stands among them."""
    own: Relation = "confirms" if confirmed_by(node) else "made_from"
    found: dict[str, Relation] = dict.fromkeys(node.derived_from, own)
    if node.echo_of and node.echo_of not in found:
        guess = known.get(node.echo_of)
        found[node.echo_of] = "denies" if guess is not None and denied_by(node, guess) else "repeats"
    return list(found.items())


def _parents(node: MemoryNode, known: _Known, shown: set[str]) -> tuple[Ancestor, ...]:
    return tuple(_one(item, relation, known, shown) for item, relation in _named(node, known))


def _one(item: str, relation: Relation, known: _Known, shown: set[str]) -> Ancestor:
    node = known.get(item)
    if node is None:
        return Ancestor(id=item, node=None, relation=relation, ends="missing" if item in known else "deep")
    if item in shown:
        return Ancestor(id=item, node=node, relation=relation, ends="again")
    shown.add(item)
    return Ancestor(id=item, node=node, relation=relation, parents=_parents(node, known, shown))
