"""Which cases of a grid of parameters show each pair of values at least once?

Language, form of the call and kind of fault are decided in different places; where a test runs all of them against all
others, many cases repeat what others have shown. The usual run takes enough for every pair, `--full` all. The choice is
greedy and depends on the order of the cases alone (Cohen et al. 1997, the AETG system).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

__all__ = ["covering"]

Case = Mapping[str, int]
"""Which value each parameter has: a number that no other of its values has."""


def covering(cases: Sequence[Case]) -> list[int]:
    """Choose cases in which every two values that stand together somewhere stand together again."""
    sets = [set(combinations(sorted(case.items()), min(2, len(case)))) for case in cases]
    wanted = set[object]().union(*sets)
    seen = set[object]()
    chosen: list[int] = []
    while seen < wanted:
        best = max(range(len(cases)), key=lambda number: len(sets[number] - seen))
        chosen.append(best)
        seen |= sets[best]
    return sorted(chosen)
