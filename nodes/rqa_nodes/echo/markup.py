"""Which emphasis and which tags would a cut leave open, and how is it written so that they close?

A repair takes words, and with them perhaps one half of a pair: the closing mark then goes behind what stands in their
place, and an opening one before it goes with them where nothing takes their place.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from rqa_nodes.echo.lazily import lazily

__all__ = ["Cut", "closed"]

_MARK: Final = lazily(
    r"(?<!\*)\*{2,3}(?!\*)|(?<!\*)\*(?=[^\s*])|(?<=[^\s*])\*(?!\*)|(?<![a-z0-9_])__(?=\w)|(?<=[^\s_])__(?![a-z0-9_])|~~"
    r"|<(?P<close>/?)(?P<name>b|i|em|strong|u|s|p|span|mark|small|del|ins|h[1-6]|li|q)(?:\s[^<>]{0,80})?>",
    re.IGNORECASE,
)


class Cut(NamedTuple):
    """A stretch of a text and what takes its place."""

    start: int
    end: int
    words: str


def closed(text: str, cut: Cut) -> Cut:
    """The cut, written so that no pair is left half open."""
    start, end, words = cut
    if words.endswith(" ") and text.startswith("</", end):
        cut = Cut(start, end, words := words.rstrip())
    if not _MARK.search(text, start, end):
        return cut
    kept = _halves(words)
    for mark in _halves(text[start:end]):
        if mark in kept:  # the words that take its place close it
            kept.remove(mark)
            continue
        opener = _opener(mark)
        if _open_at(text, start, opener) <= 0:
            behind = text[end:].lstrip(" ")
            if not mark.startswith("<") and behind.startswith(mark):  # what it opened closes right behind the cut
                end = len(text) - len(behind) + len(mark)
                end += words.endswith(" ") and text[end : end + 1] == " "
            continue
        if words.strip():
            last = _LAST.search(words)
            at = last.start() if last else len(words)
            words = words[:at] + mark + words[at:]
        elif text[:start].endswith(opener):
            start -= len(opener)
        else:
            words = mark
    return Cut(start, end, words)


_LAST: Final = lazily(r"\s+\w?$")
"""The first letter of what follows, which a repair may have written as a capital."""


def _halves(text: str) -> list[str]:
    """The closing marks of a stretch that opens nothing for them, and marks that stand there an odd number of times."""
    found: list[str] = []
    opened: list[str] = []
    for match in _MARK.finditer(text):
        mark = match[0]
        opener = _opener(mark)
        opens = match["close"] == "" if match["name"] else opener not in opened
        if opens:
            opened.append(opener)
        elif opener in opened:
            opened.remove(opener)
        else:
            found.append(mark)
    return [*found, *(mark for mark in opened if not mark.startswith("<"))]


def _opener(mark: str) -> str:
    """The mark that opens what this one closes, without the attributes of a tag."""
    if not mark.startswith("<"):
        return mark
    name = re.match(r"</?(\w+)", mark)
    return f"<{name[1].lower()}>" if name else mark


def _open_at(text: str, place: int, opener: str) -> int:
    """How many of these are open at a place of a text."""
    depth = 0
    for match in _MARK.finditer(text):
        if match.start() >= place:
            break
        if _opener(match[0]) != opener:
            continue
        if match["name"]:
            depth += -1 if match["close"] else 1
        else:
            depth = 1 - depth
    return depth
