"""Which writing of a Japanese word stands for all: 胡瓜 for きゅうり and キュウリ, 混ぜる for まぜる?

There are no spaces, so a word in kana is taken for one only where a word can begin, and a noun only where one can end:
いるか in しているか is no dolphin. Where it is doubtful the text stays as it is, which costs a hit and serves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import ahocorasick

from rqa_checkpoints.cache.guard.forms import ENDINGS, respelled
from rqa_checkpoints.packaged import packaged

__all__ = ["one_writing"]

_HAN: Final = re.compile(r"[々〆\u3400-\u4dbf\u4e00-\u9fff]")
_HIRAGANA: Final = re.compile(r"[\u3041-\u309f]")
_KATAKANA: Final = re.compile(r"[\u30a1-\u30fa\u30fc]")
_LATIN: Final = re.compile(r"[a-z0-9]")
_KATAKANA_OF: Final = {code: code + 0x60 for code in range(0x3041, 0x3097)}
_PARTICLES: Final = frozenset("のをがにはでともやへか")
_BEFORE: Final = _PARTICLES | frozenset("おご")
"""Particles, and the polite prefixes: a word may begin behind them."""
_AFTER: Final = frozenset("のをがにはでともやへだかっなすしさって")
"""Particles and the beginnings of copula and する: a noun may end before them."""

_ADJECTIVE_ENDS: Final = "いくかけさ"
"""What follows the stem of an adjective: 高い, 高く, 高かった, 高ければ, 高さ."""


class _Word(NamedTuple):
    length: int
    writing: str
    is_whole: bool
    """A noun, behind which no other hiragana stands but a particle."""
    is_behind_o: bool = False
    """A verb that stands for this one behind を alone."""
    is_alone: bool = False
    """No part of a longer word: neither 東大 in 関東大震災 nor "who" in "whole"."""


def one_writing(text: str) -> str:
    """The text with each word in the writing that stands for all; others stay as they are."""
    done, last = [], 0
    for end, word in _automaton().iter_long(text):
        start = end - word.length + 1
        is_there = text.startswith(word.writing, start)
        if start < last or is_there or not _stands(text, start, end + 1, word):
            continue
        done += [text[last:start], word.writing]
        last = end + 1
    return "".join([*done, text[last:]])


def _stands(text: str, start: int, end: int, word: _Word) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if word.is_alone and any(_HAN.match(char) or _LATIN.match(char) for char in (before, after)):
        return False
    if word.is_behind_o and before != "を":
        return False
    if _KATAKANA.match(text[start]):
        return not (_KATAKANA.match(before) or _KATAKANA.match(after))
    if _HIRAGANA.match(text[start]) and not _begins(text[start], before):
        return False
    return not (word.is_whole and _HIRAGANA.match(after) and after not in _AFTER)


def _begins(first: str, before: str) -> bool:
    """Can a word in hiragana begin here? Behind a kanji stands its ending, and what looks like a particle is one.

    Behind を no other particle stands but も.
    """
    if before == "を" and first != "も":
        return True
    if _HAN.match(before) or (before.strip() and before not in "、。？?！!「（(" and first in _PARTICLES):
        return False
    return not _HIRAGANA.match(before) or before in _BEFORE


def _loan(word: str) -> str:
    """As the text is, once its loan words are in one spelling."""
    return respelled(word, "ja", "loans")


@cache
def _automaton() -> Any:
    automaton = ahocorasick.Automaton()
    for other, word in _words(packaged("spellings.ja")):
        automaton.add_word(other, word)
    automaton.make_automaton()
    return automaton


def _words(data: Mapping[str, str]) -> Iterator[tuple[str, _Word]]:
    """What is written otherwise, with the word in the writing that stands for it."""
    for kind in ("others", "abbreviations"):
        for writing, *others in (map(_loan, row.split()) for row in data[kind].splitlines()):
            for other in others:
                yield other, _Word(len(other), writing, is_whole=False, is_alone=kind == "abbreviations")
    yield from _inflected(data)
    for writing, kana in map(str.split, data["words"].splitlines()):
        for other in (kana, kana.translate(_KATAKANA_OF)):
            yield other, _Word(len(other), writing, is_whole=True)


def _inflected(data: Mapping[str, str]) -> Iterator[tuple[str, _Word]]:
    """The forms of verbs and adjectives."""
    for kind in ("objects", "verbs"):
        for writing, reading, conjugation in map(str.split, data[kind].splitlines()):
            for end in [""] if conjugation == "1" else ENDINGS[reading[-1]]:
                form = reading[:-1] + end
                yield form, _Word(len(form), writing[:-1] + end, is_whole=False, is_behind_o=kind == "objects")
    for writing, reading in map(str.split, data["adjectives"].splitlines()):
        for end in _ADJECTIVE_ENDS:
            yield reading[:-1] + end, _Word(len(reading), writing[:-1] + end, is_whole=False)
