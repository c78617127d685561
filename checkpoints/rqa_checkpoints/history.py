"""What became of an item since it was written?

The events of the log that name it, oldest first, without the words of other items; and the versions of it, along what
supersedes what. Both read the log as it is: nothing is kept twice for this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, select

from rqa_checkpoints import queries, tables
from rqa_checkpoints.lineage import Ancestor, lineage
from rqa_checkpoints.provenance import MemoryNode, Scope

__all__ = ["Happening", "History", "history"]

_TOLD: Final[Mapping[str, tuple[str, ...]]] = {
    "node": (),
    "seen": ("thread",),
    "status": ("from", "to"),
    "hide": (),
    "restore": (),
    "expiry": ("expires_at",),
    "validity": (),
    "use": ("actor", "how", "gain"),
    "edge": ("src", "dst", "kind"),
    "unrelate": ("src", "dst", "kind"),
}
"""Kinds of events that are about an item, and what of each is told."""

_MOST_VERSIONS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One event that names the item."""

    seq: int
    at: str
    op: str
    detail: Mapping[str, str]
    """What the event says beside the item; of a change of status also its reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What became of one item."""

    node: MemoryNode
    events: tuple[Happening, ...]
    versions: tuple[MemoryNode, ...]
    """The item among those that it superseded and that supersede it, the oldest first."""
    lineage: tuple[Ancestor, ...]


def history(view: Connection, node: MemoryNode, scope: Scope) -> History:
    """Everything that the log says of an item."""
    return History(
        node=node,
        events=tuple(_events(view, node, scope)),
        versions=tuple(_versions(view, node, scope)),
        lineage=lineage(view, node, scope),
    )


def _events(view: Connection, node: MemoryNode, scope: Scope) -> list[Happening]:
    event, content = tables.event, tables.content
    joined = event.outerjoin(content, content.c.seq == event.c.seq)
    named = event.c.op.in_(_TOLD) & (event.c.seq >= _birth(view, node, scope)) & event.c.body.contains(node.id)
    query = select(event.c.seq, event.c.at, event.c.op, event.c.body, content.c.private).select_from(joined)
    rows = view.execute(query.where(queries.owned(event, scope), named).order_by(event.c.seq)).all()
    return [_happening(row) for row in rows if node.id in _subjects(row.op, json.loads(row.body))]


def _birth(view: Connection, node: MemoryNode, scope: Scope) -> int:
    born = select(tables.node.c.born).where(queries.owned(tables.node, scope), tables.node.c.id == node.id)
    return int(view.execute(born).scalar_one())


def _subjects(op: str, body: Mapping[str, Any]) -> set[str]:
    """Ids of the items that an event is about: an item's birth names its parents too, and is not about them."""
    return {body["src"], body["dst"]} if op in {"edge", "unrelate"} else {body["id"]}


def _happening(row: Any) -> Happening:
    body, words = json.loads(row.body), json.loads(row.private) if row.private else {}
    detail = {name: str(body.get(name, "")) for name in _TOLD[row.op]}
    if words.get("reason"):
        detail["reason"] = words["reason"]
    return Happening(seq=row.seq, at=row.at, op=row.op, detail=detail)


def _versions(view: Connection, node: MemoryNode, scope: Scope) -> list[MemoryNode]:
    """Ordered by what supersedes what, and not by date: an import may bring old dates in any order."""
    older = _along(view, [node.id], scope, newer=False)
    newer = _along(view, [node.id], scope, newer=True)
    found = queries.nodes_by_id(view, [*older, *newer], scope)
    order = [*reversed(older), node.id, *newer]
    return [found.get(item, node) for item in order if item in found or item == node.id]


def _along(view: Connection, start: Sequence[str], scope: Scope, *, newer: bool) -> list[str]:
    """Ids of all that superseded the item, or that it superseded, the nearest first."""
    found: list[str] = []
    wave = list(start)
    while wave and len(found) < _MOST_VERSIONS:
        edges = [edge for edge in queries.edges_at(view, wave, scope) if edge.kind == "supersedes"]
        steps = [edge.src if newer else edge.dst for edge in edges if (edge.dst if newer else edge.src) in wave]
        wave = [item for item in dict.fromkeys(steps) if item not in {*found, *start}]
        found += wave
    return found
