"""In which order do the matches of a question stand, and why does each stand where it does?

What an item is about decides; what became of it since - how often it was used, when last, whether something speaks
against it - can move it only a little. Everything beside relevance together is at most `MOST_BESIDE`, so an item whose
relevance is higher by more than that, after the most that age can take from it, always stands above. Pure: the same
question over the same snapshot gives the same order, scores and planned changes, to the last bit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

from rqa_checkpoints.breakdown import Factor, Reason, ScoreBreakdown, TrainingDelta
from rqa_checkpoints.mass import MAX_MASS, Holding, How, Root, Use, account_of, faded, gain_of, moment, root_of
from rqa_checkpoints.provenance import MemoryNode, SourceClass

__all__ = ["MOST_BESIDE", "Candidate", "Plan", "Scored", "Snapshot", "Wanted", "held_by", "plan", "reason_of", "score"]

LEAST_DECAY: Final = 0.85
"""An item that was not used for ever keeps so much of its relevance: age orders likes, and hides nothing."""
_DECAY_HALF_LIFE_DAYS: Final = 30.0
_SECONDS_A_DAY: Final = 86_400.0
_MASS_SHARE: Final = 0.05
_CERTAINTY_SHARE: Final = 0.02
_PERSONA_SHARE: Final = 0.03
MOST_BESIDE: Final = _MASS_SHARE + _CERTAINTY_SHARE + _PERSONA_SHARE
"""Most that everything beside relevance adds."""
_GUESS_CERTAINTY: Final = 0.5
LEAST_SATURATION: Final = 0.7
_PER_SHOWING: Final = 0.05
_NEAR: Final = 0.3
"""Share of the highest relevance from which a side is named as what an item was found by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A match, before it is scored."""

    node: MemoryNode
    relevance: float
    """0 to 1."""
    cosine: float | None = None
    lexical: float = 0.0
    related: bool = True
    """Near enough to the question to be about it."""
    near: bool = True
    """Meaning does not speak against it (`fusion.Hit.near`)."""
    opposed_by: frozenset[str] = frozenset()
    """"contradicts" and "supersedes", where a visible item does that to it."""
    proximity: float = 0.0
    """1 for an item that the caller named as persona, half of it for each relation between."""
    forced: bool = False
    shown: int = 0
    """How often it was shown in this session without being used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What the memory held when the question came."""

    now: datetime
    candidates: Sequence[Candidate]
    holdings: Mapping[str, Holding] = field(default_factory=dict)
    """What is needed to say what a use earns; empty for a passive question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked for, beside the words."""

    top_k: int
    actor: SourceClass | None = None
    """Who will use what comes back; None only looks."""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate and its score."""

    candidate: Candidate
    breakdown: ScoreBreakdown

    @property
    def id(self) -> str:
        """Id of the item."""
        return self.candidate.node.id

    @property
    def score(self) -> float:
        """What it is ordered by."""
        return self.breakdown.expected_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The answer to a question, and what using it would change."""

    listed: tuple[Scored, ...]
    held: tuple[Scored, ...]
    """The rest, best first."""
    delta: TrainingDelta


def plan(wanted: Wanted, snapshot: Snapshot) -> Plan:
    """Order the candidates and say what using the listed ones would change; changes nothing itself.

    Best first, with one exception: what words alone or its past have lifted above all others does not stand first while
    there is something that meaning does not speak against. That stands first with the lower score that it has.
    """
    scored = sorted((score(one, now=snapshot.now) for one in snapshot.candidates), key=lambda s: (-s.score, s.id))
    fit = [one for one in scored if one.candidate.related or one.candidate.forced]
    listed = tuple(_led(_within_quota(_led(fit), max(wanted.top_k, 0))))
    shown = {one.id for one in listed}
    held = tuple(one for one in scored if one.id not in shown)
    return Plan(listed=listed, held=held, delta=_planned(wanted, listed, snapshot))


def _led(ranked: Sequence[Scored]) -> Sequence[Scored]:
    """The same, with the first at its head that is near by meaning or was named by the caller; all else as it was."""
    head = next((one for one in ranked if one.candidate.near or one.candidate.forced), None)
    return ranked if head is None else [head, *(one for one in ranked if one is not head)]


def _within_quota(fit: Sequence[Scored], top_k: int) -> tuple[Scored, ...]:
    """The best, best first; one document takes more than half of the places only where nothing else wants them."""
    taken: Counter[str] = Counter()
    first: list[Scored] = []
    spare: list[Scored] = []
    for one in fit:
        account, is_document = account_of(one.candidate.node), one.candidate.node.source is SourceClass.external
        over = is_document and not one.candidate.forced and taken[account] >= max(1, top_k // 2)
        (spare if over else first).append(one)
        taken[account] += 1
    chosen = [*first, *spare][:top_k]
    return tuple(sorted(chosen, key=lambda one: (-one.score, one.id)))


def score(candidate: Candidate, *, now: datetime) -> Scored:
    """Score one candidate.

    `(relevance * decay + mass + certainty + persona) * saturation`, with

    * decay `0.85 + 0.15 * 2**(-days since the last use / 30)`,
    * mass `0.05 * ln(1 + m) / ln(51)` with the faded mass `m`,
    * certainty `0.02`, half of it for what goes back to the assistant's own words, half again for what is
      contradicted; what is superseded has neither mass nor certainty,
    * persona `0.03 * proximity`,
    * saturation `1 / (1 + 0.05 * times shown without use)`, at least 0.7, 1 for what the caller named.
    """
    node = candidate.node
    mass = faded(node.mass, used_at=node.last_used, now=now)
    old = "supersedes" in candidate.opposed_by
    breakdown = ScoreBreakdown(
        relevance=min(max(candidate.relevance, 0.0), 1.0),
        raw_cosine=candidate.cosine,
        bm25_score=candidate.lexical,
        decay_factor=_decay(node, now),
        mass_boost=0.0 if candidate.opposed_by else _mass_boost(mass),
        certainty_term=0.0 if old else _CERTAINTY_SHARE * _certainty(candidate),
        persona_term=_PERSONA_SHARE * min(max(candidate.proximity, 0.0), 1.0),
        saturation=1.0 if candidate.forced else max(LEAST_SATURATION, 1 / (1 + _PER_SHOWING * candidate.shown)),
        node_mass=mass,
        forced_inclusion=candidate.forced,
    )
    return Scored(candidate, breakdown)


def _decay(node: MemoryNode, now: datetime) -> float:
    days = max((now - moment(node.last_used or node.recorded_at)).total_seconds() / _SECONDS_A_DAY, 0.0)
    return float(LEAST_DECAY + (1 - LEAST_DECAY) * 0.5 ** (days / _DECAY_HALF_LIFE_DAYS))


def _mass_boost(mass: float) -> float:
    return _MASS_SHARE * math.log(1 + mass) / math.log(1 + MAX_MASS)


def _certainty(candidate: Candidate) -> float:
    own = _GUESS_CERTAINTY if root_of(candidate.node) is Root.assistant else 1.0
    return own / 2 if "contradicts" in candidate.opposed_by else own


def reason_of(breakdown: ScoreBreakdown, *, floor: float) -> Reason:
    """What an item was returned for. `floor` is the cosine from which two texts are related."""
    near = breakdown.raw_cosine is not None and breakdown.raw_cosine >= floor
    rules = (
        (breakdown.forced_inclusion, Reason.forced),
        (breakdown.deceptive, Reason.deceptive),
        (near and breakdown.bm25_score > 0, Reason.both),
        (near, Reason.meaning),
    )
    return next((reason for holds, reason in rules if holds), Reason.words)


def held_by(one: Scored, listed: Sequence[Scored]) -> Factor:
    """The term that, were it as good as it can be, would have listed the item; of several, the largest one."""
    if not one.candidate.related:
        return Factor.floor
    if not listed:
        return Factor.relevance
    last, own = listed[-1], one.breakdown
    if own.expected_sum > last.score:
        return Factor.share
    better = {
        Factor.age: replace(own, decay_factor=1.0),
        Factor.mass: replace(own, mass_boost=max(own.mass_boost, last.breakdown.mass_boost)),
        Factor.certainty: replace(own, certainty_term=_CERTAINTY_SHARE),
        Factor.shown: replace(own, saturation=1.0),
    }
    enough = {factor: one.expected_sum for factor, one in better.items() if one.expected_sum > last.score}
    return max(enough, key=lambda factor: (enough[factor], factor.value)) if enough else Factor.relevance


def _planned(wanted: Wanted, listed: Iterable[Scored], snapshot: Snapshot) -> TrainingDelta:
    """What each listed item would earn if this actor cited it, and nothing else were used."""
    considered = len(snapshot.candidates)
    if wanted.actor is None:
        return TrainingDelta(considered=considered)
    day, gains = snapshot.now.astimezone(UTC).date().isoformat(), {}
    for name in sorted(one.id for one in listed):
        use = Use(id=name, actor=wanted.actor, how=How.cited)
        held = snapshot.holdings.get(name)
        gain = gain_of(use, held, session=wanted.session, day=day) if held else 0.0
        if gain > 0:
            gains[name] = gain
    return TrainingDelta(mass_changes=gains, passive=False, considered=considered)
