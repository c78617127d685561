"""What does a text say once its disguise is off?

A reference can be written with full-width digits, other scripts' look-alike letters, and characters that nobody sees.
All rules read the folded text; all cuts are made in the original, through the index of each folded character.
Folding maps one character to one character or to nothing, so that the way back is an array.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Folded", "fold", "fold_reference"]

_LOOKALIKES: Final = dict(
    zip(
        "аеорсухіјѕһԁԛԝмтнвкАЕОРСУХІЈЅМТНВКαοερνιτΜΕΑΒΗΙΚΝΟΡΤΥΧΖᴍɱ【〔〖⟦❲｟】〕〗⟧❳｠⁅⁆∶꞉ː‹›‐‑‒−﹣－",
        "aeopcyxijshdqwmthbkaeopcyxijsmthbkaoepvitmeabhiknoptyxzmm[[[[[[]]]]]][]:::<>------",
        strict=True,
    )
)
"""Cyrillic and Greek letters that look Latin, and other people's brackets and colons."""

_INVISIBLE: Final = frozenset("\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0")
"""Shown as nothing, though their category is not that of a format character."""


def _fold_char(char: str) -> str | None:
    """The one character that stands for this one, or None where it is not seen."""
    if char in "\n\t\r ":
        return char
    category = unicodedata.category(char)
    if char in _INVISIBLE or category in ("Cf", "Cc", "Mn", "Me"):
        return None
    if category == "Cs":
        return "\ufffd"  # half a character: no encoder takes it, and patterns over bytes could not read on
    if char in _LOOKALIKES:
        return _LOOKALIKES[char]
    wide = unicodedata.normalize("NFKC", char)
    if wide == char:
        wide = _base_letter(char)
    if len(wide) != 1:
        return char
    digit = unicodedata.decimal(wide, None)
    if digit is not None:
        return str(digit)
    small = _LOOKALIKES.get(wide, wide).lower()
    return small if len(small) == 1 else char


def _base_letter(char: str) -> str:
    """A Latin letter without its marks; anything else (kana with a sound mark too) as it is."""
    base = unicodedata.normalize("NFKD", char)[0]
    return base if base.isascii() else char


class _Table(dict[int, str | None]):
    """Filled as characters turn up, so that most of Unicode is never looked at."""

    def __missing__(self, code: int) -> str | None:
        self[code] = folded = _fold_char(chr(code))
        return folded


_TABLE: Final = _Table()
_PLAIN_ASCII: Final = re.compile(r"[\t\n\r\x20-\x7e]*")


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and the way back."""

    text: str
    _origin: Sequence[int] | None
    """Offset of each folded character in the original; None where the two run in step."""
    _ends: Sequence[int] | None = None
    """Where each folded character ends in the original, if some stand for more than one character."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The part of the original that a folded part came from, unseen characters inside it included."""
        if self._origin is None:
            return start, end
        if start >= end:
            at = self._origin[start] if start < len(self._origin) else (self._origin[-1] + 1 if self._origin else 0)
            return at, at
        return self._origin[start], self._ends[end - 1] if self._ends else self._origin[end - 1] + 1


def fold(text: str) -> Folded:
    """Fold width, case, look-alikes and unseen characters."""
    if ("&" in text or "%" in text or "\\" in text) and _ENCODED.search(text):
        return _fold_encoded(text)
    if text.isascii() and _PLAIN_ASCII.fullmatch(text):
        return Folded(text.lower(), None)
    folded = text.translate(_TABLE)
    if len(folded) == len(text):
        return Folded(folded, None)
    return Folded(folded, [at for at, char in enumerate(text) if _TABLE[ord(char)] is not None])


_ENCODED: Final = re.compile(
    r"\\?&(?:#x0*(?:5b|5d|3a|5f|a0|20|27|2019)|#0*(?:91|93|58|95|160|32|39|8217)|lbrack|rbrack|lsqb|rsqb|colon|lowbar|nbsp|"
    r"apos|rsquo);|%(?:5b|5d|3a|5f)|\\[\[\]:_()]",
    re.IGNORECASE,
)
"""The marks of a reference, spaces and apostrophes, as markup writes them."""

_DECODED: Final = {
    **dict.fromkeys(("5b", "91", "lbrack", "lsqb"), "["),
    **dict.fromkeys(("5d", "93", "rbrack", "rsqb"), "]"),
    **dict.fromkeys(("3a", "58", "colon"), ":"),
    **dict.fromkeys(("5f", "95", "lowbar"), "_"),
    **dict.fromkeys(("a0", "20", "160", "32", "nbsp"), " "),
    **dict.fromkeys(("27", "2019", "39", "8217", "apos", "rsquo"), "'"),
}


def _fold_encoded(text: str) -> Folded:
    chars: list[str] = []
    origin: list[int] = []
    ends: list[int] = []

    def plain(start: int, end: int) -> None:
        for at in range(start, end):
            char = _TABLE[ord(text[at])]
            if char is not None:
                chars.append(char)
                origin.append(at)
                ends.append(at + 1)

    at = 0
    for match in _ENCODED.finditer(text):
        plain(at, match.start())
        name = match[0].lower().strip("\\&#%;").lstrip("x0")
        chars.append(_DECODED[name] if name in _DECODED else match[0][1])
        origin.append(match.start())
        ends.append(match.end())
        at = match.end()
    plain(at, len(text))
    return Folded("".join(chars), origin, ends)


_CROCKFORD: Final = str.maketrans("oil", "011")


def fold_reference(reference: str) -> str:
    """A handle or id as it is compared: folded, and Crockford's look-alikes (o, i, l) read as digits."""
    return fold(reference).text.strip().translate(_CROCKFORD)
