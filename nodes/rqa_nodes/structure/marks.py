"""Where does what somebody is quoted with begin and end, whichever marks the writer used?

Typed text has straight marks, and apostrophes that open, close and contract: `'I'll pay'`, `’I'll pay’`. A mark is told
by what stands beside it; what has no partner is none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

__all__ = ["quotations", "single"]

_PAIRS: Final = {"“": "”", "「": "」", "『": "』", "«": "»"}
_SINGLE_OPENING: Final = frozenset("‘'’`")
_OPENING: Final = re.compile(r"[“「『«\"‘'’`]")
_CLOSING: Final = re.compile(r"(?<=\S)[’'](?!\w)")
_CLOSING_AT_STOP: Final = re.compile(r"(?<=[.,;:!?…)])[’'](?!\w)|(?<=\S)[’'](?=[.,;:!?…)]|$)")
_REACH: Final = 600
"""A mark without a partner within the longest sentence has none."""
_SHOWN: Final = {"「": "『", "『": "『", "」": "』", "』": "』"}
_NESTED: Final = str.maketrans({"“": "‘", "”": "’", '"': "", "「": "『", "」": "』"})
_UNPAIRED: Final = re.compile(r'[“”「」«»]|(?<![0-9])"')


@lru_cache(maxsize=1024)
def quotations(text: str) -> tuple[tuple[int, int], ...]:
    """The spans of the outermost quotations, marks included, in order."""
    found: list[tuple[int, int]] = []
    closings = tuple([at.start() for at in pattern.finditer(text)] for pattern in (_CLOSING_AT_STOP, _CLOSING))
    for mark in _OPENING.finditer(text):
        if found and mark.start() < found[-1][1]:
            continue
        if end := _partner(text, mark.start(), closings):
            found.append((mark.start(), end + 1))
    return tuple(found)


def single(text: str) -> str:
    """The text as it stands between quotation marks: each pair in it single, a mark without a partner left out."""
    parts: list[str] = []
    seen = 0
    for start, end in quotations(text):
        parts += [_unpaired(text[seen:start]), _SHOWN.get(text[start], "‘")]
        parts += [_within(text[start + 1 : end - 1]), _SHOWN.get(text[end - 1], "’")]
        seen = end
    return "".join([*parts, _unpaired(text[seen:])])


def _partner(text: str, place: int, closings: Sequence[Sequence[int]]) -> int:
    """Where the quotation that a mark opens is closed; 0 for a sign that opens none.

    An apostrophe closes none within a word, and rather one at a stop than one behind a plural.
    """
    mark, limit = text[place], place + _REACH
    if mark in _PAIRS:
        return _balanced(text, place, limit)
    if mark == '"':
        return max(text.find('"', place + 2, limit), 0) if not text[place - 1 : place].isalnum() else 0
    if mark in _SINGLE_OPENING and not text[place - 1 : place].isalnum() and text[place + 1 : place + 2].isalnum():
        return next((at for places in closings if (at := _first(places, place + 2, limit))), 0)
    return 0


def _first(places: Sequence[int], start: int, limit: int) -> int:
    number = bisect_left(places, start)
    return places[number] if number < len(places) and places[number] < limit else 0


def _balanced(text: str, place: int, limit: int) -> int:
    opened, closed, depth = text[place], _PAIRS[text[place]], 0
    for at in range(place, min(limit, len(text))):
        depth += (text[at] == opened) - (text[at] == closed)
        if not depth:
            return at
    return 0


def _within(text: str) -> str:
    return text.translate(_NESTED)


def _unpaired(text: str) -> str:
    """Text without double marks, which open or close nothing here; behind a figure they are inches."""
    return _UNPAIRED.sub("", text)
