"""Which words of a Japanese question are written in hiragana alone, in the midst of what looks like grammar?

Grammar is a closed class and the words are an open one: what stands behind a particle and is no known piece of
grammar is a word, whichever it is. Without that 窓をあける and 窓をしめる would both be only a window. Where a word
is cut at the wrong place, a hit is lost and nothing is served.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rqa_checkpoints.cache.guard.forms import pattern

__all__ = ["KanaWord", "kana_words"]

_BEHIND_PARTICLE: Final = re.compile(
    r"(?:^|(?<=[、。\s])|(?<=[^\u3041-\u309f][がにはでともへのや])|(?<=[をが]))[\u3041-\u309fー]{2,}"
)
"""A run of hiragana at the beginning or behind a particle: を and が are one anywhere, others may be parts of words."""
_BEHIND_VERB: Final = re.compile(
    r"(?<=[々〆\u3400-\u9fff])[\u3041-\u309f]{0,2}?[るうすつぬむぶぐた](?!ら|め)(?P<noun>[\u3041-\u309fー]{2,6}?)"
    r"(?=[はをがにの](?:[^\u3041-\u309f]|$|どう|どこ|どの|いつ|なに|なん|なぜ|だれ|ある|いる))"
)
"""A noun in hiragana behind the verb that says which: 入れるきのこは."""
_OKURIGANA: Final = re.compile(
    r"(?<=[々〆\u3400-\u9fff])(?:と[すせしそさ]|が[っらりるれろ]|も[っらりるれろ]|や[すせしそさ]|は[やげが]|の[ばびぶべ])"
)
"""Endings of verbs that look like a particle: 落とす, 上がる, 積もる, 増やす."""
_TWICE: Final = re.compile(r"(..)\1")
"""ぴくぴく: no ending begins in the midst of it."""
_OBJECT: Final = "を"
"""Behind it a verb follows, and never an auxiliary one."""


class KanaWord(NamedTuple):
    """A word in hiragana."""

    start: int
    text: str
    """Up to where grammar goes on; two characters at least."""


def kana_words(text: str) -> Iterator[KanaWord]:
    """The words in hiragana of a question; `text` is in one spelling."""
    rest = pattern("ja", "grammar_rest")
    for found in _BEHIND_PARTICLE.finditer(text):
        run = found.group()
        if not _is_grammar(text, found.start()):
            ends = (place for place in range(4 if _TWICE.match(run) else 2, len(run)) if rest.fullmatch(run, place))
            yield KanaWord(found.start(), run[: next(ends, len(run))])
    for found in _BEHIND_VERB.finditer(text):
        noun = found["noun"]
        if not pattern("ja", "grammar").match(noun) and not rest.fullmatch(noun):
            yield KanaWord(found.start("noun"), noun)


def _is_grammar(text: str, start: int) -> bool:
    """Does grammar begin at a place, or at the particle before it: で and す are the copula, 落 and とす a verb?"""
    grammar, before = pattern("ja", "grammar"), text[start - 1 : start]
    if before and _OKURIGANA.match(text, start - 1):
        return True
    whole = grammar.match(text, start - 1) if before not in ("", _OBJECT) else None
    return bool(grammar.match(text, start) or (whole and whole.end() > start))
