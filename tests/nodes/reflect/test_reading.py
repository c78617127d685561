"""Reading in parts: nothing is lost at the cuts, everything fits, and what was not read is named."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_nodes.models import estimate_tokens
from rqa_nodes.prompt_parts import DocumentPart
from rqa_nodes.reflect.reading import excerpt, fit, notes_of, parts_of, rows_of
from tests.support.analyses import RAW_EN, RAW_JA

PIECES = st.lists(
    st.sampled_from(["word ", "long words here. ", "雨が降る。", "\n\n", "x = f(y)\n", "🙂", "a" * 40]), max_size=400
)


def _documents(*texts: str) -> tuple[DocumentPart, ...]:
    return tuple(DocumentPart(locator=f"d{number}.md", text=text) for number, text in enumerate(texts))


@given(PIECES, PIECES, st.integers(256, 900))
def test_the_parts_are_the_text_letter_by_letter_and_each_fits(one: list[str], two: list[str], room: int) -> None:
    documents = _documents("".join(one), "".join(two))
    parts = parts_of(documents, room)
    for index, document in enumerate(documents):
        own = [part for part in parts if part.document == index]
        assert "".join(part.text for part in own) == document.text
        assert [part.number for part in own] == list(range(1, len(own) + 1))
    assert all(estimate_tokens(part.text) <= room for part in parts)


def test_a_part_ends_with_a_paragraph_where_there_is_one() -> None:
    paragraph = "The mill stands by the river. " * 20 + "\n\n"
    parts = parts_of(_documents(paragraph * 12), 700)
    assert len(parts) > 3
    assert all(part.text.endswith("\n\n") for part in parts)
    assert all(part.text.endswith("。") for part in parts_of(_documents("川が流れる。" * 400), 300))


@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_what_was_read_and_what_was_not_add_up(read: list[bool]) -> None:
    documents = _documents("word " * 600 * len(read))
    parts = parts_of(documents, 1000)
    seen = [part for part, was in zip(parts, read, strict=False) if was]
    [row] = rows_of(documents, parts, seen)
    assert sorted([*row["read"], *row["unread"]]) == list(range(1, row["parts"] + 1))
    assert row["characters"] == len(documents[0].text)


def test_without_parts_all_of_it_was_read() -> None:
    [row] = rows_of(_documents("short"))
    assert (row["parts"], row["read"], row["unread"]) == (1, [1], [])


@pytest.mark.parametrize("raw", [RAW_EN, RAW_JA])
@pytest.mark.parametrize("room", [100, 600, 100_000])
def test_the_notes_fit_and_hold_every_part(raw: Any, room: int) -> None:
    documents = _documents("word " * 3000)
    parts = parts_of(documents, 1000)
    notes = notes_of(parts, [raw] * len(parts), documents, room)
    assert estimate_tokens(notes) <= room
    if room == 100_000:
        assert all(f"d0.md, {part.number}" in notes for part in parts)
        assert raw["feature_map"]["claims"][0] in notes


@given(PIECES, st.integers(300, 2000))
def test_an_excerpt_fits_and_says_where_it_goes_on(pieces: list[str], room: int) -> None:
    text = "".join(pieces) + "The bridge is closed. " + "".join(pieces)
    shown = excerpt(text, ["The bridge is closed."], room)
    assert estimate_tokens(shown) <= room + 8
    assert (shown == text) is (estimate_tokens(text) <= room)
    if shown != text:
        assert "[...]" in shown


def test_an_excerpt_holds_what_is_wanted() -> None:
    text = "rain " * 4000 + "The bridge is closed. " + "rain " * 4000
    assert "The bridge is closed." in excerpt(text, ["The bridge is closed."], 2000)
    assert "[...]" in fit(text, 100)
