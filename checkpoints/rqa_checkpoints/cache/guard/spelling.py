"""Which writing of a Japanese word stands for all: 胡瓜 for きゅうり and キュウリ, 混ぜる for まぜる?

There are no spaces, so a word in kana is taken for one only where a word can begin, and a noun only where one can end:
いるか in しているか is no dolphin. Where it is doubtful the text stays as it is, which costs a hit and serves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import ahocorasick

from rqa_checkpoints.cache.guard.forms import ENDINGS
from rqa_checkpoints.packaged import packaged

__all__ = ["one_writing"]

_HAN: Final = re.compile(r"[々〆\u3400-\u4dbf\u4e00-\u9fff]")
_HIRAGANA: Final = re.compile(r"[\u3041-\u309f]")
_KATAKANA: Final = re.compile(r"[\u30a1-\u30fa\u30fc]")
_KATAKANA_OF: Final = {code: code + 0x60 for code in range(0x3041, 0x3097)}
_PARTICLES: Final = frozenset("のをがにはでともやへか")
_BEFORE: Final = _PARTICLES | frozenset("おご")
"""Particles, and the polite prefixes: a word may begin behind them."""
_AFTER: Final = frozenset("のをがにはでともやへだかっなすしさって")
"""Particles and the beginnings of copula and する: a noun may end before them."""


class _Word(NamedTuple):
    length: int
    writing: str
    is_whole: bool
    """A noun, behind which no other hiragana stands but a particle."""


def one_writing(text: str) -> str:
    """The text with each word in the writing that stands for all; others stay as they are."""
    done, last = [], 0
    for end, word in _automaton().iter_long(text):
        start = end - word.length + 1
        is_there = text.startswith(word.writing, start)
        if start < last or is_there or not _stands(text, start, end + 1, is_whole=word.is_whole):
            continue
        done += [text[last:start], word.writing]
        last = end + 1
    return "".join([*done, text[last:]])


def _stands(text: str, start: int, end: int, *, is_whole: bool) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if _KATAKANA.match(text[start]):
        return not (_KATAKANA.match(before) or _KATAKANA.match(after))
    if _HIRAGANA.match(text[start]) and not _begins(text[start], before):
        return False
    return not (is_whole and _HIRAGANA.match(after) and after not in _AFTER)


def _begins(first: str, before: str) -> bool:
    """Can a word in hiragana begin here? Behind a kanji stands its ending, and what looks like a particle is one."""
    if _HAN.match(before) or (before.strip() and before not in "、。？?！!「（(" and first in _PARTICLES):
        return False
    return not _HIRAGANA.match(before) or before in _BEFORE


@cache
def _automaton() -> Any:
    data: Mapping[str, str] = packaged("spellings.ja")
    automaton = ahocorasick.Automaton()
    for writing, *others in map(str.split, data["others"].splitlines()):
        for other in others:
            automaton.add_word(other, _Word(len(other), writing, is_whole=False))
    for writing, reading, kind in map(str.split, data["verbs"].splitlines()):
        ends = [""] if kind == "1" else ENDINGS[reading[-1]]
        for end in ends:
            automaton.add_word(reading[:-1] + end, _Word(len(reading[:-1] + end), writing[:-1] + end, is_whole=False))
    for writing, kana in map(str.split, data["words"].splitlines()):
        for other in (kana, kana.translate(_KATAKANA_OF)):
            automaton.add_word(other, _Word(len(other), writing, is_whole=True))
    automaton.make_automaton()
    return automaton
