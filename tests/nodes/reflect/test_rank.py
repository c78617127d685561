"""Stage 1: the generator's own order, without echoes and templates."""

from __future__ import annotations

import pytest

from rqa_nodes.reflect.rank import rank
from tests.support.analyses import INPUT_EN, INPUT_JA, parsed

INPUTS = {"en": INPUT_EN, "ja": INPUT_JA}


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_the_generators_order_is_kept_and_cut_to_s(lang: str) -> None:
    found = rank(parsed(lang), (0, 1, 2, 3), size=3, input_text=INPUTS[lang])
    assert found.indexes == (1, 0, 2)
    assert [(row.index, row.reason) for row in found.dropped] == [(3, "beyond_shortlist")]


def test_what_the_diversity_check_dropped_stays_dropped() -> None:
    assert rank(parsed(), (0, 3), size=3, input_text=INPUT_EN).indexes == (0, 3)


@pytest.mark.parametrize(
    ("lang", "template"),
    [
        ("en", "Is that assumption really true?"),
        ("en", "What is the reason for this claim, and what evidence is there?"),
        ("ja", "その前提は本当に正しいですか?"),
        ("ja", "その主張の根拠は何ですか?"),
    ],
)
def test_a_question_that_would_fit_any_input_falls_out(lang: str, template: str) -> None:
    analysis = parsed(lang)
    analysis["question_candidates"][1]["question"] = template
    found = rank(analysis, (0, 1, 2, 3), size=3, input_text=INPUTS[lang])
    assert found.indexes == (0, 2, 3)
    assert [(row.index, row.reason) for row in found.dropped] == [(1, "template")]


@pytest.mark.parametrize(
    ("lang", "again"),
    [
        ("en", "So if weekly releases only show problems sooner, then what makes there be fewer of them?"),
        ("ja", "では、週次リリースで問題が早く見つかるだけだとしたら、何が問題を減らすのでしょうか?"),
    ],
)
def test_the_later_of_two_near_duplicates_falls_out(lang: str, again: str) -> None:
    analysis = parsed(lang)
    analysis["question_candidates"][2]["question"] = again
    found = rank(analysis, (0, 1, 2, 3), size=3, input_text=INPUTS[lang])
    assert found.indexes == (1, 0, 3)
    assert [(row.index, row.reason) for row in found.dropped] == [(2, "near_duplicate")]


def test_without_topic_words_in_the_input_no_question_is_called_a_template() -> None:
    analysis = parsed()
    for name in analysis["feature_map"]:
        analysis["feature_map"][name] = []  # type: ignore[literal-required]  # its own names
    assert rank(analysis, (0,), size=3, input_text="Is it?").indexes == (0,)


def test_nothing_kept_gives_an_empty_shortlist() -> None:
    assert rank(parsed(), (), size=3).indexes == ()
