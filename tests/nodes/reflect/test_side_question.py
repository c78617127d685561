"""A side question is earned, or there is silence."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_nodes.reflect.budgets import Thresholds
from rqa_nodes.reflect.side_question import is_closed, may_surface, spend, topic_key

ASK = "Which team could not test its part within a week?"


def _best(
    *, depth: int = 8, sharpness: int = 8, novelty: int = 7, actionability: int = 7, **changed: Any
) -> dict[str, Any]:
    parts = {"depth": depth, "sharpness": sharpness, "novelty": novelty, "actionability": actionability}
    row = {"question": ASK, "target_text": "every team can test its part", "degraded": False, "scores": parts}
    return row | {"score": sum(parts.values())} | changed


def _reason(best: dict[str, Any] | None, **options: Any) -> str:
    ruling = may_surface(best, thresholds=Thresholds(), **options)
    assert ruling.surfaces is (ruling.reason == "earned")
    return ruling.reason


def test_a_question_at_every_threshold_surfaces() -> None:
    assert _reason(_best()) == "earned"


@pytest.mark.parametrize(
    ("best", "reason"),
    [
        (_best(novelty=6), "score"),
        (_best(depth=7, novelty=10), "depth"),
        (_best(sharpness=7, novelty=10), "sharpness"),
        (_best(actionability=6, novelty=10), "actionability"),
        (_best(degraded=True), "degraded"),
        (_best(score=None), "degraded"),
        (_best(question=""), "none"),
        (None, "none"),
        ({}, "none"),
    ],
)
def test_one_missing_part_is_silence(best: dict[str, Any] | None, reason: str) -> None:
    assert _reason(best) == reason


def test_the_highest_score_does_not_lift_what_the_user_closed() -> None:
    best = _best(depth=10, sharpness=10, novelty=10, actionability=10)
    assert _reason(best, budget=0) == "stop_asking"
    assert _reason(best, asked=1) == "already_asked"
    assert _reason(best, closed_topics=[topic_key(ASK)]) == "topic_closed"
    assert _reason(best, budget=1, closed_topics=[topic_key("Which colour has the door?")]) == "earned"


@pytest.mark.parametrize(
    ("answered", "again", "other"),
    [
        (
            "By author or by date: how should the reading list be ordered?",
            "Should the reading list be ordered by author, or by date?",
            "Which books of the reading list were never opened?",
        ),
        (
            "読書リストは著者順と日付順のどちらで並べますか?",
            "読書リストの並べ方は、日付順でしょうか、著者順でしょうか?",
            "一度も開かなかった本はどれですか?",
        ),
    ],
)
def test_a_topic_answered_once_is_closed_in_other_words_too(answered: str, again: str, other: str) -> None:
    closed = [topic_key(answered)]
    assert is_closed(again, closed)
    assert not is_closed(other, closed)
    assert not is_closed("", closed)
    assert not is_closed(again, [])


def test_a_spent_budget_never_goes_below_zero() -> None:
    assert [spend(None), spend(2), spend(1), spend(0)] == [None, 1, 0, 0]
