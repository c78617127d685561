"""Which language is it: kana decide, quoted words do not, and Chinese is told from Japanese without kana."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.language import detect


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("hello", "en"),
        ("", "en"),
        ("   ", "en"),
        ("Ça va bien", "en"),
        ("123 + 456", "en"),
        ("\ud800", "en"),
        ("What does 「猫」 mean?", "en"),
        ("What does なるほど mean?", "en"),
        ("こんにちは", "ja"),
        ("ﾃｽﾄ", "ja"),
        ("GitHubのPRをレビューして", "ja"),
        ("Kubernetes Deployment の rollout status を見て", "ja"),
        ("東京都庁所在地", "ja"),
        ("設計", "ja"),
        ("了解", "ja"),
        ("目的地", "ja"),
        ("「Ubuntu」とは", "ja"),
        ("你好", "zh"),
        ("X 的作者是谁", "zh"),
        ("这个设计有什么问题", "zh"),
        ("請檢查這份文件", "zh"),
        ("约翰・史密斯是谁", "zh"),
    ],
)
def test_the_language_of(text: str, lang: str) -> None:
    assert detect(text) == lang


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    assert detect("word " * 250 + "こんにちは" * 100_000) == "en"
    assert detect("こんにちは。" * 400 + "word " * 100_000) == "ja"


@given(st.text())
def test_any_text_has_a_language(text: str) -> None:
    assert detect(text) in ("en", "ja", "zh")


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_is_english(text: str) -> None:
    assert detect(text) == "en"
