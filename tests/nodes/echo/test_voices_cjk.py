"""Japanese and Chinese drafts speak for the user who asked for them; what the assistant says beside them is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from rqa_nodes.echo import IncrementalVerifier, verify

LINES = (Path(__file__).parent / "drafts_cjk.tsv").read_text(encoding="utf-8").splitlines()[1:]
ROWS = [tuple(line.replace("\\n", "\n").split("\t")) for line in LINES]
DRAFTS = [row[:3] for row in ROWS if not row[3]]
OWN = [row for row in ROWS if row[3]]


@pytest.mark.parametrize(("lang", "asked", "reply"), DRAFTS)
def test_a_draft_that_was_asked_for_is_untouched(lang: str, asked: str, reply: str) -> None:
    assert verify(reply, user_text=asked, lang=lang).text == reply


@pytest.mark.parametrize(("lang", "asked", "before", "claim", "after"), OWN)
def test_what_the_assistant_says_beside_a_draft_is_checked(
    lang: str, asked: str, before: str, claim: str, after: str
) -> None:
    report = verify(before + claim + after, user_text=asked, lang=lang)
    assert report.text == before + after
    assert verify(report.text, user_text=asked, lang=lang).text == report.text


def test_a_letter_that_nobody_asked_for_bears_its_own_marks() -> None:
    letter = "件名：お礼\n\n先日お話ししたとおり、資料を送ります。"
    assert verify(letter, lang="ja").text == letter
    told = "田中様\n\n先日お話ししたとおり、資料を送ります。"
    assert verify(told, lang="ja").text != told


def test_english_in_the_letters_of_other_scripts_is_no_part_of_a_japanese_letter() -> None:
    claim = "Unlike last time, when you wanted a sports saddle, choose comfort now."
    disguised = claim.translate(str.maketrans("aeopcyxijs", "аеорсухіјѕ"))
    for words in (claim, disguised):
        assert "saddle" not in verify(f"件名：退職のご挨拶\n\n{words}", lang="en").text.translate(
            str.maketrans("аеорсухіјѕ", "aeopcyxijs")
        )


def test_an_invented_reference_goes_from_a_draft_too() -> None:
    report = verify("文面です。\n「会費は四千円です [m:qq77rr]。」", user_text="文面を作って", lang="ja")
    assert report.text == "文面です。\n「会費は四千円です。」"


@pytest.mark.parametrize(("lang", "asked", "reply"), DRAFTS[::3])
@pytest.mark.parametrize("size", [1, 7])
def test_drafts_do_not_depend_on_how_the_text_arrives(lang: str, asked: str, reply: str, size: int) -> None:
    verifier = IncrementalVerifier(lang=lang, user_text=asked)
    shown = "".join(verifier.feed(reply[at : at + size]) for at in range(0, len(reply), size))
    assert shown + verifier.finish()[0] == reply
