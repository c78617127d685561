"""What a model's text is worth in tokens, and which part of it is the answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_nodes._thinking import AnswerOnly
from rqa_nodes.models import estimate_tokens


@pytest.mark.parametrize("lang_text", ["plain words", "ふつうの言葉です", "🙂🙂", "def f(x): return x[0]", ""])
def test_the_estimate_is_never_below_a_quarter_of_the_characters(lang_text: str) -> None:
    assert estimate_tokens(lang_text) * 4 >= len(lang_text)


def test_the_estimate_counts_a_japanese_character_as_one_token() -> None:
    assert estimate_tokens("天気は") == 3
    assert estimate_tokens("abc") == 1
    assert estimate_tokens("2026") == 4
    assert estimate_tokens("🙂") == 3


@given(st.text(), st.text())
def test_the_estimate_of_a_whole_is_at_most_the_sum_of_its_parts(left: str, right: str) -> None:
    assert estimate_tokens(left + right) <= estimate_tokens(left) + estimate_tokens(right)


@settings(max_examples=60)
@given(
    st.sampled_from(["", "<think>", "<thinking>", "<thought>", " \n<think>"]),
    st.text(alphabet="ab <>/think雨", max_size=30),
    st.lists(st.integers(1, 9), min_size=1, max_size=12),
)
def test_thinking_is_removed_however_the_chunks_fall(opening: str, answer: str, sizes: list[int]) -> None:
    closing = opening.strip().replace("<", "</")
    text = f"{opening}{'plan' if opening else ''}{closing}{answer}"
    whole = AnswerOnly()
    expected = whole.feed(text) + whole.finish()
    split, at = AnswerOnly(), 0
    pieces: list[str] = []
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(split.feed(text[at : at + size]))
        at += size
    assert ("".join(pieces) + split.finish()).strip() == expected.strip()
    if opening:
        assert "plan" not in expected


def test_thinking_that_never_ends_leaves_nothing_and_costs_little() -> None:
    answer = AnswerOnly()
    assert "".join(answer.feed("<think>" if number == 0 else "x" * 1000) for number in range(2000)) == ""
    assert answer.finish() == ""


def test_a_reply_may_speak_about_thinking_tags() -> None:
    answer = AnswerOnly()
    assert answer.feed("Use <think> and </think>.") + answer.finish() == "Use <think> and </think>."
