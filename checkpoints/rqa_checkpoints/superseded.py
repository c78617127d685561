"""What of the person's has taken the place of what they said before?

A later statement that was drawn to supersede an earlier one, and the last of a row of them. Both stay: whoever is given
the earlier one is given the later one with it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.provenance import MemoryNode, Scope, SourceClass

__all__ = ["newer_of"]

_LONGEST_ROW: Final = 8
"""Changes of one thing that are followed."""


def newer_of(view: Connection, ids: Collection[str], scope: Scope) -> dict[str, MemoryNode]:
    """The last visible item of the person's in place of each of these; what still stands is left out."""
    last = {item: item for item in ids}
    found: dict[str, MemoryNode] = {}
    for _ in range(_LONGEST_ROW):
        step = _one_newer(view, set(last.values()), scope)
        moved = {item: step[end].id for item, end in last.items() if end in step and step[end].id != item}
        if not moved:
            break
        found |= {item: step[last[item]] for item in moved}
        last = moved
    return found


def _one_newer(view: Connection, ids: Collection[str], scope: Scope) -> dict[str, MemoryNode]:
    edges = [edge for edge in queries.edges_at(view, list(ids), scope) if edge.kind == "supersedes" and edge.dst in ids]
    nodes = queries.nodes_by_id(view, [end for edge in edges for end in (edge.src, edge.dst)], scope) if edges else {}
    found: dict[str, MemoryNode] = {}
    for edge in edges:  # the oldest first: the last one stands
        newer, older = nodes.get(edge.src), nodes.get(edge.dst)
        if newer is None or older is None or newer.hidden:
            continue
        if newer.source is SourceClass.user is older.source:
            found[older.id] = newer
    return found
