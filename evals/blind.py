"""Which arm's questions do raters prefer who do not know which arm wrote them?

A sheet holds one question of each arm for each input, in an order that says nothing about the arm; the key stays apart.
Raters give four integers from 0 to 10 a question. What comes out is, by language and arm, the mean of each axis and of
the total, how often an arm has the highest total for an input, and how far two raters agree (Spearman's rank
correlation of totals and quadratically weighted kappa of each axis). Raters are named as what they are; nothing here is
about people.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import correlation, fmean
from typing import Any, Final

from evals.suite import read_rows
from rqa_nodes.language import detect

__all__ = ["AXES", "kappa", "score", "sheet", "spearman"]

AXES: Final = ("depth", "sharpness", "novelty", "actionability")
_HIGHEST: Final = 10
_Row = dict[str, Any]


def sheet(inputs: Mapping[str, str], questions: Mapping[tuple[str, str], str]) -> tuple[list[_Row], list[_Row]]:
    """The rows that raters see, and the key.

    Args:
        inputs: Texts by their id.
        questions: By input and arm; an empty one is not put to raters, and stands in the key without a row.

    Returns:
        Rows `{id, input, question}` in the order of a digest, and key rows `{id, input_id, lang, arm}` in the same
        order; an arm without a question has the id "".
    """
    digests = {
        pair: hashlib.sha256("\x00".join((*pair, text)).encode()).hexdigest() for pair, text in questions.items()
    }
    items: list[_Row] = []
    key: list[_Row] = []
    for pair in sorted(questions, key=lambda pair: digests[pair]):
        input_id, arm = pair
        name = f"b{len(items) + 1:03d}" if questions[pair] else ""
        if name:
            items.append({"id": name, "input": inputs[input_id], "question": questions[pair]})
        key.append({"id": name, "input_id": input_id, "lang": detect(inputs[input_id]), "arm": arm})
    return items, key


def score(key: Path, ratings: Sequence[Path]) -> _Row:
    """What the raters of one sheet said.

    Args:
        key: JSON lines of `sheet`.
        ratings: One file of JSON lines `{id, depth, sharpness, novelty, actionability}` a rater; the first line may be
            `{"rater": ...}`, which says who rated.

    Raises:
        ValueError: a rating is missing, unknown, or no integer from 0 to 10.
    """
    rows = read_rows(key)
    asked = {row["id"]: row for row in rows if row["id"]}
    given = [_ratings(path, asked) for path in ratings]
    arms = list(dict.fromkeys(sorted(row["arm"] for row in rows)))
    return {
        "suite": "questions_blind",
        "raters": [rater for rater, _ in given],
        "inputs": len({row["input_id"] for row in rows}),
        "questions": len(asked),
        "rows": {
            lang: {arm: _of_arm(arm, own, [scores for _, scores in given]) for arm in arms}
            for lang in dict.fromkeys(sorted(row["lang"] for row in rows))
            if (own := [row for row in rows if row["lang"] == lang])
        },
        "agreement": [
            {
                "raters": [left[0], right[0]],
                "spearman_of_totals": round(spearman(_totals(left[1]), _totals(right[1])), 3),
                "weighted_kappa": {axis: round(kappa(_axis(left[1], axis), _axis(right[1], axis)), 3) for axis in AXES},
            }
            for left, right in combinations(given, 2)
        ],
    }


def _ratings(path: Path, asked: Mapping[str, _Row]) -> tuple[str, dict[str, _Row]]:
    rows = read_rows(path)
    rater = path.stem
    if rows and "rater" in rows[0]:
        rater = str(rows.pop(0)["rater"])
    scores = {row["id"]: row for row in rows}
    if set(scores) != set(asked):
        missing, unknown = sorted(set(asked) - set(scores)), sorted(set(scores) - set(asked))
        raise ValueError(f"{path.name}: expected one rating a row; missing {missing[:5]!r}, unknown {unknown[:5]!r}")
    wrong = [row["id"] for row in rows if not all(_is_score(row.get(axis)) for axis in AXES)]
    if wrong:
        raise ValueError(f"{path.name}: expected integers from 0 to {_HIGHEST} on {AXES!r}; not so in {wrong[:5]!r}")
    return rater, {name: scores[name] for name in asked}


def _is_score(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _HIGHEST


def _of_arm(arm: str, rows: Sequence[_Row], given: Sequence[Mapping[str, _Row]]) -> _Row:
    own = [row["id"] for row in rows if row["arm"] == arm and row["id"]]
    return {
        "questions": len(own),
        "without_question": sum(row["arm"] == arm and not row["id"] for row in rows),
        "by_rater": [
            {
                **{axis: round(fmean(scores[name][axis] for name in own), 2) for axis in AXES},
                "total": round(fmean(_total(scores[name]) for name in own), 2),
                "best_of_input": _wins(rows, scores)[arm],
            }
            for scores in given
            if own
        ],
    }


def _wins(rows: Sequence[_Row], scores: Mapping[str, _Row]) -> Counter[str]:
    """How often each arm alone has the highest total for an input."""
    by_input: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        by_input[row["input_id"]][row["arm"]] = _total(scores[row["id"]]) if row["id"] else -1
    wins: Counter[str] = Counter()
    for totals in by_input.values():
        best = [arm for arm, total in totals.items() if total == max(totals.values())]
        wins.update(best if len(best) == 1 else ())
    return wins


def _total(row: Mapping[str, Any]) -> int:
    return sum(int(row[axis]) for axis in AXES)


def _totals(scores: Mapping[str, _Row]) -> list[int]:
    return [_total(row) for row in scores.values()]


def _axis(scores: Mapping[str, _Row], axis: str) -> list[int]:
    return [int(row[axis]) for row in scores.values()]


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
