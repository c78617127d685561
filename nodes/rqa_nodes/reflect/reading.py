"""How is a text read that does not fit into a model's context, and what is said of it?

In parts: each is taken apart by itself, and the round's analysis is made over the notes of all of them. Which part was
read is counted by code and shown on the panel, so that nothing is left out silently; a part that the time or a failure
cost is named as not read. The outside fact: a model cuts what does not fit without a word, or its server refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rqa_nodes.models import estimate_tokens
from rqa_nodes.prompt_parts import DocumentPart
from rqa_nodes.reflect.schema import ELEMENT_LISTS, MAX_ITEMS, Analysis

__all__ = ["MOST_PARTS", "NOTES", "Part", "excerpt", "fit", "notes_of", "parts_of", "rows_of"]

MOST_PARTS: Final = 64
"""Completions that reading may cost; 1 MB needs about 40 in a context of 16 384 tokens."""
NOTES: Final = "reading notes"
"""The name under which the notes go to the model."""
_LEAST_TOKENS: Final = 256
"""A smaller part would be no text any more."""
_BREAKS: Final = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"[。．！？!?]|[.](?=\s)"), re.compile(r"\s"))
"""Where a part may end, the best first: a paragraph, a line, a sentence, a word."""
_STEP: Final = 512
_AROUND: Final = 600
_GAP: Final = "\n[...]\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a document that fits."""

    document: int
    """Index of the document."""
    number: int
    """From 1, within its document."""
    text: str


def parts_of(documents: Sequence[DocumentPart], room: int) -> tuple[Part, ...]:
    """Cut the documents into pieces of at most `room` tokens; together they are the documents, letter by letter."""
    return tuple(
        Part(document=index, number=number, text=text)
        for index, document in enumerate(documents)
        for number, text in enumerate(_cut(document.text, max(room, _LEAST_TOKENS)), start=1)
    )


def _cut(text: str, room: int) -> list[str]:
    pieces, start = [], 0
    while start < len(text):
        end = _end(text, start, room)
        pieces.append(text[start:end])
        start = end
    return pieces or [""]


def _end(text: str, start: int, room: int) -> int:
    """Where a part that begins at `start` ends: at the last good break before it grows too long."""
    longest = start
    while longest < len(text) and room > 0:
        step = text[longest : longest + min(_STEP, room)]
        room -= estimate_tokens(step)
        longest += len(step) if room >= 0 else 0
    if longest >= len(text):
        return len(text)
    longest = max(longest, start + 1)
    for pattern in _BREAKS:
        found = [match.end() for match in pattern.finditer(text, start + (longest - start) // 2, longest)]
        if found:
            return found[-1]
    return longest


def notes_of(parts: Sequence[Part], found: Sequence[Analysis], documents: Sequence[DocumentPart], room: int) -> str:
    """What the parts were made of, as a text of at most `room` tokens: longer notes lose the last of each list."""
    for most in range(MAX_ITEMS, 0, -1):
        notes = "\n\n".join(_note(part, analysis, documents, most) for part, analysis in zip(parts, found, strict=True))
        if estimate_tokens(notes) <= room:
            return notes
    return notes[:room]


def _note(part: Part, analysis: Analysis, documents: Sequence[DocumentPart], most: int) -> str:
    features: Mapping[str, Any] = analysis["feature_map"]
    lines = [f"{documents[part.document].locator}, {part.number}"]
    for name in ELEMENT_LISTS:
        if name not in {"surface_terms", "tensions_memory_cross"}:
            lines += [f"{name}: {text}" for text in features[name][:most]]
    return "\n".join(lines)


def rows_of(
    documents: Sequence[DocumentPart], parts: Sequence[Part] | None = None, read: Sequence[Part] = ()
) -> list[dict[str, Any]]:
    """What is said of each document: its length, its parts, and which of them were read; without parts, all of it."""
    rows = []
    for index, document in enumerate(documents):
        numbers = [1] if parts is None else [part.number for part in parts if part.document == index]
        seen = [1] if parts is None else [part.number for part in read if part.document == index]
        rows.append(
            {
                "locator": document.locator,
                "characters": len(document.text),
                "parts": len(numbers),
                "read": seen,
                "unread": [number for number in numbers if number not in seen],
            }
        )
    return rows


def fit(text: str, room: int) -> str:
    """The beginning of a text, as far as it fits, with a mark where it goes on."""
    return text if estimate_tokens(text) <= room else text[: max(0, room)] + _GAP


def excerpt(text: str, wanted: Sequence[str], room: int) -> str:
    """The passages of a text around the wanted words, in its order, as far as they fit; all of it if that fits.

    Args:
        text: What is too long.
        wanted: Words to look for, the most wanted first: texts of targets, as the document has them.
        room: Tokens that the excerpt may have.
    """
    if estimate_tokens(text) <= room:
        return text
    spans: list[tuple[int, int]] = [(0, min(len(text), _AROUND))]
    for words in wanted:
        at = text.find(words.strip()) if words.strip() else -1
        if at >= 0:
            spans.append((max(0, at - _AROUND), min(len(text), at + len(words) + _AROUND)))
    kept: list[tuple[int, int]] = []
    for span in spans:
        merged = _merged([*kept, span])
        if sum(estimate_tokens(text[start:end] + _GAP) for start, end in merged) <= room:
            kept = merged
    return _GAP.join(text[start:end] for start, end in kept) + _GAP if kept else fit(text, room)


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
