"""Does a sentence go on behind this mark, however it is disguised?

A full stop may only end an abbreviation, and a line break may stand inside a sentence or a reference. Characters that
nobody sees, and other scripts' look-alikes, make no difference to a reader, so they make none here.
"""

from __future__ import annotations

import re
from typing import Final

from rqa_nodes.echo.fold import fold

__all__ = ["begins_reference", "goes_on", "hides_fence", "is_abbreviated", "past_unseen"]

_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(\[])(?:nos?|nrs?|mr|mrs|ms|dr|st|vs|cf|approx|fig|figs|sec|ch|pp?|vol|inc|ca|e\.g|i\.e|\d{1,3})$",
    re.IGNORECASE,
)
_ABBREVIATION_CHARS: Final = 9
"""The longest of them, and what stands before it."""
_LONG: Final = 4
"""Letters; with so many, only "approx" and "figs" are one."""
_DISGUISED_CHARS: Final = 40
"""The same with characters in it that nobody sees."""
_INDENT_CHARS: Final = 40
"""How far the next line's first letter may be from its beginning."""
_OURS_BEGUN: Final = re.compile(r"\[\s*\^?\s*m\s*(?::[^\[\]]{0,80})?")
"""The beginning of a reference of our form."""
_MAY_HIDE_FENCE: Final = re.compile(r"[^!-=?-~\n]*+(?:(?:`[^ -~\n]*+){3}|(?:~[^ -~\n]*+){3})")
"""Spaces, quotation marks and whatever is not ASCII, and marks with whatever is not ASCII between them."""
_FENCE_MARK: Final = re.compile(r" {0,3}(?:> ?)*(?:`{3}|~{3})")


def is_abbreviated(text: str, begin: int, at: int) -> bool:
    """Does the full stop at this place only end an abbreviation? What nobody sees in it makes no difference."""
    words = text[max(begin, at - _ABBREVIATION_CHARS) : at]
    if not words.isascii():
        words = fold(text[max(begin, at - _DISGUISED_CHARS) : at]).text[-_ABBREVIATION_CHARS:]
    if words[-_LONG:].isalpha() and len(words) >= _LONG and words[-1] not in "xXsS":
        return False  # most often, and at once
    return _ABBREVIATION.search(words) is not None


def past_unseen(text: str, at: int) -> int:
    """The first place from here where something is seen."""
    stop = min(len(text), at + _DISGUISED_CHARS)
    while at < stop and not text[at].isascii() and not fold(text[at]).text:
        at += 1
    return at


def goes_on(text: str, at: int) -> bool | None:
    """Does the line that begins here go on with a small letter, in whatever dress? None: no letter is seen yet."""
    for char in text[at : at + _INDENT_CHARS + 1]:
        if char in " \t":
            continue
        if char == "\n" or "!" <= char <= "~":
            return "a" <= char <= "z"
        folded = fold(char).text
        if folded:
            return char.islower() and "a" <= folded <= "z"
    return None if len(text) - at <= _INDENT_CHARS else False


def hides_fence(text: str, at: int, stop: int) -> bool:
    """Does the line that begins here look like a code fence and, for a character that nobody sees, is none?"""
    match = _MAY_HIDE_FENCE.match(text, at, stop)
    if match is None:
        return False
    shown = "".join(char for char in match[0] if fold(char).text)
    return shown != match[0] and _FENCE_MARK.match(shown) is not None


def begins_reference(text: str) -> bool:
    """Is this, from an opening bracket on, the beginning of one of our references?"""
    return _OURS_BEGUN.fullmatch(fold(text).text) is not None
