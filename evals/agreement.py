"""How far do two raters agree?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import correlation, fmean

__all__ = ["kappa", "spearman"]


def spearman(left: Sequence[float], right: Sequence[float]) -> float:
    """Rank correlation of two lists of equal length, ties at their mean rank; 0 where one list is constant."""
    a, b = _ranks(left), _ranks(right)
    return correlation(a, b) if min(len({*a}), len({*b})) > 1 else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    places: dict[float, list[int]] = defaultdict(list)
    for place, value in enumerate(sorted(values)):
        places[value].append(place)
    return [fmean(places[value]) for value in values]


def kappa(left: Sequence[int], right: Sequence[int]) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968) over 0..10; 1 where both are the same constant."""
    seen = sum((x - y) ** 2 for x, y in zip(left, right, strict=True)) / len(left)
    by_chance = fmean((x - y) ** 2 for x in left for y in right)
    return 1 - seen / by_chance if by_chance else 1.0
