"""The next round digs one layer below the best question."""

from __future__ import annotations

import pytest

from rqa_nodes.reflect.choice import choice
from rqa_nodes.reflect.evaluate import judge
from rqa_nodes.reflect.feedback import feedback, issue_feedback
from tests.support.analyses import parsed, scores


@pytest.mark.parametrize(
    ("lang", "weakest", "deeper"),
    [
        ("en", "Weakest: actionability", "one layer below it, towards L5"),
        ("ja", "最も弱いのは答えやすさ", "一段下、L5を掘る"),
    ],
)
def test_the_verdict_is_fed_back_in_the_language_of_the_input(lang: str, weakest: str, deeper: str) -> None:
    verdict = judge(scores((9, 8, 7, 4), best=0, rationale="R-A-T"), (0,))
    text = feedback(choice(parsed(lang), 0, round_number=1, verdict=verdict), lang)
    for part in (parsed(lang)["question_candidates"][0]["question"], "28", weakest, deeper, "R-A-T"):
        assert part in text


@pytest.mark.parametrize(("lang", "said"), [("en", "No evaluator scored it."), ("ja", "評価器による採点はない。")])
def test_without_a_verdict_the_next_round_still_digs_below(lang: str, said: str) -> None:
    text = feedback(choice(parsed(lang), 2, round_number=1, degraded_reason="no_key"), lang)
    assert said in text
    assert "L7" in text


@pytest.mark.parametrize("best", [None, {}])
def test_a_first_round_has_no_feedback(best: dict[str, object] | None) -> None:
    assert feedback(best, "en") == ""


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "all on one layer, all with one stance"), ("ja", "すべて同じ層、すべて同じ姿勢")]
)
def test_a_regeneration_is_told_what_was_too_alike(lang: str, said: str) -> None:
    assert said in issue_feedback(("few_layers", "few_stances"), lang)
    assert issue_feedback((), lang) == ""


def test_chinese_gets_the_english_words_like_the_rest_of_its_prompt() -> None:
    assert "all on one layer" in issue_feedback(("few_layers",), "zh")
