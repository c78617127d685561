"""Stage 2: what the judge sees, and what its answer means."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rqa_nodes.errors import ModelOutputError
from rqa_nodes.prompts import render
from rqa_nodes.reflect.evaluate import evaluation_parts, judge, offered
from tests.support.analyses import INPUT_EN, INPUT_JA, parsed, scores

MEMORY = {"en": "My sister Ines keeps bees near Oslo.", "ja": "妹の伊根は奥州で養蜂を営んでいる。"}
INPUTS = {"en": INPUT_EN, "ja": INPUT_JA}


def _crossing(lang: str) -> Any:
    """The analysis with candidate 2 aimed at a tension with memory."""
    analysis = parsed(lang)
    analysis["feature_map"]["tensions_memory_cross"] = [
        {"tension": MEMORY[lang], "memory_ref": "k3v9xq", "recorded_at": "2026-06-01", "confidence": "high"}
    ]
    analysis["question_candidates"][2]["target_element"] = "tensions_memory_cross[0]"
    return analysis


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_no_remembered_word_goes_to_a_remote_judge(lang: str) -> None:
    analysis = _crossing(lang)
    analysis["question_candidates"][1]["question"] = f"{MEMORY[lang]}?"
    analysis["question_candidates"][3]["question"] += " [m:k3v9xq]"
    analysis["feature_map"]["frames"].append(MEMORY[lang])
    indexes = offered(analysis, (0, 1, 2, 3), local=False, input_text=INPUTS[lang], memory=[MEMORY[lang]])
    assert indexes == (0,)
    parts = evaluation_parts(analysis, indexes, input_text=INPUTS[lang], lang=lang, local=False, memory=[MEMORY[lang]])
    prompt = "".join(str(message.content) for message in render(parts))
    assert MEMORY[lang] not in prompt
    assert "k3v9xq" not in prompt
    assert "tensions_memory_cross" not in prompt
    assert analysis["question_candidates"][0]["question"] in prompt
    assert INPUTS[lang] in prompt


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_local_judge_sees_the_whole_shortlist_and_tensions_with_memory(lang: str) -> None:
    analysis = _crossing(lang)
    indexes = offered(analysis, (0, 2), local=True, input_text=INPUTS[lang], memory=[MEMORY[lang]])
    assert indexes == (0, 2)
    parts = evaluation_parts(analysis, indexes, input_text=INPUTS[lang], lang=lang, local=True)
    assert MEMORY[lang] in "".join(document.text for document in parts.documents)


def test_what_the_user_said_too_is_not_kept_from_a_remote_judge() -> None:
    analysis = parsed()
    said = f"{INPUT_EN} {MEMORY['en']}"
    analysis["question_candidates"][0]["question"] = "What if Ines keeps no bees near Oslo?"
    assert offered(analysis, (0, 1), local=False, input_text=said, memory=[MEMORY["en"]]) == (0, 1)


def test_candidates_are_numbered_from_zero_in_the_order_shown() -> None:
    parts = evaluation_parts(parsed(), (2, 0), input_text=INPUT_EN, lang="en", local=True)
    rows = json.loads(parts.documents[1].text)
    assert [row["index"] for row in rows] == [0, 1]
    assert rows[0]["question"] == parsed()["question_candidates"][2]["question"]
    assert rows[0]["target"] == "quality as a matter of rhythm"
    assert (parts.task, parts.candidates, parts.memory) == ("evaluate", 2, ())


def test_the_judges_numbers_are_mapped_back_to_the_candidates() -> None:
    verdict = judge(scores((9, 9, 8, 8), (5, 5, 5, 5), best=1, rationale="It is  clear."), (3, 1))
    assert verdict.best == 1
    assert [(score.index, score.total) for score in verdict.scores] == [(3, 34), (1, 20)]
    assert verdict.rationale == "It is clear."
    assert json.loads(json.dumps(verdict.to_dict())) == verdict.to_dict()


@pytest.mark.parametrize("best", [7, -1, "0", None, 1.5, True])
def test_without_a_valid_best_index_the_highest_total_wins_and_a_tie_goes_to_the_earlier(best: object) -> None:
    assert judge(scores((5, 5, 5, 5), (8, 8, 8, 8), (8, 8, 8, 8), best=best), (4, 2, 0)).best == 2


@pytest.mark.parametrize("bad", [11, -1, 7.5, "8", None, True, 1e400])
def test_a_score_out_of_range_is_rejected_and_never_clamped(bad: Any) -> None:
    rows = [
        {"index": 0, "depth": bad, "sharpness": 9, "novelty": 9, "actionability": 9},
        {"index": 1, "depth": 2, "sharpness": 2, "novelty": 2, "actionability": 2},
    ]
    verdict = judge(json.dumps({"scores": rows, "best_index": 0}), (5, 6))
    assert [score.index for score in verdict.scores] == [6]
    assert verdict.best == 6
    assert [(row.index, row.reason) for row in verdict.rejected] == [(5, "out_of_range")]


def test_a_missing_axis_a_missing_row_and_a_repeated_row_have_no_score() -> None:
    good = {"depth": 6, "sharpness": 6, "novelty": 6, "actionability": 6}
    rows = [{"index": 0, "depth": 9}, {"index": 2, **good}, {"index": 3, **good}, {"index": 3, **good}, "noise"]
    verdict = judge(json.dumps({"scores": rows}), (0, 1, 2, 3))
    assert [score.index for score in verdict.scores] == [2]
    assert [(row.index, row.reason) for row in verdict.rejected] == [(0, "missing"), (1, "missing"), (3, "repeated")]


def test_rows_without_numbers_are_read_in_their_order_and_whole_floats_count() -> None:
    rows = [{"depth": 6.0, "sharpness": 6, "novelty": 6, "actionability": 6}] * 2
    assert [score.index for score in judge(json.dumps({"scores": rows}), (4, 2)).scores] == [4, 2]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would rather not.",
        "[]",
        '{"scores": []}',
        '{"scores": {"0": 9}}',
        '{"best_index": 0}',
        '{"scores": [{"index": 0, "depth": 9',
        scores((11, 1, 1, 1)),
    ],
)
def test_an_answer_without_usable_scores_is_an_error(text: str) -> None:
    with pytest.raises(ModelOutputError):
        judge(text, (0, 1))
