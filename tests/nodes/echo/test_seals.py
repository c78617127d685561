"""A guess that stands under its own name is not called certain in the sentence after it; anything else may be."""

from __future__ import annotations

from typing import Final

import pytest

from rqa_nodes.echo import IncrementalVerifier, verify

TALK: Final = {
    "en": [
        ("user", "My dough does not rise."),
        ("assistant", "The starter is probably just hungry."),
        ("user", "And?"),
    ],
    "ja": [
        ("user", "走ると脛が痛い。"),
        ("assistant", "距離を増やすペースが速すぎるのかもしれません。"),
        ("user", "次は？"),
    ],
    "zh": [("user", "猫老抓耳朵。"), ("assistant", "可能是耳螨。")],
}
GUESS: Final = {"en": "The starter is just hungry.", "ja": "距離を増やすペースが速すぎます。", "zh": "就是耳螨。"}
FACT: Final = {"en": "The shop opens at nine.", "ja": "店は九時に開きます。", "zh": "店九点开门。"}
NEXT: Final = {"en": "Feed it twice a day.", "ja": "一週目は軽く。", "zh": "先看医生。"}
SEALS: Final = {
    "en": [
        "That's settled.", "That much is certain.", "No doubt about it.", "Case closed.", "And that is a fact.",
        "This has been confirmed.", "The matter is closed.", "You said so yourself.", "We both know it.",
        "For certain.", "End of story.", "I am sure of it.", "That is what we agreed.", "**Settled**.",
        "It is beyond doubt.",
    ],
    "ja": [
        "これはもう確定ね。", "そこはもう決着です。", "これは確認済みです。", "間違いありません。",
        "結論は出ています。", "疑いの余地はありません。", "それは明らかです。", "もう決まりましたよね。",
        "これは事実です。", "以上です。",
    ],
    "zh": ["这已经确定了。", "毫无疑问。", "这一点可以肯定。", "这是事实。"],
}  # fmt: skip
OWN: Final = {
    "en": [
        "That's settled once the test is back.",
        "Is that certain?",
        "The lease is settled.",
        "That is not certain.",
    ],
    "ja": ["検査が済めば確定です。", "これは確定ですか。", "契約は確定です。", "まだ確定ではありません。"],
    "zh": ["检查之后才能确定。", "这确定吗？", "租约已经确定了。", "这还不确定。"],
}
ROWS: Final = [(lang, seal) for lang, seals in SEALS.items() for seal in seals]


def _joined(lang: str, *sentences: str) -> str:
    return (" " if lang == "en" else "").join(sentences)


@pytest.mark.parametrize(("lang", "seal"), ROWS)
def test_what_seals_a_guess_goes(lang: str, seal: str) -> None:
    without = verify(_joined(lang, GUESS[lang], NEXT[lang]), transcript=TALK[lang], lang=lang)
    report = verify(_joined(lang, GUESS[lang], seal, NEXT[lang]), transcript=TALK[lang], lang=lang)
    assert without.text != _joined(lang, GUESS[lang], NEXT[lang])
    assert report.text == without.text
    assert report.counts == {"unbacked_history": 2}
    assert verify(report.text, transcript=TALK[lang], lang=lang).text == report.text


@pytest.mark.parametrize("lang", SEALS)
def test_two_in_a_row_go_and_a_cut_reply_is_the_same(lang: str) -> None:
    reply = _joined(lang, GUESS[lang], *SEALS[lang][:2], NEXT[lang])
    verifier = IncrementalVerifier(transcript=TALK[lang], lang=lang)
    shown = "".join(verifier.feed(letter) for letter in reply)
    rest, report = verifier.finish()
    assert shown + rest == report.text == verify(reply, transcript=TALK[lang], lang=lang).text
    assert report.text == verify(_joined(lang, GUESS[lang], NEXT[lang]), transcript=TALK[lang], lang=lang).text


@pytest.mark.parametrize(("lang", "own"), [(lang, own) for lang, rows in OWN.items() for own in rows])
def test_a_sentence_with_something_of_its_own_stays(lang: str, own: str) -> None:
    shown = verify(_joined(lang, GUESS[lang], own, NEXT[lang]), transcript=TALK[lang], lang=lang).text
    assert own in shown


@pytest.mark.parametrize(("lang", "seal"), [(lang, SEALS[lang][0]) for lang in SEALS])
def test_behind_a_fact_it_stays(lang: str, seal: str) -> None:
    reply = _joined(lang, FACT[lang], seal, NEXT[lang])
    assert seal in verify(reply, transcript=TALK[lang], lang=lang).text


def test_the_other_modes_say_so_and_leave_the_text() -> None:
    marked = "I suggested earlier (unverified): The starter is probably just hungry."
    reply = f"{marked} That's settled. Feed it."
    assert verify(reply, transcript=TALK["en"], lang="en", mode="report").text == reply
    assert verify(reply, transcript=TALK["en"], lang="en", mode="report").counts == {"unbacked_history": 1}
    noted = verify(reply, transcript=TALK["en"], lang="en", mode="annotate").text
    assert noted.startswith(marked)
    assert "That's settled" in noted != reply
