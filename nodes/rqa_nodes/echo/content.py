"""What is a text about?

Its content words: Latin words without endings, character pairs of runs of Han and katakana. Words that a sentence needs
for its grammar are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load

__all__ = [
    "LEAST_SHARED",
    "are_apart",
    "best_share",
    "content_words",
    "figures",
    "is_one_word",
    "names_in",
    "names_otherwise",
]

LEAST_SHARED: Final = 2
"""One common word is chance, unless the claim has no other."""
_STEM_CHARS: Final = 6
"""Words are taken to be of one family by so many letters: allergy, allergic."""

_STEM_LEAST: Final = 4
_LONGEST_WORD: Final = 3
"""Pairs of characters in the longest word that is taken as one."""
_LATIN: Final = lazily(r"[a-z0-9][a-z0-9_]*")
_HAN_RUN: Final = lazily(r"[\u30a1-\u30fa\u30fc\u3400-\u9fff々]+")
_HIRAGANA_RUN: Final = lazily(r"[\u3041-\u3096]{5,}")
"""Only where a text has no other content: endings and particles are hiragana too."""
_DEMONSTRATIVE: Final = lazily(r"\W*(?:[こそあ](?:れ|の|ちら|う))")
_REFERENCE: Final = lazily(r"\[\s*m\s*:[^\]]*\]?")
_MONTHS: Final = frozenset(
    {"januar", "februa", "april", "jun", "june", "jul", "july", "august", "septem", "octobe", "novemb", "decemb"}
)
"""As stems; March and May are words of their own."""
_HAN_FIGURE: Final = lazily(
    r"[二三四五六七八九十百千万億][月日年時时分秒円元回度人週周歳岁個个件十百千万億]|一[月日十百千万億]|十[一二三四五六七八九]"
)


def figures(words: frozenset[str]) -> frozenset[str]:
    """The numbers and months among content words."""
    return frozenset(word for word in words if word.isdigit() or word in _MONTHS or _HAN_FIGURE.fullmatch(word))


@cache
def _stopwords() -> frozenset[str]:
    return frozenset(load("en")["stopwords"])


def names_otherwise(folded: str) -> bool:
    """May a folded text name somebody of the reader's by a word that stands for another one?"""
    return not folded.isascii() and ("様" in folded or "奥" in folded or "旦那" in folded or "嬢" in folded)


def content_words(folded: str) -> frozenset[str]:
    """What a folded text is about."""
    text = _REFERENCE.sub(" ", folded) if "[" in folded else folded
    if names_otherwise(text):
        text = _CALLED.sub(lambda match: _OWN_WORDS[match[0]], text)
    words = set(map(_stem, set(_LATIN.findall(text)) - _stopwords()))
    if folded.isascii():
        return frozenset(words)
    for run in _HAN_RUN.findall(text):
        words.update([run] if len(run) == 1 else (run[at : at + 2] for at in range(len(run) - 1)))
    if not words and not _DEMONSTRATIVE.match(text):
        for run in _HIRAGANA_RUN.findall(text):
            words.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(words)


_LATIN_NAME: Final = lazily(r"(?<![a-z0-9_])(?=([a-z0-9_]+[ -][a-z0-9_]+)(?![a-z0-9_]))")
_LONG_WORD: Final = lazily(r"(?<![a-z0-9_])[a-z]{8,}(?<!ly)(?<!ing)(?![a-z0-9_])")
_HAN_NAME: Final = lazily(r"(?=([\u30a1-\u30fa\u30fc\u3400-\u9fff々]{3}))")


def names_in(folded: str) -> Iterator[frozenset[str]]:
    """What may be a name in a folded text, as content words.

    Two words side by side, a long word, or three characters of a run.
    """
    for match in _LATIN_NAME.finditer(folded):
        words = content_words(match[1])
        if len(words) == LEAST_SHARED and _no_names().isdisjoint(re.split("[ -]", match[1])):
            yield words
    yield from (content_words(match[0]) for match in _LONG_WORD.finditer(folded))
    if not folded.isascii():
        yield from (content_words(match[1]) for match in _HAN_NAME.finditer(folded))


@cache
def _no_names() -> frozenset[str]:
    return frozenset(load("en")["no_names"])


_OWN_WORDS: Final = {
    "奥様": "妻", "奥さん": "妻", "奥さま": "妻", "旦那様": "夫", "旦那さん": "夫", "旦那": "夫", "主人様": "夫",
    "嬢様": "娘", "嬢さん": "娘", "嬢さま": "娘", "父様": "父", "母様": "母", "兄様": "兄", "姉様": "姉", "弟様": "弟",
    "妹様": "妹", "孫様": "孫", "子様": "子",
}  # fmt: skip
"""What the reader calls those whom others speak of with respect."""
_CALLED: Final = lazily("|".join(_OWN_WORDS))
_ENDINGS: Final = {
    "g": ("ing",),
    "s": ("ings", "ies", "es", "s"),
    "d": ("ied", "ed"),
    "y": ("edly", "ly", "y"),
    "e": ("e",),
}
"""What a word ends in, by its last letter, the longest first."""
_LEAST_BEFORE: Final = 3
"""Letters before the ending: a shorter stem would fit everything."""
_LONGEST_ENDING: Final = 4
_AFTER_DOUBLED: Final = frozenset({"ing", "ings", "ed", "edly"})
_DOUBLED: Final = "bgmnprt"
"""What is written twice before an ending and once without it: clogged, planning."""


def _stem(word: str) -> str:
    """The beginning of a folded Latin word, without its ending."""
    size = len(word)
    if size < _STEM_LEAST:
        return word
    if size < _STEM_CHARS + _LONGEST_ENDING:
        for ending in _ENDINGS.get(word[-1], ()):
            before = size - len(ending)
            if before >= _LEAST_BEFORE and word.endswith(ending) and word[before - _LEAST_BEFORE : before].isalpha():
                stem = word[:before]
                doubled = ending in _AFTER_DOUBLED and stem[-1] == stem[-2] and stem[-1] in _DOUBLED
                return stem[: before - doubled][:_STEM_CHARS]
    return word[:_STEM_CHARS]


def is_one_word(words: frozenset[str]) -> bool:
    """Are these the pairs of one word of three or four characters? A larger hall is not the smaller one."""
    if not 1 < len(words) <= _LONGEST_WORD or any(len(word) != len("大ホ") for word in words):
        return False
    return len({word[0] for word in words} - {word[1] for word in words}) == 1


def are_apart(shared: frozenset[str]) -> bool:
    """Do two of these come from different words? Pairs that lap over may be one word of three characters."""
    return any(one[-1] != other[0] and other[-1] != one[0] for one in shared for other in shared if one != other)


def best_share(words: frozenset[str], texts: Iterable[frozenset[str]]) -> float:
    """The largest share of the words that one of the texts holds; one word alone is a share only of one word."""
    if not words:
        return 0.0
    least = min(LEAST_SHARED, len(words))
    shared = (len(words & text) for text in texts)
    return max((count / len(words) for count in shared if count >= least), default=0.0)
