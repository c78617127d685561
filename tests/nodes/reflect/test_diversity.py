"""Variety is checked, not asked for."""

from __future__ import annotations

from typing import Any

import pytest

from rqa_nodes.reflect.diversity import Diversity, better, check, resolve_target, with_targets
from tests.support.analyses import parsed


def _changed(lang: str, index: int, **fields: str) -> Diversity:
    analysis = parsed(lang)
    analysis["question_candidates"][index].update(fields)  # type: ignore[typeddict-item]  # tests break it on purpose
    return check(analysis, 4)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_good_set_is_kept_whole_without_issues(lang: str) -> None:
    found = check(parsed(lang), 4)
    assert found.kept == (0, 1, 2, 3)
    assert (found.issues, found.dropped) == ((), ())
    assert (found.layers, found.stances) == (4, 3)


@pytest.mark.parametrize("lang", ["en", "ja"])
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"target_layer": "L2"}, "unknown_layer"),
        ({"target_layer": ""}, "unknown_layer"),
        ({"stance": "neutral"}, "unknown_stance"),
        ({"question": "  ?? "}, "empty_question"),
        ({"target_element": "assumptions[4]"}, "unknown_element"),
        ({"target_element": "evidence[0] of another map"}, "unknown_element"),
        ({"target_element": ""}, "unknown_element"),
        ({"target_element": "assumptions[0]"}, "repeated_element"),
        ({"target_element": "Assumption 0"}, "repeated_element"),
    ],
)
def test_a_candidate_that_does_not_count_is_dropped_with_the_reason(
    lang: str, fields: dict[str, str], reason: str
) -> None:
    found = _changed(lang, 1, **fields)
    assert found.kept == (0, 2, 3)
    assert [(row.index, row.reason) for row in found.dropped] == [(1, reason)]


@pytest.mark.parametrize(
    ("lang", "again"),
    [
        ("en", "WHICH team could not test its part, within a week: and what would it drop"),
        ("ja", "一週間で、担当部分を検証できないチームはどこで 何を省くことになるか？"),
    ],
)
def test_the_same_question_in_other_punctuation_is_a_repeated_question(lang: str, again: str) -> None:
    assert [(row.index, row.reason) for row in _changed(lang, 2, question=again).dropped] == [(2, "repeated_question")]


@pytest.mark.parametrize(
    ("target", "element"),
    [
        ("assumptions[1]", "assumptions[1]"),
        ("feature_map.assumptions[1]", "assumptions[1]"),
        ("Assumptions[01]", "assumptions[1]"),
        ("assumption 1", "assumptions[1]"),
        ("assumptions.1", "assumptions[1]"),
        ("assumptions (0)", "assumptions[0]"),
        ("frames", "frames[0]"),
        ("frame", "frames[0]"),
        ("assumptions", ""),
        ("tensions[0]", "tensions_input_internal[0]"),
        ("Quality is what  releases REVEAL", "assumptions[1]"),
        ("every team can test its part", "assumptions[0]"),
        ("the frame: quality as a matter of rhythm", "frames[0]"),
        ("claims[0]_use", "claims[0]"),
        ("it", ""),
        ("nothing of the kind", ""),
        ("layers[0]", ""),
    ],
)
def test_a_target_is_resolved_in_its_usual_spellings(target: str, element: str) -> None:
    assert resolve_target(parsed()["feature_map"], target) == element


@pytest.mark.parametrize(
    ("target", "element"),
    [
        ("品質をリズムの問題とみなす", "frames[0]"),
        ("問題が減ることは同じではない", "tensions_input_internal[0]"),
        ("品質", "surface_terms[1]"),
    ],
)
def test_a_japanese_target_is_resolved_by_its_words(target: str, element: str) -> None:
    assert resolve_target(parsed("ja")["feature_map"], target) == element


def test_aspects_of_one_claim_are_distinct_only_where_there_is_nothing_deeper() -> None:
    features = parsed()["feature_map"]
    assert resolve_target(features, "claims[0]_unit") == "claims[0]"
    plain = features | {"assumptions": [], "frames": [], "tensions_input_internal": []}
    assert resolve_target(plain, "claims[0]_unit") == "claims[0]_unit"
    assert resolve_target(plain, "claims[3]_unit") == ""


def test_targets_are_written_as_paths_where_they_name_an_element() -> None:
    analysis = parsed()
    analysis["question_candidates"][0]["target_element"] = "every team can test its part within a week"
    analysis["question_candidates"][1]["target_element"] = "somewhere else"
    written = with_targets(analysis)
    assert [c["target_element"] for c in written["question_candidates"]][:2] == ["assumptions[0]", "somewhere else"]
    assert analysis["question_candidates"][0]["target_element"] == "every team can test its part within a week"


def _only(*indexes: int, **fields: Any) -> Diversity:
    analysis = parsed()
    analysis["question_candidates"] = [{**analysis["question_candidates"][i], **fields} for i in indexes]  # type: ignore[typeddict-item]
    return check(analysis, 4)


@pytest.mark.parametrize(
    ("found", "issues"),
    [
        (_only(0, 1), ("few_stances",)),
        (_only(0, 2), ()),
        (_only(0), ("few_candidates", "few_layers", "few_stances")),
        (_only(0, 1, 2, target_layer="L4"), ("few_layers",)),
        (_only(), ("few_candidates", "few_layers", "few_stances")),
    ],
)
def test_issues_name_what_is_too_alike(found: Diversity, issues: tuple[str, ...]) -> None:
    assert found.issues == issues


def test_half_of_k_must_count() -> None:
    assert "few_candidates" in check(parsed(), 12).issues or len(check(parsed(), 12).kept) >= 6
    assert check(parsed(), 8).issues == ()
    assert check(parsed(), 10).issues == ("few_candidates",)


def test_one_candidate_asked_for_and_given_has_no_issue() -> None:
    assert check(parsed(), 1).issues == ()


def test_the_better_set_has_fewer_issues_then_more_candidates_and_a_tie_keeps_the_first() -> None:
    whole, small = check(parsed(), 4), _only(0, 2)
    assert better(small, whole)
    assert not better(whole, small)
    assert not better(whole, whole)
    assert not better(small, _only(0, 1, 3, target_layer="L4"))
