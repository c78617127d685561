"""Where does what somebody is quoted with begin and end, whichever marks the writer used?

Typed text has straight marks, and apostrophes that open, close and contract: `'I'll pay'`, `’I'll pay’`. A mark is told
by what stands beside it; what has no partner is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["quotations", "single"]

_PAIRS: Final = {"“": "”", "「": "」", "『": "』", "«": "»"}
_SINGLE_OPENING: Final = frozenset("‘'’`")
_SINGLE_CLOSING: Final = frozenset("’'")
_ENDS: Final = frozenset(".,;:!?…)")
_REACH: Final = 600
"""A mark without a partner within the longest sentence has none."""
_SHOWN: Final = {"「": "『", "『": "『", "」": "』", "』": "』"}
_NESTED: Final = str.maketrans({"“": "‘", "”": "’", '"': "", "「": "『", "」": "』"})
_UNPAIRED: Final = re.compile(r'[“”「」«»]|(?<![0-9])"')


def quotations(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the outermost quotations, marks included, in order."""
    place = 0
    while place < len(text):
        end = _partner(text, place)
        if end:
            yield place, end + 1
        place = max(end, place) + 1


def single(text: str) -> str:
    """The text as it stands between quotation marks: each pair in it single, a mark without a partner left out."""
    parts: list[str] = []
    seen = 0
    for start, end in quotations(text):
        parts += [_unpaired(text[seen:start]), _SHOWN.get(text[start], "‘")]
        parts += [_within(text[start + 1 : end - 1]), _SHOWN.get(text[end - 1], "’")]
        seen = end
    return "".join([*parts, _unpaired(text[seen:])])


def _partner(text: str, place: int) -> int:
    """Where the quotation that a mark opens is closed; 0 for a sign that opens none."""
    mark, limit = text[place], place + _REACH
    if mark in _PAIRS:
        return _balanced(text, place, limit)
    if mark == '"':
        return max(text.find('"', place + 2, limit), 0) if not text[place - 1 : place].isalnum() else 0
    if mark in _SINGLE_OPENING and not text[place - 1 : place].isalnum() and text[place + 1 : place + 2].isalnum():
        return _single_partner(text, place, limit)
    return 0


def _balanced(text: str, place: int, limit: int) -> int:
    opened, closed, depth = text[place], _PAIRS[text[place]], 0
    for at in range(place, min(limit, len(text))):
        depth += (text[at] == opened) - (text[at] == closed)
        if not depth:
            return at
    return 0


def _single_partner(text: str, place: int, limit: int) -> int:
    """The apostrophe that closes: none within a word, and rather one at a stop than one behind a plural."""
    found = [
        at
        for at in range(place + 2, min(limit, len(text)))
        if text[at] in _SINGLE_CLOSING and not text[at - 1].isspace() and not text[at + 1 : at + 2].isalnum()
    ]
    at_stop = (at for at in found if at + 1 == len(text) or text[at - 1] in _ENDS or text[at + 1] in _ENDS)
    return next(at_stop, found[0] if found else 0)


def _within(text: str) -> str:
    return text.translate(_NESTED)


def _unpaired(text: str) -> str:
    """Text without double marks, which open or close nothing here; behind a figure they are inches."""
    return _UNPAIRED.sub("", text)
