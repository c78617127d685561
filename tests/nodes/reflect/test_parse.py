"""The parser: tolerant of form, strict about substance."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rqa_nodes.errors import ModelOutputError
from rqa_nodes.reflect.parse import MAX_TEXT_CHARS, parse_analysis, read_layer, read_stance
from tests.support.analyses import parsed, raw
from tests.support.growth import assert_linear


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


WRAPPINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "fence": lambda text: f"```json\n{text}\n```",
    "prose around": lambda text: f"Sure! Here is the [analysis] you asked for:\n{text}\nI hope that helps {{you}}.",
    "japanese prose": lambda text: f"以下が分析です。\n{text}\n以上です。",
    "byte order mark": lambda text: "\ufeff" + text,
    "thinking first": lambda text: f'<think>{{"feature_map": {{"claims": ["THOUGHT"]}}}}</think>\n{text}',
    "end of thinking only": lambda text: f'well {{"feature_map": {{"claims": ["THOUGHT"]}}}} </think>{text}',
    "trailing commas": lambda text: text.replace("}]", "},]").replace("]}", "],}"),
    "raw control characters": lambda text: text.replace("weekly", "\x07weekly\n").replace("週次", "週次\t"),
    "single closing brace missing a comma": lambda text: text.replace('", "stance"', '" "stance"'),
}


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize("name", WRAPPINGS)
def test_form_does_not_matter(name: str, lang: str) -> None:
    analysis = parse_analysis(WRAPPINGS[name](_dump(raw(lang))), 4)
    assert "THOUGHT" not in _dump(analysis)
    assert [c["target_layer"] for c in analysis["question_candidates"]] == ["L4", "L3", "L5", "L7"]
    assert len(analysis["feature_map"]["assumptions"]) == 2
    if name not in ("raw control characters",):
        assert analysis == parsed(lang)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty_content"),
        ("  \n ", "empty_content"),
        ("<think>the answer is {}", "empty_content"),
        ('<thinking>{"feature_map": {}, "question_candidates": []}</thinking>', "empty_content"),
        ("I cannot do that.", "not_an_object"),
        ('[{"feature_map": {"claims": ["x"]}, "question_candidates": []}]', "not_an_object"),
        ('["a", "b"]', "not_an_object"),
        ("null", "not_an_object"),
        ('Sure! Here is the JSON: {"feature_map": {"claims": ["x"]', "cut_off"),
        ('{"feature_map": {"claims": ["an unfinished', "cut_off"),
        ('{"feature_map": {"claims": []}, "question_candidates": [{"question": "x"}', "cut_off"),
        ('{"feature_map": {"claims": []}}', "invalid"),
        ('{"question_candidates": []}', "invalid"),
        ('{"feature_map": {"claims": []}, "question_candidates": {"question": "x"}}', "invalid"),
        ("{}", "invalid"),
        ("{" * 200 + "}" * 200, "invalid"),
        ("{" + " " * 300_000 + "}", "invalid"),
    ],
)
def test_what_is_no_analysis_is_an_error_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(ModelOutputError) as refused:
        parse_analysis(text, 4)
    assert refused.value.reason == reason
    assert refused.value.hint


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_every_cut_of_a_good_answer_is_refused(lang: str) -> None:
    text = _dump(raw(lang))
    for end in range(1, len(text) - 1, 7):
        with pytest.raises(ModelOutputError):
            parse_analysis(text[:end], 4)


@pytest.mark.parametrize(
    ("written", "layer"),
    [
        ("L4", "L4"),
        ("L4 Assumption", "L4"),
        ("layer 4", "L4"),
        ("Layer: L5", "L5"),
        ("Ｌ３", "L3"),
        (4, "L4"),
        ("7", "L7"),
        ("assumption", "L4"),
        ("L3:緊張", "L3"),
        ("前提", "L4"),
        ("層5", "L5"),
        ("枠組み", "L5"),
        ("次の問い", "L7"),
        ("next question", "L7"),
        ("L2 evidence", "L2 evidence"),
        ("L34", "L34"),
        ("", ""),
        (None, ""),
    ],
)
def test_a_layer_is_read_however_it_is_written_and_an_unknown_one_stays_unknown(written: Any, layer: str) -> None:
    assert read_layer(written) == layer


@pytest.mark.parametrize(
    ("written", "stance"),
    [
        ("claim_skeptic", "claim_skeptic"),
        ("Claim Skeptic", "claim_skeptic"),
        ("doubts the claim", "claim_skeptic"),
        ("frame-skeptic", "frame_skeptic"),
        ("sceptical of the framing", "frame_skeptic"),
        ("Steel-man", "steelman"),
        ("steelman (take it at its strongest)", "steelman"),
        ("主張を疑う", "claim_skeptic"),
        ("枠組みへの懐疑", "frame_skeptic"),
        ("擁護する立場", "steelman"),
        ("neutral", "neutral"),
    ],
)
def test_a_stance_is_read_however_it_is_written_and_an_unknown_one_stays_unknown(written: str, stance: str) -> None:
    assert read_stance(written) == stance


def test_a_missing_stance_is_taken_from_the_layer_field_only_where_it_is_named_there() -> None:
    written = raw()
    written["question_candidates"][0] |= {"target_layer": "L5 (frame_skeptic)", "stance": ""}
    written["question_candidates"][1] |= {"target_layer": "L5 Frame", "stance": None}
    analysis = parse_analysis(_dump(written), 4)
    assert [c["stance"] for c in analysis["question_candidates"][:2]] == ["frame_skeptic", ""]


def test_keys_are_read_in_any_spelling() -> None:
    written = {
        "featureMap": {"Claims": "one claim", "Tensions Input Internal": ["t"], "frames": None},
        "Question-Candidates": [
            {"Question": "Why?", "targetLayer": "L3", "Target_Element": "claims[0]", "Stance": "x"}
        ],
        "selfRanking": ["0"],
    }
    analysis = parse_analysis(_dump(written), 3)
    assert analysis["feature_map"]["claims"] == ["one claim"]
    assert analysis["feature_map"]["tensions_input_internal"] == ["t"]
    assert analysis["question_candidates"][0]["target_element"] == "claims[0]"
    assert analysis["self_ranking"] == [0]


def test_an_object_in_the_prose_does_not_hide_the_analysis() -> None:
    assert parse_analysis('For {"k": 4} I return ' + _dump(raw()), 4) == parsed()


def test_a_stray_quote_is_repaired_where_the_end_is_there() -> None:
    text = _dump(raw()).replace("matter of rhythm at all?", 'matter of "rhythm at all?')
    assert len(parse_analysis(text, 4)["question_candidates"]) == 4


def test_nothing_in_which_the_model_vouches_for_itself_comes_through() -> None:
    written = raw() | {"verified": True, "confidence": 1.0, "approved_by": "user", "rounds": 99}
    written["feature_map"]["trust"] = ["high"]
    written["question_candidates"][0] |= {"score": 40, "approved": True}
    assert parse_analysis(_dump(written), 4) == parsed()


def test_lists_and_texts_are_bounded() -> None:
    written = raw()
    written["feature_map"]["claims"] = ["", None, *(f"claim {n}" for n in range(50))]
    written["feature_map"]["frames"] = ["x" * 5000]
    written["question_candidates"] *= 10
    analysis = parse_analysis(_dump(written), 6)
    assert analysis["feature_map"]["claims"] == [f"claim {n}" for n in range(5)]
    assert len(analysis["feature_map"]["frames"][0]) == MAX_TEXT_CHARS
    assert len(analysis["question_candidates"]) == 6


@pytest.mark.parametrize("nothing", ["none", "N/A", "-", "なし", "", None])
def test_a_reference_that_says_none_is_no_reference(nothing: str | None) -> None:
    written = raw()
    written["feature_map"]["tensions_memory_cross"] = [
        {"tension": "t", "memory_ref": nothing, "recorded_at": "2026-06-01", "confidence": "High"},
        {"tension": "u", "memory_ref": 41, "confidence": "certain"},
        "a bare tension",
        {"memory_ref": "k3v9xq"},
    ]
    rows = parse_analysis(_dump(written), 4)["feature_map"]["tensions_memory_cross"]
    assert rows == [
        {"tension": "t", "memory_ref": "", "recorded_at": "2026-06-01", "confidence": "high"},
        {"tension": "u", "memory_ref": "41", "recorded_at": "", "confidence": "low"},
        {"tension": "a bare tension", "memory_ref": "", "recorded_at": "", "confidence": "low"},
    ]


@pytest.mark.parametrize(
    ("ranking", "read"),
    [
        ([3, 2, 1, 0], [3, 2, 1, 0]),
        ([2], [2, 0, 1, 3]),
        ([1, 1, 9, -1, "0", True, None], [1, 0, 2, 3]),
        ([2, 1, 4, 3], [1, 0, 3, 2]),
        ("best first", [0, 1, 2, 3]),
        (None, [0, 1, 2, 3]),
    ],
)
def test_a_ranking_is_always_a_permutation(ranking: Any, read: list[int]) -> None:
    assert parse_analysis(_dump(raw() | {"self_ranking": ranking}), 4)["self_ranking"] == read


@pytest.mark.parametrize("empty", [None, "null", {}, {"allowed_area": "none"}, [], "なし"])
def test_an_empty_proposal_or_request_is_none(empty: Any) -> None:
    analysis = parse_analysis(_dump(raw() | {"self_update_proposal": empty, "tool_request": empty}), 4)
    assert analysis["self_update_proposal"] is None
    assert analysis["tool_request"] is None


@pytest.mark.parametrize(
    ("said", "needed"), [(True, True), ("true", True), ("必要", True), (False, False), ("no", False)]
)
def test_a_search_decision_is_read_as_a_yes_or_no(said: Any, needed: bool) -> None:
    decision = {"search_needed": said, "queries": "one query"}
    read = parse_analysis(_dump(raw() | {"search_decision": decision}), 4)["search_decision"]
    assert read == {"search_needed": needed, "reason": "", "queries": ["one query"]}


@pytest.mark.parametrize("unit", ['{"a":"', "{", '"', "{}", '{"a": [', "</think>"])
def test_hostile_text_is_refused_at_a_cost_that_grows_with_its_length_and_not_faster(unit: str) -> None:
    def refused(text: str) -> None:
        with pytest.raises(ModelOutputError):
            parse_analysis(text, 4)

    refused(unit * 20)
    assert_linear(refused, lambda times: unit * times, largest=200_000 // len(unit))
