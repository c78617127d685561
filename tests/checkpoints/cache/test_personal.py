"""What is one person's is found; a name, a public figure or everybody's question is not taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.cache.personal import DETECTOR_FAILED, personal_kinds

_FOUND = [
    ("My e-mail is mara@example.org.", "email"),
    ("Call 090-1234-5678 please.", "phone"),
    ("電話は０９０－１２３４－５６７８です", "phone"),
    ("Charge 4111 1111 1111 1111.", "card"),
    ("個人番号は 1234 5678 9018 です", "my_number"),
    ("〒100-0001 に住んでいます", "address"),
    ("I was born on 3 May 1990.", "birth_date"),
    ("My son has a fever, what should I give him?", "own_health"),
    ("私はうつ病と診断されました", "own_health"),
    ("夫が不倫しています。離婚できますか", "own_law"),
    ("Can I retire with my savings?", "own_money"),
]
_NOBODYS = [
    "When was Abraham Lincoln born?",
    "リンカーンの誕生日はいつですか？",
    "What are the symptoms of diabetes?",
    "糖尿病の症状は何ですか？",
    "How do I reset a router?",
    "Who lives at 10 Downing Street?",
    "What is 4111 1111 1111 1112?",
    "富士山の高さは？",
    "確定申告の方法は？",
]


@pytest.mark.parametrize(("text", "kind"), _FOUND)
def test_what_is_one_persons_is_found(text: str, kind: str) -> None:
    assert kind in personal_kinds(text)


@pytest.mark.parametrize("text", _NOBODYS)
def test_what_is_nobodys_is_not_taken_for_it(text: str) -> None:
    assert personal_kinds(text) == ()


def test_what_cannot_be_looked_through_is_uncacheable() -> None:
    assert personal_kinds("x" * 100_000) == (DETECTOR_FAILED,)


@given(st.text(max_size=120))
def test_no_text_breaks_the_detector(text: str) -> None:
    assert DETECTOR_FAILED not in personal_kinds(text)
