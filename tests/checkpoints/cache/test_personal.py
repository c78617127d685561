"""What is one person's is found; a name, a public figure or everybody's question is not taken for it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.cache.personal import DETECTOR_FAILED, _rules, personal_kinds

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


@pytest.mark.parametrize(
    "text",
    [
        "義父の足がむくんでいます。塩分はどれくらいまでですか？",
        "先週から右目が見えにくくなりました。眼科に行くべきですか？",
        "姑が同じことを何度も聞いています",
        "妹の契約書を勝手に書き換えられました。どうなりますか、私",
        "Grandpa was taken in with a stroke, which foods may he eat?",
    ],
)
def test_what_somebody_tells_of_their_own_is_found_without_a_word_of_a_list(text: str) -> None:
    assert personal_kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "富士山は1707年に噴火しました。次はいつですか？",
        "父は英語で何と言いますか？",
        "徳川家康の妻は誰ですか？",
        "Git shows you@example.com as the author, how is that changed?",
    ],
)
def test_what_is_nobodys_stays_cacheable(text: str) -> None:
    assert personal_kinds(text) == ()


def test_a_placeholder_hides_no_address_beside_it() -> None:
    assert "email" in personal_kinds("I am mara.lund@posteo.se, not you@example.com.")


_ROWS = list(csv.DictReader(Path(__file__).with_name("personal.tsv").read_text("utf-8").splitlines(), delimiter="\t"))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_of_texts_by_kind_most_that_are_one_persons_are_found_and_no_other_is(lang: str) -> None:
    own = [row["text"] for row in _ROWS if (row["lang"], row["personal"]) == (lang, "yes")]
    others = [row["text"] for row in _ROWS if (row["lang"], row["personal"]) == (lang, "no")]
    assert (len(own), len(others)) >= (30, 35)
    assert [text for text in others if personal_kinds(text)] == []
    assert len([text for text in own if not personal_kinds(text)]) <= 2


def test_one_search_for_all_patterns_finds_what_each_by_itself_finds() -> None:
    rules = _rules()
    pairs = [(rules["any_pattern"], [one for found in rules["patterns"].values() for one in found])]
    for lang in ("en", "ja"):
        pairs.append((rules["any_statement"][lang], rules["statements"][lang]))
        pairs.append((rules["any_cue"][lang], [cue[lang] for cue in rules["cues"].values()]))
    texts = [row["text"] for row in _ROWS] + [text for text, _ in _FOUND] + _NOBODYS
    found = [
        (bool(together.search(text)), any(one.search(text) for one in each))
        for together, each in pairs
        for text in texts
    ]
    assert [one for one in found if one[0] != one[1]] == []
    assert 50 < sum(one for one, _ in found) < len(found) - 50
