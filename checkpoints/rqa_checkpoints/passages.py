"""Which pieces of a file can be cited?

A passage is a run of whole paragraphs that one vector can see, word for word as in the file, with the line on which it
begins. It ends at a heading, so that what stands under two headings is never cited as one; a paragraph that is too long
is cut at the ends of sentences. The same text always gives the same passages: an index need not hold their words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

__all__ = ["PASSAGE_CHARACTERS", "Passage", "cut_passages"]

PASSAGE_CHARACTERS: Final = 480
"""What one vector can see (`chunking`), in characters."""

_BLANK_LINES: Final = re.compile(r"\n[ \t\u3000]*(?:\n[ \t\u3000]*)*\n")
_HEADING: Final = re.compile(r"#{1,6}[ \t\u3000]")
_SENTENCE_END: Final = re.compile(r"(?<=[。！？])|(?<=[.!?])(?=\s)|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One piece of a file."""

    line: int
    """Number of the line on which it begins, from 1."""
    text: str


def cut_passages(text: str) -> list[Passage]:
    """Cut a text into passages, in their order; none for a blank text. Linear in the text."""
    found: list[Passage] = []
    start = end = at = line = 0
    for first, last in _pieces(text):
        apart = bool(_HEADING.match(text, first)) or last - start > PASSAGE_CHARACTERS
        if end > start and apart:
            line += text.count("\n", at, start)
            at = start
            found.append(Passage(line=line + 1, text=text[start:end]))
            start = first
        elif end == start:
            start = first
        end = last
    if end > start:
        found.append(Passage(line=line + text.count("\n", at, start) + 1, text=text[start:end]))
    return found


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs without the blanks around them, the long ones by the sentence; (begin, end) in the text."""
    for first, last in _between(text, _BLANK_LINES, 0, len(text)):
        if last - first <= PASSAGE_CHARACTERS:
            yield first, last
            continue
        for begin, end in _between(text, _SENTENCE_END, first, last):
            for cut in range(begin, end, PASSAGE_CHARACTERS):
                yield from _stripped(text, cut, min(cut + PASSAGE_CHARACTERS, end))


def _between(text: str, pattern: re.Pattern[str], first: int, last: int) -> Iterator[tuple[int, int]]:
    for match in pattern.finditer(text, first, last):
        yield from _stripped(text, first, match.start())
        first = match.end()
    yield from _stripped(text, first, last)


def _stripped(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    piece = text[first:last]
    bare = piece.strip()
    if bare:
        begin = first + len(piece) - len(piece.lstrip())
        yield begin, begin + len(bare)
