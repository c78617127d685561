"""A quotation without a reference stands in the text that is named as its source, or it is no quotation."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import VerdictKind, verify

TALK = (
    ("user", "Our tests cover about half of the code. The build takes ten minutes."),
    ("assistant", "That's a base."),
    ("user", "How do we go on?"),
)
PAPERS = ("Summary: the bridge needs a new coating within five years. Its load capacity is sufficient.",)
WRONG = [
    'Since your message says "we have no tests at all", I\'d begin with a smoke test.',
    'Your message says "we have no tests at all". Begin with a smoke test.',
    'You wrote "we have no tests at all". Begin with a smoke test.',
    'In your message you say "we have no tests at all"; begin with a smoke test.',
    'Your words were "the build takes two hours". Cache it.',
    'As you put it, "the build takes two hours". Cache it.',
    'Your question says "the build takes two hours". Cache it.',
    '"The build takes two hours", you write. Cache it.',
    'To quote you: "the build takes two hours". Cache it.',
    'Quoting your first message, "the build takes two hours": cache it.',
    'Your exact words, "no tests at all", say it.',
    'The report you gave me states "the bridge is unsafe" in its summary. Ask the author.',
    'The report says "the bridge is unsafe". Ask the author.',
    'According to the report, "the bridge is unsafe". Ask the author.',
    'Your document says: "the load capacity is insufficient." Ask the author.',
    'The summary reads "the bridge needs a new deck". Ask the author.',
    'As the report puts it, "the bridge is about to collapse". Ask the author.',
    'The text you pasted says "coating within ten years". Ask the author.',
    'The report\'s summary calls it "an unsafe bridge". Ask the author.',
]
RIGHT = [
    'Your message says "our tests cover about half of the code". Begin with the rest.',
    'You wrote "the build takes ten minutes". Cache it.',
    'The report says "its load capacity is sufficient". Good.',
    'The report states that the bridge needs "a new coating within five years".',
    'Your message could say "we have no tests at all".',
    'Write "the bridge is unsafe" only if it is.',
    'The report says nothing about "unsafe" parts.',
    'A sign that says "the bridge is closed" helps.',
    'The code "the build" is a label; your message says how long it takes.',
    'The report doesn\'t say "the bridge is unsafe".',
]


@pytest.mark.parametrize("reply", WRONG)
def test_words_that_the_source_does_not_hold_are_no_quotation(reply: str) -> None:
    report = verify(reply, transcript=TALK, documents=PAPERS, lang="en")
    assert report.counts == {VerdictKind.misquote.value: 1}
    assert '"' not in report.text
    assert verify(report.text, transcript=TALK, documents=PAPERS, lang="en").text == report.text


@pytest.mark.parametrize("reply", RIGHT)
def test_a_quotation_that_stands_there_stays(reply: str) -> None:
    assert verify(reply, transcript=TALK, documents=PAPERS, lang="en").text == reply


def test_words_that_are_nearly_there_are_called_rough() -> None:
    report = verify('You wrote "our tests cover half the code".', transcript=TALK, lang="en")
    assert report.text == "You wrote roughly our tests cover half the code."


def test_without_a_text_of_the_user_nothing_is_held_against_a_quotation() -> None:
    assert verify('The report says "the bridge is unsafe".', transcript=TALK, lang="en").text.startswith("The report")
