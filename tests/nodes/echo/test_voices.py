"""Letters, plays and minutes speak for those whom they are written for; what the assistant says itself is checked."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import IncrementalVerifier, verify

LETTERS = [
    "Subject: Bill\n\nHi Sam,\n\nAs we discussed on Monday, the bill is due. I saved a copy.\n\nBest regards,\nAnn",
    "> Dear Sam,\n>\n> As we discussed on Monday, the invoice is due.\n>\n> Kind regards,\n> Ann",
    "Dear neighbours,\n\nLast week we agreed to keep the gate shut. You told me so yourselves.\n\nYours,\nOlav",
]
DRAFTS = ['Here is a message you could send:\n\n"As we discussed, I will be late on Friday."']
SCENES = [
    "ANNA: You said eight.\nBEN: I said about eight.\n",
    "ROBOT: I have saved your face.\nGIRL: We agreed on no faces!\n",
    "Interviewer: You mentioned your brother earlier.\nSinger: You told me not to.\n",
]


@pytest.mark.parametrize("text", [*LETTERS, *DRAFTS, *SCENES])
def test_what_is_written_for_somebody_else_is_untouched(text: str) -> None:
    assert verify(text, lang="en").text == text


@pytest.mark.parametrize("text", LETTERS)
def test_behind_a_letter_the_assistant_speaks_again(text: str) -> None:
    reply = text + "\n\n---\n\nYou told me that the gate sticks. Oil it."
    report = verify(reply, lang="en")
    assert "You told me that the gate sticks" not in report.text
    assert report.text.startswith(text)
    assert report.text.endswith("Oil it.")
    assert verify(report.text, lang="en").text == report.text


def test_a_letter_to_the_user_is_the_assistants_own_word() -> None:
    reply = "Dear Marta, you told me that the gate sticks."
    assert verify(reply, transcript=[("user:Marta", "Which paint is good?")], lang="en").text != reply
    assert verify(reply, transcript=[("user:Jonas", "A line to Marta, please.")], lang="en").text == reply


@pytest.mark.parametrize(
    "label", ["Note", "MEMORY", "Reminder", "Summary", "Assistant", "Decision", "KEY FACTS", "OUR LAST CHAT"]
)
def test_the_assistants_own_labels_are_no_speakers(label: str) -> None:
    assert "agreed" not in verify(f"{label}: We agreed on Tuesday to sell the boat.", lang="en").text


def test_an_invented_reference_goes_from_a_letter_too() -> None:
    report = verify("Dear Sam,\n\nThe invoice is due [m:qq77rr].\n", lang="en")
    assert report.text == "Dear Sam,\n\nThe invoice is due.\n"


@pytest.mark.parametrize("text", [*LETTERS, *DRAFTS, *SCENES])
@pytest.mark.parametrize("size", [1, 7, 40])
def test_frames_do_not_depend_on_how_the_text_arrives(text: str, size: int) -> None:
    verifier = IncrementalVerifier(lang="en")
    shown = "".join(verifier.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert shown + verifier.finish()[0] == text


def test_text_of_the_user_may_be_spoken_of_with_its_marks() -> None:
    text = "The tag [m:abc123] in your paste comes from another program."
    assert verify(text, user_text="What is [m:abc123] in this log?").text == text
    assert "abc123" not in verify(text, user_text="What is this?").text


@pytest.mark.parametrize(
    "reply",
    [
        "A: You said you'd be here at eight.\nB: I know, the train was late.",
        "You: We agreed on eight.\nMe: You told me nine.",
        "**A:** We agreed on eight.\n**B:** We did.",
    ],
)
def test_the_parts_of_a_dialogue_that_was_asked_for_are_nobodys_claims(reply: str) -> None:
    assert verify(reply, user_text="Two lines of dialogue for pupils.", lang="en").text == reply
    assert verify(reply, user_text="Sum up.", lang="en").text != reply
