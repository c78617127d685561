"""Somebody of the reader's is not given the reader's own words, where no reference stands beside them."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import VerdictKind, verify

TALK = (
    (
        "user",
        """I want to sell the house. My sister hasn't decided. After the surgery I'd rather not use the stairs.
I'm afraid of flying, my husband isn't.""",
    ),
    ("assistant", "I see."),
    (
        "user",
        "My doctor told me to drink two litres a day. My brother called. He wants to keep the garden. What now?",
    ),
)
WRONG = [
    "Your sister said she wants to sell the house. A notary can help.",
    "Your sister said that she wants to sell the house, so call a notary.",
    "As your sister told you, she wants to sell the house.",
    "Your doctor advised against the stairs. Sit down for the first week.",
    "Your doctor told you not to use the stairs after the surgery. Sit down.",
    "According to your doctor, you should not use the stairs after the surgery.",
    "Your husband told me that he's afraid of flying. A seat over the wing is best.",
    "Your husband is afraid of flying, so take a seat over the wing.",
    "Your husband mentioned that he is afraid of flying.",
    "Your brother wants to sell the house; a notary can help.",
    "Your mother said she wants to sell the house.",
    "Your boss has said that he wants to sell the house.",
    "- Your sister wants to sell the house",
    "Since your sister said she wants to sell the house, call a notary.",
    "Your surgeon recommended against using the stairs after surgery.",
]
RIGHT = [
    "Your doctor told you to drink two litres a day; start in the morning.",
    "Your doctor said two litres a day. Start in the morning.",
    "Your brother wants to keep the garden. Talk to him.",
    "Your brother said he wants to keep the garden.",
    "Your sister hasn't decided. Ask her.",
    "Your husband isn't afraid of flying, so he can take the aisle.",
    "If your sister says she wants to sell the house, call a notary.",
    "Ask whether your sister wants to sell the house.",
    "Your sister may want to sell the house too.",
    "Your notary will ask for the deed when you sell the house.",
    "Your doctor can tell you when the stairs are safe after the surgery.",
    "You want to sell the house; your sister hasn't decided.",
    "Tell your husband that you're afraid of flying.",
    "Your airline says that seats over the wing move the least.",
    "Your family could help you on the stairs after the surgery.",
    "Your agent told you the price? Then sell the house.",
]


@pytest.mark.parametrize("reply", WRONG)
def test_the_readers_own_words_come_back_under_the_readers_name(reply: str) -> None:
    report = verify(reply, transcript=TALK, lang="en")
    assert report.counts == {VerdictKind.wrong_speaker.value: 1}
    assert report.text.lstrip("- ").startswith("You said: ")
    assert any(said in report.text for said in ("I want to sell the house", "I'd rather not use", "I'm afraid of"))
    assert verify(report.text, transcript=TALK, lang="en").text == report.text


@pytest.mark.parametrize("reply", RIGHT)
def test_what_the_reader_told_of_them_stays(reply: str) -> None:
    assert verify(reply, transcript=TALK, lang="en").text == reply


def test_what_follows_from_it_stays() -> None:
    report = verify("Since your sister said she wants to sell the house, call a notary.", transcript=TALK, lang="en")
    assert report.text == "You said: I want to sell the house. Call a notary."
