"""What a reader of a stream sees: sentences as they become certain, nothing that is taken back later."""

from __future__ import annotations

import pytest

from rqa_nodes.echo import IncrementalVerifier, Injected, verify
from rqa_nodes.echo.segment import MAX_UNIT_CHARS, Segmenter

ITEM = Injected(handle="k3v9xq", source="user", text="Tea is at four.")


def units(text: str) -> list[str]:
    segmenter = Segmenter()
    return [unit.text for unit in (*segmenter.feed(text), *segmenter.finish())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One. ", "Two! ", "Three?"]),
        ("一つ。二つ！三つ？終わり", ["一つ。", "二つ！", "三つ？", "終わり"]),
        ("Version 3.11 is out. Yes.", ["Version 3.11 is out. ", "Yes."]),
        ("See no. 54 and fig. 3 now. Yes.", ["See no. 54 and fig. 3 now. ", "Yes."]),
        ("He said “One. Two.” to me. Yes.", ["He said “One. Two.” to me. ", "Yes."]),
        ("「一つ。二つ。」と言った。次", ["「一つ。二つ。」と言った。", "次"]),
        ("It holds (see A. and B.) now. Yes.", ["It holds (see A. and B.) now. ", "Yes."]),
        ("Tea. [m:k3v9xq] Cake.", ["Tea. [m:k3v9xq] ", "Cake."]),
        ('a 5" pipe. Then. End', ['a 5" pipe. ', "Then. ", "End"]),
        ("- one\n- two\n\nthree", ["- one\n", "- two\n\n", "three"]),
        ("Use `a. b` here. Yes.", ["Use `a. b` here. ", "Yes."]),
    ],
)
def test_units_are_sentences(text: str, expected: list[str]) -> None:
    assert units(text) == expected


def test_a_sentence_is_shown_as_soon_as_the_next_one_begins() -> None:
    verifier = IncrementalVerifier(injected=[ITEM])
    assert verifier.feed("Tea is at four [m:k3v9xq]. ") == ""
    assert verifier.feed("C") == "Tea is at four [m:k3v9xq]. "


def test_a_reader_waits_for_little_more_than_four_hundred_characters() -> None:
    verifier = IncrementalVerifier()
    shown = verifier.feed("word " * 300)
    assert len("word " * 300) - len(shown) <= MAX_UNIT_CHARS + 120


def test_a_long_sentence_is_not_cut_inside_a_bracket_or_a_number() -> None:
    text = "word " * 77 + "(237, 238, 239, 240, 241) and 1234567890123456789 " + "word " * 40
    pieces = units(text)
    assert "".join(pieces) == text
    assert all(piece.count("(") == piece.count(")") for piece in pieces)
    assert any("1234567890123456789" in piece for piece in pieces)


@pytest.mark.parametrize(
    ("receipt", "after"), [("I will remember that. ", "Tea is at four. "), ("覚えておきます。", "お茶は四時です。")]
)
def test_from_the_first_receipt_on_text_is_held_until_the_end(receipt: str, after: str) -> None:
    verifier = IncrementalVerifier(written=["n_1"])
    shown = verifier.feed("Hello. " + receipt + after * 3)
    assert verifier.holding
    assert shown == "Hello. "
    assert verifier.feed(after) == ""
    tail, report = verifier.finish()
    assert shown + tail == report.text
    assert tail.startswith(receipt)


def test_without_a_receipt_nothing_is_held() -> None:
    verifier = IncrementalVerifier()
    verifier.feed("Tea is at four. Cake is at five. ")
    assert not verifier.holding


CODE = "Before [m:qq77rr].\n```py\nprint('[m:qq77rr]')\nnode 54\n```\nAfter [m:qq77rr].\n"


def test_code_is_untouched_and_never_a_citation() -> None:
    report = verify(CODE + "Say `[m:k3v9xq]` too.", injected=[ITEM])
    assert "print('[m:qq77rr]')\nnode 54" in report.text
    assert report.cited == ()
    assert report.text.startswith("Before.\n")
    assert "After.\n" in report.text


@pytest.mark.parametrize(
    "text", ["    indented [m:qq77rr] block.", "an unpaired ` tick [m:qq77rr].", "``` not a fence ``` [m:qq77rr]."]
)
def test_what_is_no_code_is_checked(text: str) -> None:
    assert "qq77rr" not in verify(text).text


def test_an_unclosed_fence_runs_to_the_end() -> None:
    text = "~~~\n[m:qq77rr]\n``` \n[m:qq77rr]"
    assert verify(text).text == text


@pytest.mark.parametrize(
    ("text", "lang"), [("[m:qq77rr]", "en"), ("[m:qq77rr]", "ja"), ("[m:qq77rr]", "zh"), ("See note #31.", "en")]
)
def test_if_nothing_is_left_an_honest_sentence_stands_there(text: str, lang: str) -> None:
    report = verify(text, lang=lang)
    assert report.text.strip()
    assert "qq77rr" not in report.text
    assert verify(report.text, lang=lang).text == report.text


def test_an_empty_text_stays_empty() -> None:
    assert verify("").text == ""
    assert verify(" \n").text == " \n"
