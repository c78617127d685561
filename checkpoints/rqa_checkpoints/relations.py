"""How may two items relate, and which status may follow which?

Both sets are closed, so that a drawing, an export and an import mean the same everywhere. Relations point from the item
that says something to the one that it says it of. No NetworkX here: a write must not pay for an algorithm.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rqa_checkpoints.provenance import Kind, MemoryNode, Status
from rqa_checkpoints.rule_words import broken

__all__ = [
    "DRAWN_BY_VERBS",
    "GRAPH_KINDS",
    "MERGED_INTO",
    "RELATIONS",
    "TRANSITIONS",
    "check_drawable",
    "check_relation",
    "check_transition",
]

GRAPH_KINDS = frozenset({Kind.claim, Kind.question, Kind.tension, Kind.note, Kind.answer})
"""The kinds that have a status of their own; statements and the like are in the graph as what these refer to."""

_WITH_STATUS = GRAPH_KINDS | {Kind.task}
"""A task is open, revisited (somebody works on it), resolved (completed) or abandoned."""

MERGED_INTO = "merged_into"
"""From an item that was merged away to the one that stands for it."""

DRAWN_BY_VERBS = frozenset({MERGED_INTO, "completed", "abandoned"})
"""Each comes with another change in the same transaction, so nobody draws it alone."""

RELATIONS = DRAWN_BY_VERBS | {
    "answers",
    "asks",
    "blocked_by",
    "contradicts",
    "depends_on",
    "derived_from",
    "fulfills",
    "mentions",
    "same_topic",
    "supersedes",
    "supports",
}
"""All relations that there are."""

_OPEN, _REVISITED, _RESOLVED = Status.open, Status.revisited, Status.resolved
_ABANDONED, _ARCHIVED = Status.abandoned, Status.archived
TRANSITIONS: Mapping[Status, frozenset[Status]] = MappingProxyType(
    {
        _OPEN: frozenset({_REVISITED, _ARCHIVED}),
        _REVISITED: frozenset({_RESOLVED, _ABANDONED}),
        _RESOLVED: frozenset({_ARCHIVED}),
        _ABANDONED: frozenset({_ARCHIVED}),
        _ARCHIVED: frozenset(),
    }
)
"""From each status, those that may follow."""


def check_transition(node: MemoryNode, to: Status) -> None:
    """Raise RuleBrokenError unless the item may take this status."""
    if node.kind not in _WITH_STATUS:
        raise broken("no_status", handle=node.handle, kind=node.kind.value, kinds=", ".join(sorted(_WITH_STATUS)))
    allowed = TRANSITIONS[node.status]
    if node.kind is Kind.task and node.status in {_RESOLVED, _ABANDONED}:
        allowed = allowed | {_REVISITED}  # a task that was ended by mistake is taken up again
    if to not in allowed:
        names = ", ".join(status.value for status in Status if status in allowed) or "nothing"
        raise broken("no_transition", handle=node.handle, status=node.status.value, to=to.value, allowed=names)


def check_relation(kind: str) -> None:
    """Raise RuleBrokenError for a relation outside the closed set."""
    if kind not in RELATIONS:
        raise broken("unknown_relation", kind=kind, known=", ".join(sorted(RELATIONS)))


def check_drawable(src: MemoryNode, dst: MemoryNode, kind: str) -> None:
    """Raise RuleBrokenError for a relation that nobody may draw by hand, or from an item to itself."""
    check_relation(kind)
    if kind in DRAWN_BY_VERBS:
        raise broken("drawn_by_verbs", kind=kind)
    if src.id == dst.id:
        raise broken("itself", handle=src.handle)
