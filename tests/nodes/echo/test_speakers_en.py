"""An English attribution stays if it fits what it cites; if not, the true speaker is named."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import Injected, VerdictKind, verify

ILSE = Injected(handle="q1w2e3", source="user", text="I painted the shed green.", author="Ilse")
MAREK = Injected(handle="r4t5y6", source="user", text="My canoe has a crack in the bow.", author="Marek")
GUESS = Injected(handle="u7n8p9", source="assistant", text="The crack may come from the frost.")
LIST = Injected(handle="a1s2d3", source="external", text="The slip is closed in May.", author="harbour-list.pdf")
TWO = (ILSE, MAREK, GUESS, LIST)
ONE = (ILSE, GUESS, LIST)

OF_ILSE = [
    "{name} said that the shed is green [m:q1w2e3].",
    "{name} told us that the shed is green [m:q1w2e3].",
    "As {name} put it, the shed is green [m:q1w2e3].",
    "According to {name}, the shed is green [m:q1w2e3].",
    "The shed is green, as {name} explained [m:q1w2e3].",
    "{name}'s point about the shed was its colour [m:q1w2e3].",
    "It was {name} who mentioned the green shed [m:q1w2e3].",
    "In {name}'s words, the shed is green now [m:q1w2e3].",
    "We have it from {name}: the shed is green [m:q1w2e3].",
    "**{name}:** I painted the shed green. [m:q1w2e3]",
    "- {name} confirmed that the shed is green [m:q1w2e3]",
    "{name} let everybody know that the shed is green [m:q1w2e3].",
    "The green shed was brought up by {name} [m:q1w2e3].",
    "The shed is green ({name}) [m:q1w2e3].",
    "To hear {name} tell it, the shed is green [m:q1w2e3].",
]


@pytest.mark.parametrize("wording", OF_ILSE)
def test_the_true_speaker_stays(wording: str) -> None:
    assert verify(wording.format(name="Ilse"), injected=TWO, lang="en").text == wording.format(name="Ilse")


@pytest.mark.parametrize("wording", OF_ILSE)
def test_another_speaker_is_replaced(wording: str) -> None:
    report = verify(wording.format(name="Marek"), injected=TWO, lang="en")
    assert VerdictKind.wrong_speaker in report.counts
    assert "Marek" not in report.text
    assert "Ilse" in report.text
    assert "[m:q1w2e3]" in report.text
    assert verify(report.text, injected=TWO, lang="en").text == report.text


def test_who_told_and_who_was_told_change_places() -> None:
    report = verify("Marek told Ilse about the green shed [m:q1w2e3].", injected=TWO, lang="en")
    assert report.text == "Ilse told Marek about the green shed [m:q1w2e3]."


@pytest.mark.parametrize(
    ("reply", "clean"),
    [
        ("Jonas said that the shed is green [m:q1w2e3].", "You said: the shed is green [m:q1w2e3]."),
        (
            "The team told me that frost is to blame [m:u7n8p9].",
            "I suggested earlier (unverified): frost is to blame [m:u7n8p9].",
        ),
        ("The harbour list says that the shed is green [m:q1w2e3].", "You said: the shed is green [m:q1w2e3]."),
        (
            "Per the harbour list, frost is to blame [m:u7n8p9].",
            "I suggested earlier (unverified): frost is to blame [m:u7n8p9].",
        ),
        ("I recommended a green shed [m:q1w2e3].", "You said: a green shed [m:q1w2e3]."),
        (
            "By your own account, frost is to blame [m:u7n8p9].",
            "I suggested earlier (unverified): frost is to blame [m:u7n8p9].",
        ),
        (
            "You said that the slip is closed in May [m:a1s2d3].",
            "harbour-list.pdf says: the slip is closed in May [m:a1s2d3].",
        ),
    ],
)
def test_with_one_user_the_class_speaks(reply: str, clean: str) -> None:
    report = verify(reply, injected=ONE, lang="en")
    assert VerdictKind.wrong_speaker in report.counts
    assert report.text == clean
    assert verify(clean, injected=ONE, lang="en").text == clean


@pytest.mark.parametrize(
    "reply",
    [
        "Ilse said that Marek will help with the shed [m:q1w2e3].",
        "The shed that Marek likes is green [m:q1w2e3].",
        "Marek will see the green shed soon [m:q1w2e3].",
        "The harbour list says that the slip is closed in May [m:a1s2d3].",
        "According to harbour-list.pdf, the slip is closed in May [m:a1s2d3].",
        "I suggested that the crack may come from the frost [m:u7n8p9].",
        "You painted the shed green [m:q1w2e3].",
        "Put the canoe on the list [m:r4t5y6].",
    ],
)
def test_what_gives_nothing_to_the_wrong_one_is_untouched(reply: str) -> None:
    assert verify(reply, injected=TWO, lang="en").text == reply


ROWS = (
    ("user:Nora", "I will bring the tent."),
    ("assistant:Orla", "Bram has the bigger car."),
    ("user:Bram", "Who pays?"),
)


@pytest.mark.parametrize(
    ("reply", "clean"),
    [
        ("Bram said he will bring the tent.", "Nothing that I recalled this turn says so."),
        ("Bram promised to bring the tent, so pack light.", "Nothing that I recalled this turn says so. Pack light."),
        ("Nora said she will bring the tent.", "Nora said she will bring the tent."),
        ("Orla said that Bram has the bigger car.", "Orla said that Bram has the bigger car."),
        ("Bram has time on Friday.", "Bram has time on Friday."),
    ],
)
def test_a_speaker_of_the_transcript_said_only_what_stands_there(reply: str, clean: str) -> None:
    assert verify(reply, transcript=ROWS, lang="en").text == clean


def test_a_name_has_a_capital_in_any_width() -> None:
    item = Injected(handle="k3v9xq", source="user", text="I sleep badly after coffee.", id="n_k3v9xq")
    for name in ("Jonas", "Ｊｏｎａｓ", "Ｊonas"):
        report = verify(f"{name} said that sleep is bad after coffee [m:k3v9xq].", injected=[item], lang="en")
        assert report.counts == {"valid": 1, "wrong_speaker": 1}, name
