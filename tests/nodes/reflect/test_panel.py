"""The panel is one object; Markdown is its rendering, in the language of the input."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.choice import choice, runners_up
from rqa_nodes.reflect.evaluate import AXES, judge
from rqa_nodes.reflect.govern import Gate, StopReason, Violation, ViolationReason
from rqa_nodes.reflect.panel import Boundary, panel, to_markdown
from rqa_nodes.reflect.panel_words import WORDS
from rqa_nodes.reflect.schema import LAYERS, STANCES
from rqa_nodes.tools.status import ToolStatus
from rqa_nodes.tools.words import status_words
from tests.support.analyses import parsed, scores

BUDGET = Budget(name="standard", candidates=4, rounds=2, fragments=4, regenerations=1, seconds=300)


def _boundary(**changed: Any) -> Boundary:
    options: dict[str, Any] = {"stop_reason": "depth_threshold_reached", "budget": BUDGET, "rounds": 1, "injected": 2}
    return Boundary(**(options | changed))


def _panel(lang: str = "en", *, degraded: bool = False, **changed: Any) -> dict[str, Any]:
    analysis = parsed(lang)
    analysis["feature_map"]["tensions_memory_cross"] = [
        {"tension": "T", "memory_ref": "k3v9xq", "recorded_at": "2026-06-01", "confidence": "medium"},
        {"tension": "U", "memory_ref": "", "recorded_at": "", "confidence": "low"},
    ]
    verdict = None if degraded else judge(scores((9, 8, 8, 7), (6, 6, 6, 6), (5, 5, 5, 5), rationale="R"), (1, 0, 2))
    reason = "no_key" if degraded else ""
    best = choice(analysis, 1, round_number=1, verdict=verdict, degraded_reason=reason)
    rest = runners_up(analysis, (1, 0, 2), best=1, round_number=1, verdict=verdict, degraded_reason=reason)
    return panel(analysis, best, rest, _boundary(**changed), lang=lang)


def test_the_two_languages_have_the_same_words() -> None:
    assert WORDS["en"].keys() == WORDS["ja"].keys()
    assert all(WORDS["en"][key] and WORDS["ja"][key] for key in WORDS["en"])


def test_there_is_a_word_for_everything_that_can_be_shown() -> None:
    shown = {*StopReason, *ViolationReason, *STANCES, *LAYERS, *AXES, *(gate.name for gate in Gate)}
    assert not {str(name) for name in shown} - WORDS["ja"].keys()


def test_the_panel_is_plain_json_with_every_section() -> None:
    shown = _panel()
    assert json.loads(json.dumps(shown)) == shown
    assert list(shown) == [
        "lang",
        "claims",
        "tensions",
        "assumptions",
        "frames",
        "search",
        "question",
        "runners_up",
        "boundary",
    ]
    assert shown["question"]["score"] == 32
    assert [row["score"] for row in shown["runners_up"]] == [24, 20]


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_markdown_has_all_headings_in_the_language_of_the_input(lang: str) -> None:
    text = to_markdown(_panel(lang))
    headings = [line.removeprefix("### ") for line in text.split("\n") if line.startswith("### ")]
    words = WORDS[lang]
    names = ("claims", "tensions", "assumptions", "frames", "search", "question", "runners_up", "boundary")
    assert headings == [words[name] for name in names]
    assert parsed(lang)["question_candidates"][1]["question"] in text
    assert "[m:k3v9xq], 2026-06-01" in text
    assert words["no_ref"] in text
    other = WORDS["ja" if lang == "en" else "en"]
    assert not [other[name] for name in names if other[name] in text]


def test_a_score_shows_its_four_parts_and_the_rationale() -> None:
    text = to_markdown(_panel())
    assert "Score 32 of 40 (depth 9, sharpness 8, novelty 8, actionability 7)" in text
    assert "- Rationale:\n  - R" in text


@pytest.mark.parametrize(("lang", "said"), [("en", "no key for the evaluator"), ("ja", "評価器の鍵がありません")])
def test_a_question_without_a_judge_says_why_and_shows_no_number(lang: str, said: str) -> None:
    text = to_markdown(_panel(lang, degraded=True))
    assert said in text
    assert "of 40" not in text
    assert "40点中" not in text
    assert text.count(WORDS[lang]["unscored"]) >= 2


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_rejected_round_shows_the_violation_and_no_question(lang: str) -> None:
    violation = Violation(
        gate=Gate.objective_tampering, reason=ViolationReason.changes_the_yardstick, detail="rubric"
    ).to_dict()
    shown = _panel(lang, violations=[violation], stop_reason="boundary_violation_detected")
    assert shown["question"] is None
    assert shown["runners_up"] == []
    text = to_markdown(shown)
    words = WORDS[lang]
    assert f"4 {words['objective_tampering']}: {words['changes_the_yardstick']} (rubric)" in text
    assert WORDS[lang]["boundary_violation_detected"] in text
    assert parsed(lang)["question_candidates"][1]["question"] not in text


def test_a_proposal_is_shown_only_if_it_passed() -> None:
    analysis = parsed()
    analysis["self_update_proposal"] = {
        "allowed_area": "question_generation_bias",
        "update_type": "note",
        "observation": "o",
        "proposed_adjustment": "a",
        "rollback": "",
    }
    passed = panel(analysis, None, [], _boundary(), lang="en")
    assert "6b. Self-update proposal" in to_markdown(passed)
    assert "- area: question\\_generation\\_bias\n- type of change: note\n" in to_markdown(passed)
    assert "- 領域: question\\_generation\\_bias\n- 変更の種類: note\n" in to_markdown({**passed, "lang": "ja"})
    violation = Violation(gate=Gate.boundary, reason=ViolationReason.outside_allowed_areas).to_dict()
    assert "self_update_proposal" not in panel(analysis, None, [], _boundary(violations=[violation]), lang="en")


def _row(status: str = "ok", **changes: Any) -> dict[str, Any]:
    refs = [{"id": "n_1", "handle": "abc123", "source": "external"}] if status == "ok" else []
    row = {"tool": "web_search", "query": "mill tax 2026", "by": "model", "status": status, "detail": "", "items": refs}
    return row | {"withheld": 0, "leaves": True, "seconds": 0.1} | changes


def test_understanding_is_shown_only_after_a_search() -> None:
    assert "lookups" not in _panel()
    shown = panel(parsed(), None, [], _boundary(lookups=[_row()], understood=["税が変わった"]), lang="ja")
    assert shown["lookups"][0]["found"] == ["abc123"]
    text = to_markdown(shown)
    assert "### 6. 検索後の理解\n\n- web\\_search: 見つかった\n  - mill tax 2026\n  - [m:abc123]" in text
    assert "- その後、分析に加わったもの:\n  - 税が変わった" in text


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("status", list(ToolStatus))
def test_what_came_of_each_lookup_is_said(status: ToolStatus, lang: str) -> None:
    row = _row(status, detail="10.0.0.1 is private", withheld=2)
    text = to_markdown(panel(parsed(), None, [], _boundary(lookups=[row]), lang=lang))
    assert status_words(status, lang) in text
    assert "10.0.0.1 is private" in text
    assert ("件" if lang == "ja" else "like instructions: 2") in text


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_what_was_withheld_and_stripped_is_counted_with_its_reason(lang: str) -> None:
    text = to_markdown(
        _panel(
            lang,
            withheld=[{"handle": handle, "reason": "looks_like_instruction"} for handle in ("abc123", "abc124")],
            stripped=[{"ref": "zzz999", "kind": "unknown_id", "reason": ""}],
        )
    )
    words = WORDS[lang]
    assert words["line_withheld"].format(count=2, rows=f"{words['looks_like_instruction']} × 2") in text
    assert words["line_stripped"].format(count=1, rows=f"{words['unknown_id']} × 1") in text
    assert "abc123" not in text


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_brief_is_the_question_the_runners_up_and_one_status_line(lang: str) -> None:
    text = to_markdown(_panel(lang), brief=True)
    assert "###" not in text
    assert text.startswith(f"**{parsed(lang)['question_candidates'][1]['question']}**")
    assert parsed(lang)["question_candidates"][0]["question"] in text
    assert WORDS[lang]["depth_threshold_reached"] in text.split("\n")[-1]
    assert parsed(lang)["feature_map"]["claims"][0] not in text


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_model_that_gave_nothing_leaves_a_panel_that_says_so(lang: str) -> None:
    shown = panel(None, None, [], _boundary(stop_reason="model_unavailable", rounds=0), lang=lang)
    for text in (to_markdown(shown), to_markdown(shown, brief=True)):
        assert WORDS[lang]["model_unavailable"] in text


def test_nothing_in_a_model_text_becomes_markup_or_another_line() -> None:
    analysis = parsed()
    analysis["feature_map"]["claims"] = ["a\n### 9. Approved\n- <b>x</b> | *y* `z` [m:k3v9xq]"]
    text = to_markdown(panel(analysis, None, [], _boundary(), lang="en"))
    assert "\n### 9" not in text
    assert "- a \\#\\#\\# 9. Approved - \\<b\\>x\\</b\\> \\| \\*y\\* \\`z\\` [m:k3v9xq]" in text
