"""Which pieces of a text can one vector see?

Models see at most 512 tokens and silently drop or average the rest, so texts are cut here, where it can be tested:
at the ends of sentences, else at a space, else anywhere. Compatibility forms are written out first (NFKC), as every
tokenizer does later: U+FDFA alone becomes 18 characters.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["chunk_text", "query_window"]

_CHUNK_CHARACTERS: Final = 480
"""A SentencePiece model makes at most one token of a character, so that a chunk with its prefix stays under 512."""
_SENTENCE_END = re.compile(r"[.!?。！？…\n]+[\s」』）)\"']*")
_MARGIN: Final = 0.5
"""A chunk may end early at a sentence end or a space, but not before this share of it."""


def chunk_text(text: str) -> list[str]:
    """Cut a text into chunks that one vector can see; none for a blank text. Linear in the text."""
    text = unicodedata.normalize("NFKC", text)
    chunks: list[str] = []
    position, end = 0, len(text)
    while position < end:
        stop = min(position + _CHUNK_CHARACTERS, end)
        if stop < end:
            stop = position + _cut(text[position:stop])
        chunk = text[position:stop].strip()
        if chunk:
            chunks.append(chunk)
        position = stop
    return chunks


def query_window(text: str) -> str:
    """The part of a query that one vector can see: all of it, or its beginning and its end (where questions stand)."""
    query = unicodedata.normalize("NFKC", text).strip()
    half = _CHUNK_CHARACTERS // 2
    return query if len(query) <= _CHUNK_CHARACTERS else f"{query[: half - 1]}\n{query[-half:]}"


def _cut(window: str) -> int:
    """Where to end a chunk that fills the window."""
    least = int(len(window) * _MARGIN)
    ends = [match.end() for match in _SENTENCE_END.finditer(window) if match.end() >= least]
    if ends:
        return ends[-1]
    space = max(window.rfind(" "), window.rfind("\u3000"), window.rfind("、"))
    return space + 1 if space >= least else len(window)
