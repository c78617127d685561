"""What does a sentence say without the emphasis around its words, and where did each character stand?

"As **we** _discussed_" says what "as we discussed" says, and so does a line break between the words: rules read the
bare text, cuts are made in the marked one. A cut takes the mark that closes what opens inside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Marked"]

_MARKS: Final = re.compile(
    r"(?<![a-z0-9*_~])[*_~]{1,3}(?=[a-z0-9])|(?<=[a-z0-9.,!?;:'’])[*_~]{1,3}(?![a-z0-9*_~])|\n[ \t]*(?=[a-z])"
    r"|</?(?:b|i|em|strong|u|s|span|mark)(?:\s[^<>]{0,80})?>"
)
"""Emphasis around a word, and a line break inside a sentence."""

_CLOSING: Final = re.compile(r"\*{1,3}|_{1,3}|~{1,3}")


@dataclass(frozen=True, slots=True)
class Marked:
    """A folded sentence with emphasis or line breaks in it."""

    text: str
    bare: str
    """The sentence without them."""
    _places: list[int]

    @classmethod
    def of(cls, text: str) -> Marked | None:
        """The sentence read so; None where there is nothing to take away."""
        found = list(_MARKS.finditer(text))
        if not found:
            return None
        gone = {at for match in found for at in range(match.start() + (match[0][0] == "\n"), match.end())}
        places = [at for at in range(len(text)) if at not in gone]
        bare = "".join(" " if text[at] == "\n" and at + 1 < len(text) else text[at] for at in places)
        return cls(text, bare, [*places, len(text)])

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the bare sentence stands in the marked one."""
        if start >= end:
            return self._places[start], self._places[start]
        first, last = self._places[start], self._places[end - 1] + 1
        close = _CLOSING.match(self.text, last)
        if close and self.text.count(close[0][0], first, last) % (2 * len(close[0])) == len(close[0]):
            last = close.end()
        return first, last
