"""One record for a question, scored or not."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_nodes.reflect.choice import choice, is_better, runners_up
from rqa_nodes.reflect.evaluate import judge
from tests.support.analyses import parsed, scores


def test_a_scored_question_carries_its_four_parts_and_the_rationale_of_the_best() -> None:
    verdict = judge(scores((9, 8, 7, 6), (5, 5, 5, 5), best=0, rationale="why"), (2, 0))
    best = choice(parsed(), 2, round_number=1, verdict=verdict)
    assert (best["score"], best["rationale"], best["degraded"], best["layer"]) == (30, "why", False, "L5")
    assert best["scores"] == {"depth": 9, "sharpness": 8, "novelty": 7, "actionability": 6}
    assert (best["target"], best["target_text"]) == ("frames[0]", "quality as a matter of rhythm")
    assert choice(parsed(), 0, round_number=1, verdict=verdict)["rationale"] == ""


def test_a_question_without_a_judge_says_so_and_has_no_score() -> None:
    best = choice(parsed("ja"), 1, round_number=2, degraded_reason="no_key")
    assert (best["score"], best["scores"], best["degraded"], best["degraded_reason"]) == (None, None, True, "no_key")


def test_runners_up_of_a_judged_round_are_the_scored_ones_best_first() -> None:
    verdict = judge(scores((9, 9, 9, 9), (4, 4, 4, 4), (6, 6, 6, 6), best=0), (2, 0, 1))
    rows = runners_up(parsed(), (2, 0, 1, 3), best=2, round_number=1, verdict=verdict)
    assert [(row["index"], row["score"]) for row in rows] == [(1, 24), (0, 16)]


def test_runners_up_without_a_judge_are_the_shortlist_in_its_order() -> None:
    rows = runners_up(parsed(), (1, 0, 2), best=1, round_number=1, degraded_reason="no_key")
    assert [(row["index"], row["score"], row["degraded"]) for row in rows] == [(0, None, True), (2, None, True)]


def _row(score: int | None, layer: str = "L4") -> dict[str, Any]:
    return {"score": score, "layer": layer}


@pytest.mark.parametrize(
    ("new", "old", "replaces"),
    [
        (_row(None), None, True),
        (_row(None), {}, True),
        (_row(20), _row(None), True),
        (_row(None), _row(20), False),
        (_row(21), _row(20), True),
        (_row(20), _row(20), False),
        (_row(None, "L5"), _row(None, "L4"), True),
        (_row(None, "L3"), _row(None, "L4"), False),
        (_row(None, "L4"), _row(None, "L4"), False),
    ],
)
def test_a_later_question_replaces_an_earlier_one_only_if_it_is_better(
    new: dict[str, Any], old: dict[str, Any] | None, replaces: bool
) -> None:
    assert is_better(new, old) is replaces
