"""How does the reference system score a memory, and what does a recall do to it? A baseline, never a setting.

Formulas and constants of GaOTTT (Apache-2.0) at its snapshot 65aa2c6, as read there and rewritten: seeds by reciprocal
rank fusion, a wave over neighbours, a score that is a sum with one factor, and masses that grow with every recall.
Displacements, noise and co-recall edges are left out: they are off or small in its defaults, and would need its clock.
A text's neighbours are those by cosine; everything else is a function of numbers, so that its published figures can be
checked one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Body",
    "Reference",
    "attenuation",
    "certainty_term",
    "decay_factor",
    "density",
    "evaporated",
    "fan_out",
    "final_score",
    "grown",
    "least_cosine",
    "mass_boost",
    "saturation",
]

MAX_MASS: Final = 50.0
_ETA: Final = 0.05
_DELTA_PER_SECOND: Final = 0.01
_SEEDS: Final = 3
_DEPTH: Final = 3
_WEAKEST: Final = 0.001
_RRF_K: Final = 60
_HABIT_LEFT: Final = 0.99

Vectors = NDArray[np.float64]


def grown(mass: float, force: float) -> float:
    """Mass after one recall that reached the node with this external force."""
    return mass + _ETA * force * (1 - mass / MAX_MASS)


def evaporated(mass: float, idle_days: float) -> float:
    """Mass after evaporation, which is off by default; nothing in the first seven days."""
    if idle_days <= 7:
        return mass
    return max(1.0, mass - 0.01 * math.pow(mass - 1, 1.5) * idle_days / 30)


def fan_out(mass: float) -> int:
    """Neighbours that a node passes force to."""
    return min(10, 2 + math.floor(2 * math.log1p(mass)))


def attenuation(mass: float) -> float:
    """Share of a node's force that each neighbour gets."""
    return 0.3 * (1 - 0.5 * math.log1p(mass) / math.log1p(MAX_MASS))


def least_cosine(mass: float) -> float:
    """Cosine from which on a neighbour is reached."""
    return min(max(1 - 0.05 * mass, 0.05), 0.95)


def decay_factor(seconds: float) -> float:
    """What is left of the cosine so many seconds after the last access."""
    return math.exp(-_DELTA_PER_SECOND * seconds)


def mass_boost(mass: float) -> float:
    """Term of the mass."""
    return 0.05 * math.log1p(mass)


def certainty_term(certainty: float, days: float | None) -> float:
    """Term of the certainty, by days since it was verified; None for never, which fades nothing."""
    return 0.02 * certainty * (1.0 if days is None else 0.5 ** (days / 30))


def saturation(returns: float) -> float:
    """Factor of habituation."""
    return 1 / (1 + 0.2 * returns)


def density(scores: Sequence[float]) -> float:
    """Tenth score over the first: below 0.95 the seeds are expanded."""
    return scores[9] / scores[0]


@dataclass(slots=True)
class Body:
    """State of one memory."""

    mass: float = 1.0
    last_access: float = 0.0
    """Seconds."""
    returns: float = 0.0


def final_score(body: Body, *, cosine: float, force: float, now: float) -> float:
    """The score of a reached node; emotion 0, certainty 1, never verified."""
    terms = cosine * decay_factor(now - body.last_access) + 0.05 * force + mass_boost(body.mass)
    return (terms + certainty_term(1.0, None)) * saturation(body.returns)


@dataclass(slots=True)
class Reference:
    """A memory of the reference system over fixed texts."""

    ids: Sequence[str]
    vectors: Vectors
    """(texts, dim), of length 1."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """Id of the document that a text is a part of; its own id where there is none."""
    bodies: dict[str, Body] = field(init=False)
    _places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.bodies = {name: Body() for name in self.ids}
        self._places = {name: place for place, name in enumerate(self.ids)}

    def recall(
        self, vector: Sequence[float], lexical: Sequence[str], *, now: float, top_k: int, passive: bool = False
    ) -> list[tuple[str, float]]:
        """Ids and scores, best first; unless passive, everything that the wave reached is changed.

        Args:
            vector: of the query, of length 1.
            lexical: ids as its BM25 ranks them.
            now: seconds since the start.
            top_k: most results.
            passive: whether it leaves the state alone.
        """
        cosines = self.vectors @ np.asarray(vector)
        forces, outside = self._wave(self._seeds(cosines, lexical))
        scored = [
            (name, final_score(self.bodies[name], cosine=float(cosines[self._places[name]]), force=force, now=now))
            for name, force in forces.items()
        ]
        ranked = sorted(((n, s) for n, s in scored if s > 0), key=lambda row: (-row[1], row[0]))[:top_k]
        if not passive:
            self._train([name for name, _ in ranked], outside, forces, now)
        return ranked

    def _seeds(self, cosines: Vectors, lexical: Sequence[str]) -> list[str]:
        """The best by reciprocal rank fusion of three equal lists: raw, virtual (the same without moves) and BM25."""
        by_cosine = [self.ids[place] for place in np.argsort(-cosines, kind="stable")[:_SEEDS]]
        fused: dict[str, float] = {}
        for side in (by_cosine, by_cosine, lexical[:_SEEDS]):
            for rank, name in enumerate(side, start=1):
                fused[name] = fused.get(name, 0.0) + 1 / (_RRF_K + rank)
        return sorted(fused, key=lambda name: (-fused[name], name))

    def _wave(self, seeds: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
        """Force of every reached node, and of it what came from outside its own document."""
        forces = dict.fromkeys(seeds, 1.0)
        outside = dict.fromkeys(seeds, 1.0)
        frontier = list(seeds)
        for _ in range(_DEPTH):
            reached: list[str] = []
            for parent in frontier:
                mass = self.bodies[parent].mass
                force = forces[parent] * attenuation(mass)
                if force < _WEAKEST:
                    continue
                for child in self._neighbours(parent, mass):
                    if child not in forces:
                        reached.append(child)
                    forces[child] = forces.get(child, 0.0) + force
                    if self._document(child) != self._document(parent):
                        outside[child] = outside.get(child, 0.0) + force
            frontier = reached
        return forces, outside

    def _neighbours(self, parent: str, mass: float) -> list[str]:
        place = self._places[parent]
        cosines = self.vectors @ self.vectors[place]
        cosines[place] = -1.0
        nearest = np.argsort(-cosines, kind="stable")[: fan_out(mass)]
        return [self.ids[near] for near in nearest if cosines[near] >= least_cosine(mass)]

    def _document(self, name: str) -> str:
        return self.documents.get(name, name)

    def _train(
        self, returned: Sequence[str], outside: Mapping[str, float], forces: Mapping[str, float], now: float
    ) -> None:
        for name in forces:
            body = self.bodies[name]
            body.mass = min(MAX_MASS, grown(body.mass, outside.get(name, 0.0)))
            body.last_access = now
        for name in returned:
            self.bodies[name].returns += 1
        for name in forces:
            self.bodies[name].returns *= _HABIT_LEFT
