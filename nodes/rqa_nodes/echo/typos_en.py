"""Which English words are a letter away from one of settling ("agred", "decieded")?

One letter wrong, missing, added or swapped: two words are that close if they are alike once one letter of each is
gone. Only behind "as", "we" and their like, and for no word that is spelled right.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load

__all__ = ["misspelled"]

_LEAST_TYPO_CHARS: Final = 6
"""Shorter words are too close to others."""
_WORD: Final = lazily(r"[a-z]{6,}")
_BESIDE_TYPO: Final = lazily(r"(?<![a-z])(?:as|we|you|our|it|was|been|is)(?:['’]?(?:ve|d|s))?(?: [a-z]+){0,2} $")


@cache
def _shortened_words() -> dict[str, frozenset[str]]:
    """The words of settling, under what is left of them when one letter is gone."""
    table: dict[str, set[str]] = {}
    for word in load("en")["status"]["participles"]:
        if len(word) >= _LEAST_TYPO_CHARS and word.isalpha():
            for short in _shortened(word):
                table.setdefault(short, set()).add(word)
    return {short: frozenset(words) for short, words in table.items()}


def _shortened(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def misspelled(text: str) -> Iterator[tuple[int, int]]:
    """The places of such words in a folded sentence."""
    table = _shortened_words()
    known = _vocabulary()
    for match in _WORD.finditer(text):
        word = match[0]
        if word in known or not _BESIDE_TYPO.search(text, max(0, match.start() - 40), match.start()):
            continue
        if any(short in table for short in _shortened(word)):
            yield match.span()


@cache
def _vocabulary() -> frozenset[str]:
    """Words that are spelled right, though a letter away from one of settling."""
    words = load("en")
    status = words["status"]
    right = [*status["not_typos"], *status["participles"], *status["verbs"], *words["establishing"], *words["saying"]]
    return frozenset(right)
