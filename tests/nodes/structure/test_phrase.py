"""The kind of a phrase, told by its ends and by the word it turns on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.structure.phrase import Kind, kind_of
from tests.support.examples import share

PHRASES: dict[Kind, tuple[str, ...]] = {
    "clause": (
        "commuters leave at six now",
        "he has to go on at least until the summer",
        "students complain less",
        "the boys don't run back",
        "everyone in the trade tells me the same thing",
        "the client polls every 5 seconds",
        "Clients never reconnect more than once a minute",
        "I'm sure that Nina hates me",
        "My grandmother, who raised five children, says that we complain too much",
        "Although the trial was small, the authors conclude that the drug is safe",
        "She said ‘I can’t go’",
        "The warden showed me three reports from May",
        "To win the game we need a better keeper",
        "we therefore propose to abolish it",
        "people waste water",
        "if we leave the apps nobody under thirty will find us",
        "業界の誰もが同じことを言う",
        "問い合わせは倍",
        "息子にピアノをやめさせるべき",
        "効果は有意だった（p = .03）",
    ),
    "noun": (
        "the lock",
        "our survey of 40 friends",
        "keeping the old piano",
        "Night shift again",
        "people who complain",
        "営業時間",
        "会員を増やすこと",
        "スマホのせい",
        "印刷機の遅さ",
    ),
    "verb": (
        "ask Lena whether she needs the drill",
        "make it smaller",
        "let my son quit the piano",
        "buy an e-book licence",
    ),
    "question": ("Does a promise to the dead bind", "What am I not seeing?", "なぜ来場者は早く帰るのか"),
    "condition": ("五時に開けるなら", "週休三日にすれば"),
    "piece": (
        "means he has to go on",
        "hates me",
        "Otherwise fine, though I still don't see why we need it",
        "When the river rises, when the road is closed",
        "To do: paint the fence; tell Mia that the party is off",
        "Five?! You said six",
        "五時？六時って言ったよね",
        "never asks me",
        "lives in Cork",
        "knows what he wants",
        "went home",
        "I'm sure that Nina",
        "than the one I am at",
        "is his problem",
        "me why we still do it",
        "the bypass opened the",
        "If nobody else does it",
        "he didn't",
        "she would rather…",
        "That I've read the book, that I liked the soup",
        "体力がないの",
        "大家さんがペット禁止って言うん",
        "すが、知り合いが一人もいない街で",
        "としか答えられませんでした",
        "妻は「今やめたら",
        "ロックの",
        "本を読んだとか、スープがおいしかったとか",
    ),
}


@pytest.mark.parametrize(("kind", "phrase"), [(kind, phrase) for kind, rows in PHRASES.items() for phrase in rows])
def test_a_phrase_has_its_kind(kind: Kind, phrase: str) -> None:
    assert kind_of(phrase) == kind


@given(st.text(max_size=500))
@share(50)
def test_any_text_has_one_kind_and_always_the_same(text: str) -> None:
    assert kind_of(text) == kind_of(text)
    assert kind_of(text) in PHRASES
