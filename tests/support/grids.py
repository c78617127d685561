"""Which cases of a grid of parameters show each value, or each pair of values, at least once?

Language, form of the call and kind of fault are decided in different places; where a test runs all of them against all
others, most cases repeat what another has shown. The usual run takes a few, `--full` all. The choice is greedy and
depends on the order of the cases alone (Cohen et al. 1997, the AETG system).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

__all__ = ["covering"]

Case = Mapping[str, int]
"""Which value each parameter has: a number that no other of its values has."""


def covering(cases: Sequence[Case], strength: int = 1) -> list[int]:
    """Choose cases in which all that stands together somewhere, `strength` values at a time, stands together again.

    Of cases that add as many of these, the one that adds more of the next strength is taken, hence with one value at a
    time the pairs are varied too.
    """
    sets = [(_together(case, strength), _together(case, strength + 1)) for case in cases]
    wanted = set[object]().union(*(few for few, _ in sets))
    seen, seen_too = set[object](), set[object]()
    chosen: list[int] = []
    while seen < wanted:
        best = max(range(len(cases)), key=lambda number: (len(sets[number][0] - seen), len(sets[number][1] - seen_too)))
        chosen.append(best)
        seen |= sets[best][0]
        seen_too |= sets[best][1]
    return sorted(chosen)


def _together(case: Case, size: int) -> set[object]:
    return set(combinations(sorted(case.items()), min(size, len(case))))
