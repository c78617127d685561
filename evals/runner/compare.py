"""Did a change make something better or worse? Two runs, case by case.

What both have is compared in pairs: the difference of means with an interval by bootstrap over the pairs, and how many
cases went up or down. Other cases are left out, and counted.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from evals.intervals import bootstrap
from evals.markdown import table
from evals.runner.rows import read_run

__all__ = ["compare"]

_SEED = 7


def compare(first: Path, second: Path) -> str:
    """Markdown of what changed from the first run to the second. Raises NoRunError."""
    (_, before), (_, after) = read_run(first), read_run(second)
    known = {row.key: row for row in before}
    pairs: dict[tuple[str, str, str], list[tuple[float, float]]] = defaultdict(list)
    both = [(known[row.key], row) for row in after if row.key in known]
    for old, new in both:
        for name in old.scores.keys() & new.scores.keys():
            if isinstance(new.scores[name], str):
                continue
            pairs[new.suite, new.arm, name].append((_value(old.scores[name]), _value(new.scores[name])))
    left = len(before) + len(after) - 2 * len(both)
    rows = [[*key, *_difference(found)] for key, found in sorted(pairs.items())]
    head = f"From {first.name} to {second.name}: {len(both)} rows in both, {left} in one alone."
    columns = ["suite", "arm", "scorer", "n", "before", "after", "difference", "up", "down"]
    return table(head, columns, rows)


def _value(score: Any) -> float:
    return score[0] / score[1] if isinstance(score, list) and score[1] else float(score if score != [0, 0] else 0)


def _difference(pairs: list[tuple[float, float]]) -> list[str]:
    changes = [new - old for old, new in pairs]
    low, high = bootstrap(changes, seed=_SEED)
    before, after = (sum(pair[side] for pair in pairs) / len(pairs) for side in (0, 1))
    counts = [str(sum(change > 0 for change in changes)), str(sum(change < 0 for change in changes))]
    change = f"{after - before:+.3f} ({low:+.3f} to {high:+.3f})"
    return [str(len(pairs)), f"{before:.3f}", f"{after:.3f}", change, *counts]
