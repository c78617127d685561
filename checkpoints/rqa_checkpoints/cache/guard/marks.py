"""Which marks of a text mean something: operators, flags and patterns, but not its punctuation?

Case matters in them, and how often a mark is repeated: `>` and `>>`, `-i` and `-I`, `==` and `===` differ.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["marks"]

_FLAG: Final = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_ESCAPE: Final = re.compile(r"\\[A-Za-z][*+?]*|[A-Za-z]\\")
_FACTORIAL: Final = re.compile(r"\b\d+!")
_RUN: Final = re.compile(r"[^\w\s]+")
_PUNCTUATION: Final = frozenset(".,;:?!'\"()、。，．：；？！「」『』（）【】〈〉《》・…‥〜~ー-–—“”‘’`/$€£¥%％℃°¿¡_")


def marks(text: str) -> list[str]:
    """The marks, in the order in which they stand."""
    found = [match.group() for pattern in (_FLAG, _ESCAPE, _FACTORIAL) for match in pattern.finditer(text)]
    runs = [match.group() for match in _RUN.finditer(_FLAG.sub(" ", text))]
    return found + [bare for run in runs if (bare := _bare(run))]


def _bare(run: str) -> str:
    """The run without punctuation around it; "" where nothing else is in it."""
    if all(char in _PUNCTUATION for char in run):
        return ""
    return run.rstrip("?!。？！、,;:)）」』'\"").lstrip("(（「『'\"")
