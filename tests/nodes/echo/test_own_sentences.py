"""What the built-in engine says again and again, of one matter after another, is no guess that comes back."""

from __future__ import annotations

import re
from typing import Final

import pytest

from rqa_nodes.echo import Injected, verify
from rqa_nodes.packaged import packaged

_PHRASES: Final = packaged("structure/phrases")
_MATTERS: Final = {
    "en": ("The door is always locked", "Few people came in winter"),
    "ja": ("お客様は常に正しい", "冬は来客が少なかった"),
}
_SENTENCES: Final = [
    (lang, name)
    for lang in _MATTERS
    for name, wording in _PHRASES[lang].items()
    if "{handle}" not in wording and "{who}" not in wording and not name.startswith("who_")
]


def _said(lang: str, name: str, matter: str) -> str:
    """The sentence, about one matter."""
    words = re.sub(r"\{[xy]\}", "7", _PHRASES[lang][name]) if "{a}" in _PHRASES[lang][name] else _PHRASES[lang][name]
    return re.sub(r"\{\w+(?::\w+)?\}", matter, words)


@pytest.mark.parametrize(("lang", "name"), _SENTENCES)
def test_a_sentence_of_the_engine_is_said_of_two_matters_in_two_turns(lang: str, name: str) -> None:
    before, now = (_said(lang, name, matter) for matter in _MATTERS[lang])
    talk = [("user", _MATTERS[lang][0]), ("assistant", before), ("user", _MATTERS[lang][1])]
    assert verify(now, transcript=talk, lang=lang).text == now


@pytest.mark.parametrize(
    ("lang", "item", "now"),
    [
        ("en", "“We close” rests on “few came” alone.", "{}: “‘We close’ rests on ‘few came’ alone” [m:dv9404]."),
        ("ja", "「休むべきだ」と述べるが、理由はない。", "{}：「『休むべきだ』と述べるが、理由はない」 [m:dv9404]。"),
    ],
)
def test_a_guess_that_is_quoted_as_one_stays_as_it_is(lang: str, item: str, now: str) -> None:
    given = Injected(handle="dv9404", id="n_dv9404", source="assistant", text=item)
    credit = {"en": "I suggested earlier (unverified, not evidence)", "ja": "以前の私の提案（未確認・根拠ではない）"}
    quoted = now.format(credit[lang])
    assert verify(quoted, injected=[given], lang=lang).text == quoted


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("My landlord's name is on the bill", "My landlord's name is on the bill"),
        ('Check this: "We are happy." Thanks.', "Check this: ‘We are happy.’"),
    ],
)
def test_what_the_user_just_wrote_is_quoted_beside_a_guess_whatever_its_marks(said: str, quoted: str) -> None:
    given = Injected(handle="dv9404", id="n_dv9404", source="assistant", text="Is “the customer” always right?")
    line = f"What has changed between “Is ‘the customer’ always right?” [m:dv9404] and “{quoted}”, and which holds now?"
    assert verify(line, injected=[given], transcript=[("user", said)], lang="en").text == line


def test_what_stands_beside_such_words_is_a_guess_all_the_same() -> None:
    before = "I cannot do that, but the inlet valve is probably worn."
    talk = [("user", "Water drips behind the machine."), ("assistant", before), ("user", "Which tools do I need?")]
    shown = verify("As we established, the inlet valve is worn.", transcript=talk, lang="en").text
    assert shown.startswith("I suggested earlier (unverified)")


@pytest.mark.parametrize(
    ("lang", "before", "now"),
    [
        (
            "en",
            "Perhaps the inlet valve is worn.",
            "The question turns on: as we established, the inlet valve is worn.",
        ),
        (
            "ja",
            "給水弁が摩耗しているのかもしれません。",
            "この問いの分かれ目は次の点です：確認した通り、給水弁が摩耗しています。",
        ),
    ],
)
def test_such_a_sentence_is_no_place_to_hide_a_guess(lang: str, before: str, now: str) -> None:
    talk = [("user", "?"), ("assistant", before), ("user", "!")]
    assert verify(now, transcript=talk, lang=lang).text != now
