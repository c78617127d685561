"""What do the rows of a suite add up to, and how sure is it?

Yes or no and counts become hits of how many with Wilson's interval, measures a mean with an interval by bootstrap; both
are 95 % intervals. Judged answers are counted by judge, apart from everything else.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from evals.agreement import kappa
from evals.intervals import bootstrap, rounded, wilson
from evals.runner.declare import Plan
from evals.runner.rows import Row

__all__ = ["Cells", "Figure", "figure", "shown", "summarise"]

Figure = Mapping[str, Any]
"""`{hits, of, interval}`, `{mean, n, interval}`, `{counts, n}`, or `{value}`."""
_SEED: Final = 7


def figure(scores: Sequence[Any]) -> Figure:
    """What scores of one kind add up to; at least one."""
    if all(isinstance(score, bool | list | tuple) for score in scores):
        pairs = [(int(score), 1) if isinstance(score, bool) else tuple(score) for score in scores]
        hits, of = (sum(pair[place] for pair in pairs) for place in (0, 1))
        return {"hits": hits, "of": of, "interval": rounded(wilson(hits, of))}
    if all(isinstance(score, str) for score in scores):
        return {"counts": dict(sorted(Counter(scores).items())), "n": len(scores)}
    values = [float(score) for score in scores]
    mean = round(sum(values) / len(values), 4)
    return {"mean": mean, "n": len(values), "interval": rounded(bootstrap(values, seed=_SEED))}


def shown(found: Figure | None, *, digits: int = 3) -> str:
    """A figure in words; a dash where there is none."""
    match found:
        case {"hits": hits, "of": of} if of:
            low, high = wilson(hits, of)
            return f"{hits}/{of} ({100 * low:.1f}-{100 * high:.1f} %)"
        case {"counts": counts}:
            return ", ".join(f"{name} {count}" for name, count in counts.items())
        case {"mean": mean, "interval": [low, high]}:
            return f"{mean:.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"
        case {"value": value}:
            return f"{value:.{digits}f}"
        case _:
            return "-"


def summarise(plan: Plan, rows: Sequence[Row]) -> dict[str, Any]:
    """Of the rows of one suite: `cells` by arm and tags, `judged` by judge, `kappa` by pair of judges, `failed`.

    A cell is `{arm, tags, figures}`; the cells without tags are over all cases. `failed` are the hard scorers that did
    not hold, with case and arm.
    """
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[Row]] = defaultdict(list)
    for row in rows:
        for names in ((), *plan.by):
            if all(name in row.tags for name in names):
                groups[row.arm, tuple((name, row.tags[name]) for name in names)].append(row)
    cells = [
        {"arm": arm, "tags": dict(tags), "figures": figures}
        for (arm, tags), found in groups.items()
        if (figures := _figures(plan, found))
    ]
    return {
        "cases": len({row.case for row in rows}),
        **({"facts": dict(plan.facts)} if plan.facts else {}),
        "cells": cells,
        **_judged(groups),
        "failed": [
            {"case": row.case, "arm": row.arm, "scorer": name, "trial": row.trial}
            for row in rows
            for name in row.hard_failed
        ],
    }


def _figures(plan: Plan, rows: Sequence[Row]) -> dict[str, Figure]:
    found = {}
    for scorer in plan.scorers:
        if scores := [row.scores[scorer.name] for row in rows if row.scores.get(scorer.name) is not None]:
            found[scorer.name] = figure(scores)
    values = {name: measure(rows) for name, measure in plan.metrics.items()}
    return {**found, **{name: {"value": round(value, 4)} for name, value in values.items() if value is not None}}


def _judged(groups: Mapping[tuple[str, tuple[tuple[str, str], ...]], Sequence[Row]]) -> dict[str, Any]:
    cells = []
    every: dict[str, dict[tuple[str, ...], bool]] = defaultdict(dict)
    for (arm, tags), rows in groups.items():
        counts: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
        for judge, row, question, answer in _answers(rows):
            counts[judge][question.partition(":")[0]].append(answer)
            every[judge][row.case, arm, str(row.trial), question] = answer
        cells += [
            {"judge": judge, "arm": arm, "tags": dict(tags), "figures": {q: figure(a) for q, a in found.items()}}
            for judge, found in counts.items()
        ]
    return {"judged": cells, "kappa": list(_agreement(every))} if cells else {}


def _answers(rows: Sequence[Row]) -> Iterator[tuple[str, Row, str, bool]]:
    for row in rows:
        for judge, answers in row.judged.items():
            yield from ((judge, row, question, answer) for question, answer in answers.items() if answer is not None)


def _agreement(every: Mapping[str, Mapping[tuple[str, ...], bool]]) -> Iterator[dict[str, Any]]:
    """Cohen's kappa (1960) of every two judges, by question, over what both answered.

    Of two values the quadratic weights are those of the unweighted coefficient.
    """
    for left, right in combinations(every, 2):
        both = sorted(every[left].keys() & every[right].keys())
        for question in sorted({key[-1].partition(":")[0] for key in both}):
            keys = [key for key in both if key[-1].partition(":")[0] == question]
            pairs = ([int(every[judge][key]) for key in keys] for judge in (left, right))
            yield {"judges": [left, right], "question": question, "n": len(keys), "kappa": round(kappa(*pairs), 4)}


class Cells:
    """The cells of a committed result, looked up by arm and tags."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        self._cells = {(cell["arm"], frozenset(cell["tags"].items())): cell["figures"] for cell in result["cells"]}

    def figure(self, arm: str, name: str, **tags: str) -> Figure:
        """One figure; empty where there is none."""
        figures: Mapping[str, Figure] = self._cells.get((arm, frozenset(tags.items())), {})
        return figures.get(name, {})

    def counts(self, arm: str, name: str, **tags: str) -> str:
        """`hits/of`; a dash where there is none."""
        found = self.figure(arm, name, **tags)
        return f"{found['hits']}/{found['of']}" if found else "-"

    def value(self, arm: str, name: str, **tags: str) -> float:
        """A mean, or a value; 0 where there is none."""
        found = self.figure(arm, name, **tags)
        return float(found.get("mean", found.get("value", 0.0)))
