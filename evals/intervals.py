"""How sure is a share that was counted, or a mean that was taken?"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

__all__ = ["bootstrap", "rounded", "wilson"]

_Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""
_RESAMPLES = 2000


def wilson(hits: int, of: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927, without continuity correction), both ends in [0, 1].

    Args:
        hits: How often it happened.
        of: How often it could have happened; with 0 nothing is known: (0, 1).
    """
    if of == 0:
        return 0.0, 1.0
    share, z2 = hits / of, _Z_95**2
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z_95 * sqrt(share * (1 - share) / of + z2 / (4 * of**2)) / (1 + z2 / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap(values: Sequence[float], *, seed: int) -> tuple[float, float]:
    """95 % interval of a mean by the percentile bootstrap (Efron 1979), 2,000 resamples.

    Args:
        values: At least one.
        seed: Of the resampling.
    """
    source = np.random.default_rng(seed)
    given = np.asarray(values)
    means = given[source.integers(len(given), size=(_RESAMPLES, len(given)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def rounded(interval: tuple[float, float]) -> list[float]:
    """Both ends as a result file holds them."""
    return [round(end, 4) for end in interval]
