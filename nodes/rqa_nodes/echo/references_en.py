"""Which English words point to an item of memory by an id of its own kind: "stored fact #9", "mem_0042", "log entry 4"?

The forms are data (`lexicon/en_ids.yaml`). A number counts only where the words around it speak of this memory, and an
id of letters must hold a digit, so that no word is taken for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rqa_nodes.echo.grammar import find_rules, may_hold
from rqa_nodes.echo.lazily import lazily

__all__ = ["NamedIds", "may_name", "named_ids"]


class NamedIds(NamedTuple):
    """A stretch of the folded sentence that points to items, and the places of the ids in it."""

    start: int
    end: int
    ids: tuple[tuple[int, int], ...]


_ID: Final = lazily(r"#?(?:[a-z]{1,3}-)?[0-9a-z_]*\d[0-9a-z_]*(?:-[a-z0-9]+)?")
_COUNTED: Final = lazily(
    r"\s*(?:%|percent|years?|months?|weeks?|days?|hours?|minutes?|seconds?|times|people|pages?|euros?|dollars?|gb|mb|"
    r"kb|"
    r"km|kg|cm|mm|million|thousand|items|of them|o['’]clock|am|pm)(?![a-z])"
)


def may_name(text: str) -> bool:
    """Could `named_ids` find anything in a folded sentence?"""
    return may_hold("en_ids", text)


def named_ids(text: str, *, cue: bool) -> Iterator[NamedIds]:
    """What points to memory in a folded English sentence by an id with a name.

    Args:
        text: The sentence, code already blanked out.
        cue: True if a memory cue stands in the sentence.
    """
    for found in find_rules("en_ids", text):
        if found.inner is None or ("cue" in found.rule and not cue):
            continue
        first, last = found.inner
        ids = tuple(match.span() for match in _ID.finditer(text, first, last))
        if not ids or _COUNTED.match(text, last):
            continue
        last = max(end for _, end in ids)
        start = found.start + len(text[found.start : first]) - len(text[found.start : first].lstrip(" ,"))
        yield NamedIds(start, found.end if found.rule["cut"] == "whole" else _closed(text, start, last), ids)


def _closed(text: str, start: int, end: int) -> int:
    """Behind the quotation mark and the bracket that close here what opens inside."""
    inside = text[start:end]
    while end < len(text) and inside.count(_OPENS.get(text[end], "\0")) % 2:
        end += 1
    return end


_OPENS: Final = {"'": "'", '"': '"', "”": "“", "’": "‘", ")": "(", "]": "["}
