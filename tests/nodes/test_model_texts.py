"""What a model's text is worth in tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
