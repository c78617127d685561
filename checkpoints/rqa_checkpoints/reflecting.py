"""What does a memory look like as a whole, from one side?

A side is a list: what the person stands for, what they have undertaken and how far it has come, whom they named, what
pulls apart, what is there twice. Read off the items as they stand; nothing is summed up in words that nobody said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from rqa_checkpoints.mass import UNUSED
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass, Status
from rqa_checkpoints.queries import Edge

__all__ = ["RELATIONSHIP", "Reflection", "Side", "heaviest_share", "kinds_on", "listed", "related_pairs"]

_PERCENT: Final = 100
RELATIONSHIP: Final = "relationship:"
"""Begins the tag of what is said of a person, as in `relationship:Ilse`."""


class Side(StrEnum):
    """From where the memory is looked at."""

    summary = "summary"
    values = "values"
    intentions = "intentions"
    commitments = "commitments"
    tasks_todo = "tasks_todo"
    tasks_doing = "tasks_doing"
    tasks_completed = "tasks_completed"
    tasks_abandoned = "tasks_abandoned"
    relationships = "relationships"
    contradictions = "contradictions"
    dormant = "dormant"
    duplicates = "duplicates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """One side of a memory."""

    side: Side
    total: int
    """How many there are in all."""
    items: tuple[MemoryNode, ...] = ()
    """At most as many as asked for."""
    pairs: tuple[tuple[MemoryNode, MemoryNode], ...] = ()
    """For contradictions and duplicates, instead of items."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """For the summary: how many there are on each other side."""
    heaviest_share: float = 0.0
    """For the summary: 0 to 1, see `heaviest_share`."""


_STATUSES: Final[Mapping[Side, Status]] = MappingProxyType(
    {
        Side.tasks_todo: Status.open,
        Side.tasks_doing: Status.revisited,
        Side.tasks_completed: Status.resolved,
        Side.tasks_abandoned: Status.abandoned,
    }
)
"""How far a task on a side has come."""

_KINDS: Final[Mapping[Side, Kind]] = MappingProxyType(
    {
        Side.values: Kind.value,
        Side.intentions: Kind.intention,
        Side.commitments: Kind.commitment,
        **dict.fromkeys(_STATUSES, Kind.task),
    }
)
"""The kind that a side is a choice of; persons are named in items of any kind."""

_BY_END: Final = frozenset({Side.commitments, Side.tasks_todo, Side.tasks_doing})


def kinds_on(side: Side) -> frozenset[Kind]:
    """The kinds that a listed side is chosen from, so that only those need be read; empty for any kind."""
    return frozenset({_KINDS[side]} if side in _KINDS else ())


def listed(nodes: Sequence[MemoryNode], side: Side) -> list[MemoryNode]:
    """The person's own items on a side: what ends first stands first, else the newest. None for other sides.

    A model may call its own note a value or a task: that is not what the person stands for, and is left out.
    """
    found = [node for node in reversed(nodes) if node.source is SourceClass.user and _is_on(node, side)]
    return sorted(found, key=lambda node: node.expires_at or "~") if side in _BY_END else found


def _is_on(node: MemoryNode, side: Side) -> bool:
    if side is Side.relationships:
        return any(tag.startswith(RELATIONSHIP) for tag in node.tags)
    return node.kind is _KINDS.get(side) and node.status is _STATUSES.get(side, node.status)


def heaviest_share(masses: Sequence[float]) -> float:
    """What part of all that use has added to the masses lies on the heaviest 1 % of the items (at least one); 0 to 1.

    Use moves mass to what is used again, so a part that grows with the months says that the memory feeds on itself.
    """
    added = sorted((max(mass - UNUSED, 0.0) for mass in masses), reverse=True)
    whole = sum(added)
    return sum(added[: max(1, len(added) // _PERCENT)]) / whole if whole > 0 else 0.0


def related_pairs(
    nodes: Mapping[str, MemoryNode], edges: Sequence[Edge], relation: str
) -> list[tuple[MemoryNode, MemoryNode]]:
    """The visible items that a relation joins, the one that was drawn last first."""
    drawn = [edge for edge in reversed(edges) if edge.kind == relation and {edge.src, edge.dst} <= nodes.keys()]
    return [(nodes[edge.src], nodes[edge.dst]) for edge in drawn]
