"""What a sentence says of change, of the past and of whose it is, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.structure.changing import (
    asks_past,
    corrects,
    follows_on,
    is_foreign,
    is_of_now,
    matters_of,
    read_change,
    shared_matters,
    tells_past,
)
from rqa_nodes.structure.text import base_terms

DONE = [
    "I stopped drinking coffee.",
    "I do not smoke any more.",
    "We cancelled the Oslo trip.",
    "コーヒーをやめました。",
    "京都旅行は中止になりました。",
]
NOT_DONE = [
    "I want to stop drinking coffee.",
    "I might have sold the Golf.",
    "I haven't quit my job.",
    "コーヒーをやめたいです。",
    "プリウスは売りません。",
]
PAST = ["I used to smoke.", "I lived in Graz before that.", "以前は京都に住んでいました。", "その前はグラーツでした。"]
PRESENT = [
    "I live in Graz.",
    "I lived in Graz and moved to Linz.",
    "京都に住んでいます。",
    "以前は京都でしたが、今は奈良です。",
]


@pytest.mark.parametrize("text", DONE)
def test_what_is_done_is_a_change(text: str) -> None:
    assert read_change(text).is_change
    assert is_of_now(text)


@pytest.mark.parametrize("text", NOT_DONE)
def test_what_is_wished_doubted_or_denied_is_none(text: str) -> None:
    found = read_change(text)
    assert not found.is_change


@pytest.mark.parametrize(("texts", "past"), [(PAST, True), (PRESENT, False)])
def test_the_past_is_told_apart(texts: list[str], past: bool) -> None:
    assert [tells_past(text) for text in texts] == [past] * len(texts)


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Where did I live first?", True),
        ("Where do I live now?", False),
        ("前はどこに住んでいましたか？", True),
        ("彼女の名前は何ですか？", False),
    ],
)
def test_a_question_wants_how_it_was_or_how_it_is(question: str, past: bool) -> None:
    assert asks_past(question) is past


@pytest.mark.parametrize(
    ("question", "text", "terms"),
    [
        ("Where do I live?", "I moved to Linz.", {"live"}),
        ("Where do I live?", "My brother moved to Linz.", set()),
        ("Where does my brother live?", "My brother Jonas moved to Linz.", {"live"}),
        ("Where do I live?", "We moved the meeting to Friday.", set()),
        ("私はどこで働いていますか？", "転職しました。", {"働"}),
        ("私はどこに住んでいますか？", "姉が岐阜に引っ越しました。", set()),
        ("姉はどこに住んでいますか？", "姉が岐阜に引っ越しました。", {"住"}),
        ("車はどうなりましたか？", "自転車は盗まれました。", set()),
    ],
)
def test_a_matter_is_the_same_ones(question: str, text: str, terms: set[str]) -> None:
    assert shared_matters(question, text) == frozenset().union(*map(base_terms, terms))


@pytest.mark.parametrize(
    ("question", "text", "foreign"),
    [
        ("What is my favourite book?", "My friend Petra's favourite book is Emma.", True),
        ("What is Petra's favourite book?", "My friend Petra's favourite book is Emma.", False),
        ("What is my favourite book?", "My favourite book is Dune.", False),
        ("Where do I live?", "Jonas moved to Lund.", True),
        ("When is my appointment?", "The dentist moved my appointment to Friday.", False),
        ("私の好きな本は何ですか？", "友人の由紀の好きな本は雪国です。", True),
        ("由紀の好きな本は何ですか？", "由紀の好きな本は雪国です。", False),
        ("プロジェクトの名前は？", "プロジェクト名はカモメです。", False),
        ("車はどうなりましたか？", "車のブレーキは直りました。", True),
    ],
)
def test_what_is_somebody_elses_is_foreign_to_a_question(question: str, text: str, foreign: bool) -> None:
    assert is_foreign(question, text) is foreign


@pytest.mark.parametrize(
    ("before", "text", "follows"),
    [
        ("I sold the Golf.", "I bought a Fiat.", True),
        ("I quit my job.", "I bought a Fiat.", False),
        ("I gave up the violin.", "I took up the cello.", True),
        ("I hope to have sold the Golf.", "I bought a Fiat.", False),
        ("ピアノをやめました。", "チェロを始めました。", True),
        ("ピアノをやめたいです。", "チェロを始めました。", False),
    ],
)
def test_what_is_said_right_after_an_end_takes_its_place(before: str, text: str, follows: bool) -> None:
    assert follows_on(before, text) is follows


def test_a_correction_speaks_of_the_same() -> None:
    assert corrects("I think Max broke the lamp.", ["No, Max lied.", "The cat did it."])
    assert not corrects("I think Max broke the lamp.", ["No, I have to go."])
    assert not corrects("I think Max broke the lamp.", ["Max lied."])
    assert corrects("猫が壊したと思います。", ["いいえ、猫ではありません。"])


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_breaks_it(one: str, two: str) -> None:
    read_change(one)
    matters_of(one)
    assert corrects(one, []) is False
    assert follows_on(one, two) in (True, False)
