"""What is a claim about earlier talk? A value, and the way word lists become patterns.

The language modules make claims from folded sentences; `history` and `attribution` decide on them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

__all__ = ["Claim", "Speaker", "any_of"]

Speaker = Literal["we", "you", "i", ""]


class Claim(NamedTuple):
    """A claim about earlier talk, in the folded sentence."""

    start: int
    end: int
    """The words that make the claim, without the content."""
    clause: tuple[int, int]
    """The whole clause, content included."""
    content: tuple[int, int]
    """The content where the claim names it; empty where it is the rest of the sentence.

    An adverbial that names some ("given your history of X, ...") is backed by either."""
    speaker: Speaker
    saying: bool
    """A saying verb; otherwise an establishing one."""
    adverbial: bool
    strong: bool
    """Claims shared history by itself; a weak one only where an assistant message carries the content."""


def any_of(words: Sequence[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
