"""What do the figures of past turns add up to?

Pure functions over the lines of `telemetry.jsonl`; each says what it counts and of how many, because a share without
its count is worth nothing. With nothing to count, a figure is None. Telemetry holds no words and no labels: what is
measured here is what happened in real use, while `evals` measures what should have.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, Final

__all__ = [
    "REFERENCE_LAYER_BITS",
    "REFERENCE_STANCE_BITS",
    "Diversity",
    "Kpis",
    "Latency",
    "Lift",
    "References",
    "Share",
    "compute",
    "entropy",
]

Line = Mapping[str, Any]

REFERENCE_LAYER_BITS: Final = 1.886
REFERENCE_STANCE_BITS: Final = 1.518
"""Diversity of the reference system on 47 held-out inputs."""

_LIGHT: Final = (0, 1)
_FABRICATED: Final = ("unknown_id", "stale_id", "ambiguous_prefix")
"""Verdicts on a reference that points to nothing that was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How often it happened, of how often it could have."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """In [0, 1]; None where it could not have happened."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lift:
    """What the selection gained, in points of 40."""

    mean: float | None
    of: int
    """Reflections whose selected question and whose first draft were both scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """How evenly the kept candidates spread."""

    layer_bits: float
    """At most 2: four layers."""
    stance_bits: float
    """At most 1.585: three stances."""
    of: int
    """Kept candidates."""
    layers: Mapping[str, int]
    stances: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """References to memory, before and after the verifier."""

    fabricated_before: int
    """In the author's own words."""
    fabricated_after: int
    """In the text that was checked, when it is checked again before it is published."""
    of: int
    """All references in the author's own words, the valid ones among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Seconds from the beginning of a turn to its published answer."""

    median: float
    p95: float
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kpis:
    """What past turns add up to."""

    turns: int
    rounds: int
    selector_lift: Lift
    graph_leverage: Share
    diversity: Diversity
    non_escalation: Share
    degradation: Share
    boundary_violation: Share
    side_questions: Mapping[str, int]
    """Outcome and how often."""
    references: References
    latency: Mapping[int, Latency]
    """By level."""


def compute(lines: Sequence[Line]) -> Kpis:
    """All figures of the lines of one home."""
    rounds = [line for line in lines if line["kind"] == "round"]
    parts = [line for line in lines if line["kind"] == "part"]
    answers = [line for line in parts if line["part"] != "question"]
    return Kpis(
        turns=len(answers),
        rounds=len(rounds),
        selector_lift=selector_lift(rounds),
        graph_leverage=graph_leverage(rounds),
        diversity=diversity(rounds),
        non_escalation=non_escalation(answers),
        degradation=degradation(rounds),
        boundary_violation=boundary_violation(rounds),
        side_questions=side_questions(parts),
        references=references(parts, rounds),
        latency=latency(answers),
    )


def selector_lift(rounds: Iterable[Line]) -> Lift:
    """Selected minus single-shot score, same version and input.

    Single-shot is the candidate that the generator itself put first in its first round: what would have been asked
    without a selection and without further rounds. Only the same evaluator's scores are compared.
    """
    both = [(r["score"], r["single_shot"]) for r in rounds if r.get("single_shot") is not None]
    gains = [score - single for score, single in both if score is not None]
    return Lift(mean=statistics.fmean(gains) if gains else None, of=len(gains))


def graph_leverage(rounds: Iterable[Line]) -> Share:
    """Adopted questions that use memory, of all adopted ones.

    Adopted: shown to the person, as the panel's question or as a side question. It uses memory if what it targets is a
    tension with a remembered item.
    """
    adopted = [r for r in rounds if r.get("adopted")]
    return Share(count=sum(bool(r["uses_memory"]) for r in adopted), of=len(adopted))


def diversity(rounds: Sequence[Line]) -> Diversity:
    """Entropy in bits over layers and over stances of the candidates that were kept."""
    layers = Counter(layer for r in rounds for layer in r.get("layers", []))
    stances = Counter(stance for r in rounds for stance in r.get("stances", []))
    return Diversity(
        layer_bits=entropy(layers.values()),
        stance_bits=entropy(stances.values()),
        of=layers.total(),
        layers=dict(sorted(layers.items())),
        stances=dict(sorted(stances.items())),
    )


def entropy(counts: Iterable[int]) -> float:
    """Entropy in bits of a distribution given by counts (Shannon 1948, section 6): -sum p log2 p; 0.0 for nothing."""
    positive = [count for count in counts if count > 0]
    whole = sum(positive)
    return sum(count / whole * log2(whole / count) for count in positive)


def non_escalation(answers: Sequence[Line]) -> Share:
    """Turns left at levels 0 and 1, of all turns.

    Use has no labels, so this is the share of all inputs, not of the simple ones; `rqa eval router` counts the
    latter. What `rqa ask` replies without opening the home is not among them.
    """
    return Share(count=sum(line["level"] in _LIGHT for line in answers), of=len(answers))


def degradation(rounds: Iterable[Line]) -> Share:
    """Rounds without an evaluator's verdict, of those that had candidates to judge."""
    due = [r for r in rounds if r.get("shortlist")]
    return Share(count=sum(bool(r.get("degraded")) for r in due), of=len(due))


def boundary_violation(rounds: Sequence[Line]) -> Share:
    """Rounds that a gate of the governor rejected, of all rounds."""
    return Share(count=sum(bool(r.get("violations")) for r in rounds), of=len(rounds))


def references(parts: Iterable[Line], rounds: Iterable[Line]) -> References:
    """Fabricated citations before and after the verifier, as counts."""
    found: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for line in parts:
        found.update(line["found"])
        left.update(line["left"])
    for line in rounds:
        found.update(line["stripped"])
    before, after = (sum(counts[kind] for kind in _FABRICATED) for counts in (found, left))
    return References(fabricated_before=before, fabricated_after=after, of=before + found["valid"])


def side_questions(parts: Iterable[Line]) -> dict[str, int]:
    """What became of the side question of each level-2 turn: "earned", or why none."""
    level_2 = [line["question"] for line in parts if line["level"] == 2 and line["question"]]
    return dict(Counter(level_2).most_common())


def latency(answers: Iterable[Line]) -> dict[int, Latency]:
    """Seconds to the answer by level: the side question of level 2 comes later."""
    seconds: dict[int, list[float]] = {}
    for line in answers:
        seconds.setdefault(line["level"], []).append(line["seconds"])
    return {level: _latency(sorted(values)) for level, values in sorted(seconds.items())}


def _latency(values: Sequence[float]) -> Latency:
    """95th percentile by the nearest rank: the smallest value with at least 95 % at or below it."""
    rank = -(-95 * len(values) // 100)
    return Latency(median=statistics.median(values), p95=values[rank - 1], of=len(values))
