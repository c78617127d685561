"""What of the person's has taken the place of what they said before?

A later statement that was drawn to supersede an earlier one, and the whole row of them. All stay: whoever is given the
earlier one is given the last one with it, and may be given what was said between.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.provenance import MemoryNode, Scope, SourceClass

__all__ = ["newer_of"]

_LONGEST_ROW: Final = 8
"""Changes of one thing that are followed."""

_Steps = dict[str, list[MemoryNode]]
"""What replaces each item directly, in the order in which it was drawn."""


def newer_of(view: Connection, ids: Collection[str], scope: Scope) -> dict[str, tuple[MemoryNode, ...]]:
    """The visible items of the person's in place of each of these, the one that stands first; the rest newest first.

    What still stands is left out.
    """
    steps: _Steps = {}
    asked = set(ids)
    for _ in range(_LONGEST_ROW):
        found = _replacing(view, asked, scope) if asked else {}
        steps |= found
        asked = {node.id for newer in found.values() for node in newer} - steps.keys()
        if not asked:
            break
    return {item: _row(item, steps) for item in ids if item in steps}


def _row(item: str, steps: Mapping[str, Sequence[MemoryNode]]) -> tuple[MemoryNode, ...]:
    """Everything in the place of an item, from what stands on: the end of the way along what was drawn last."""
    last, passed = steps[item][-1], {item}
    while last.id in steps and last.id not in passed:
        passed.add(last.id)
        following = steps[last.id][-1]
        if following.id in passed:
            break
        last = following
    reached: dict[str, MemoryNode] = {}
    waiting = [item]
    while waiting:
        for node in steps.get(waiting.pop(), ()):
            if node.id not in reached and node.id != item:
                reached[node.id] = node
                waiting.append(node.id)
    reached.pop(last.id, None)
    return (last, *sorted(reached.values(), key=lambda node: node.recorded_at, reverse=True))


def _replacing(view: Connection, ids: Collection[str], scope: Scope) -> _Steps:
    edges = queries.replacing(view, ids, scope)
    nodes = queries.nodes_by_id(view, [end for edge in edges for end in (edge.src, edge.dst)], scope) if edges else {}
    found: _Steps = {}
    for edge in edges:  # the oldest first: the last one stands
        newer, older = nodes.get(edge.src), nodes.get(edge.dst)
        if newer is None or older is None or newer.hidden or newer.id == older.id:
            continue
        if newer.source is SourceClass.user is older.source:
            found.setdefault(older.id, []).append(newer)
    return found
