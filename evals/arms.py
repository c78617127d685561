"""Memories that differ in one thing alone: what moves mass, and how it counts.

Each is asked the same questions over the same search results. `ours` is the product's scorer and its rule of use;
`cosine + mass` and `reference` train by being asked, as systems do where each retrieval is a step of learning.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from evals.reference import Reference
from rqa_checkpoints.fusion import fuse
from rqa_checkpoints.gravity import Candidate, Snapshot, Wanted, plan
from rqa_checkpoints.index.base import Found
from rqa_checkpoints.mass import UNUSED, Credit, Holding, How, Use, account_of, apply, faded, plan_uses, root_of
from rqa_checkpoints.provenance import MemoryNode, SourceClass

__all__ = ["START", "Arm", "Asked", "CosineMass", "Interaction", "Ours", "Plain", "ReferenceArm", "later"]

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
_DEPTH: Final = 64
_TOP: Final = 8
_ETA: Final = 0.05


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what the index found for it."""

    vector: Sequence[float]
    found: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """A question is asked, and then some items are used by somebody."""

    asked: Asked
    now: datetime
    used: Sequence[str]
    actor: SourceClass
    how: How


class Arm(Protocol):
    """One memory."""

    def rank(self, asked: Asked, now: datetime) -> list[str]:
        """Ids, best first; changes nothing."""

    def interact(self, event: Interaction) -> None:
        """A question is asked, and items are used."""

    def masses(self) -> dict[str, float]:
        """Mass of every item."""


@dataclass(slots=True)
class Plain:
    """No mass at all: both sides fused as the product does."""

    ids: Sequence[str]

    def rank(self, asked: Asked, now: datetime) -> list[str]:
        """Ids, best first."""
        del now
        return [hit.id for hit in fuse(asked.found, limit=_DEPTH)]

    def interact(self, event: Interaction) -> None:
        """Nothing moves."""
        del event

    def masses(self) -> dict[str, float]:
        """All 1."""
        return dict.fromkeys(self.ids, UNUSED)


@dataclass(slots=True)
class CosineMass:
    """Cosine and the logarithm of a mass that grows by every return."""

    ids: Sequence[str]
    _mass: dict[str, float] = field(init=False)

    def __post_init__(self) -> None:
        self._mass = dict.fromkeys(self.ids, UNUSED)

    def rank(self, asked: Asked, now: datetime) -> list[str]:
        """Ids, best first."""
        del now
        scores = {hit.id: hit.score + 0.05 * math.log1p(self._mass[hit.id]) for hit in asked.found.dense}
        return sorted(scores, key=lambda id_: (-scores[id_], id_))[:_DEPTH]

    def interact(self, event: Interaction) -> None:
        """Whatever is returned grows."""
        for id_ in self.rank(event.asked, event.now)[:_TOP]:
            self._mass[id_] += _ETA * (1 - self._mass[id_] / 50)

    def masses(self) -> dict[str, float]:
        """Mass of every item."""
        return dict(self._mass)


@dataclass(slots=True)
class ReferenceArm:
    """The reference system."""

    memory: Reference

    def rank(self, asked: Asked, now: datetime) -> list[str]:
        """Ids, best first."""
        return [id_ for id_, _ in self._recall(asked, now, passive=True)]

    def interact(self, event: Interaction) -> None:
        """A recall trains, whoever asks and whatever comes of it."""
        self._recall(event.asked, event.now, passive=False)

    def _recall(self, asked: Asked, now: datetime, *, passive: bool) -> list[tuple[str, float]]:
        words = [hit.id for hit in asked.found.sparse]
        top = _DEPTH if passive else _TOP
        return self.memory.recall(asked.vector, words, now=(now - START).total_seconds(), top_k=top, passive=passive)

    def masses(self) -> dict[str, float]:
        """Mass of every item."""
        return {id_: body.mass for id_, body in self.memory.bodies.items()}


@dataclass(slots=True)
class Ours:
    """The product: mass moves by use."""

    nodes: dict[str, MemoryNode]
    _credits: dict[str, list[Credit]] = field(default_factory=lambda: defaultdict(list))

    def rank(self, asked: Asked, now: datetime) -> list[str]:
        """Ids, best first."""
        known = [
            Candidate(
                node=self.nodes[hit.id], relevance=hit.score, cosine=hit.cosine, lexical=hit.lexical, near=hit.near
            )
            for hit in fuse(asked.found, limit=_DEPTH)
        ]
        return [one.id for one in plan(Wanted(top_k=_DEPTH), Snapshot(now=now, candidates=known)).listed]

    def interact(self, event: Interaction) -> None:
        """The question changes nothing; the use does."""
        now, session = event.now, event.now.date().isoformat()
        uses = [Use(id=id_, actor=event.actor, how=event.how) for id_ in event.used]
        held = {id_: self._holding(id_, now) for id_ in event.used}
        effective, delta = plan_uses(uses, held, session=session, day=session)
        after: Mapping[str, float] = apply(delta, {id_: one.mass for id_, one in held.items()})
        for use in effective:
            self.nodes[use.id] = replace(self.nodes[use.id], mass=after[use.id], last_used=now.isoformat())
            self._credits[use.id].append(Credit(actor=event.actor, how=event.how, session=session, day=session))

    def _holding(self, id_: str, now: datetime) -> Holding:
        node = self.nodes[id_]
        account, mass = account_of(node), faded(node.mass, used_at=node.last_used, now=now)
        return Holding(
            root=root_of(node), account=account, mass=mass, account_mass=mass, credits=tuple(self._credits[id_])
        )

    def masses(self) -> dict[str, float]:
        """Mass of every item."""
        return {id_: node.mass for id_, node in self.nodes.items()}


def later(days: float) -> datetime:
    """So many days after the start."""
    return START + timedelta(days=days)
