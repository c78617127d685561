"""What is a score made of, what did a use change, and what did a question ask for?

Plain records with nothing but sums in them, so that every surface shows the same figures. Names of terms are those of
the field: a term that ends in `_term` or `_boost` is added, one that ends in `_factor` is multiplied.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

__all__ = ["Factor", "HeldBack", "Observability", "Reason", "RoutingHint", "ScoreBreakdown", "TrainingDelta"]

_HALF = 0.5


class Reason(StrEnum):
    """What an item was returned for; the first that holds."""

    forced = "forced"
    """The caller named its tag."""
    deceptive = "deceptive"
    """More of the score is about the item's past than about the question."""
    both = "both"
    """Near in meaning and in words."""
    meaning = "meaning"
    words = "words"


class Factor(StrEnum):
    """The one thing that held a match back."""

    quarantined = "quarantined"
    """It imitates the marks of our own prompts."""
    floor = "floor"
    """Too far from the question to be about it."""
    filter = "filter"
    """Outside the sources, kinds, tags or the date that were asked for."""
    relevance = "relevance"
    """Others are nearer."""
    share = "share"
    """Half of the list comes from the same document already."""
    age = "age"
    """It would be listed if it had been used lately."""
    mass = "mass"
    """It would be listed if it had been used as often as the last one listed."""
    certainty = "certainty"
    """It would be listed if it were no guess and nothing contradicted or superseded it."""
    shown = "shown"
    """It would be listed if it had not been shown in this session before without being used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBreakdown:
    """A score as the sum that it is; `expected_sum` is that sum."""

    relevance: float
    """0 to 1: how near the item is to the question, by meaning and by words."""
    raw_cosine: float | None = None
    """For information; None where the item has no vector yet, or in lexical mode."""
    bm25_score: float = 0.0
    """For information; 0 where no gram is shared."""
    decay_factor: float = 1.0
    """0.85 to 1, by days since the last use."""
    mass_boost: float = 0.0
    certainty_term: float = 0.0
    persona_term: float = 0.0
    saturation: float = 1.0
    """0.7 to 1, by how often it was shown in this session without being used."""
    node_mass: float = 1.0
    """For information: 1 for an item that nobody ever used."""
    forced_inclusion: bool = False

    @property
    def expected_sum(self) -> float:
        """The score."""
        beside = self.mass_boost + self.certainty_term + self.persona_term
        return (self.relevance * self.decay_factor + beside) * self.saturation

    @property
    def semantic_share(self) -> float:
        """Share of the score that is about the question; 0 for a score of 0."""
        total = self.expected_sum
        return self.relevance * self.decay_factor * self.saturation / total if total > 0 else 0.0

    @property
    def deceptive(self) -> bool:
        """Is less than half of the score about the question?"""
        return self.semantic_share < _HALF


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """A match that was not returned, and the one reason."""

    id: str
    handle: str
    reason: str
    """below_floor, filter, budget or quarantined."""
    factor: Factor | None = None
    """The one thing that held it back; of what is near enough, only where an explanation was asked for."""
    breakdown: ScoreBreakdown | None = None
    text: str = ""
    """One line of it, where an explanation was asked for."""
    had: float | None = None
    """What it was held back by: its cosine where it was too far, else its score; None where neither decided."""
    needed: float | None = None
    """The threshold: the cosine from which an item is near, or the score of the last item of the list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingDelta:
    """What a use of recalled items changes, or has changed, in their masses. All empty: nothing was touched."""

    mass_changes: Mapping[str, float] = field(default_factory=dict)
    """Gain by id, ids ascending; never negative. A plan holds what each item would earn if it were used."""
    applied: bool = False
    """True once the log holds it."""
    passive: bool = True
    """Looked at, not used: nothing can change."""
    cache_hit: bool = False
    """The answer was kept from before, so nothing was planned: other than nothing being touched."""
    considered: int = 0
    """Matches that were scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingHint:
    """Whether a question asks for an aspect of the person (open tasks, values) rather than for a topic."""

    aspect: str | None = None
    pattern_matched: bool = False
    auto_routed: bool = False
    """True if the aspect was really looked up."""
    reflect_summary: str | None = None
    """How many there are, and the first of them, one line each."""
    total: int = 0
    """How many there are on that side."""
    listed: tuple[str, ...] = ()
    """Ids of what is there on that side, at most ten: what ends first stands first, else the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observability:
    """What every recall shows and does, unless a call says otherwise."""

    breakdown: bool = True
    """Each item comes with what its score is made of."""
    training: bool = True
    """Use moves mass. Without it nothing is planned and nothing credited."""
    routing: bool = True
    """A question for open tasks, values and the like gets that list, beside what is near it."""
    brief: bool = False
    """Texts are cut to one line of 80 characters."""
