"""Does a sentence say of an item that it cites the opposite of what stands there: by a denial, a number or a date?

The check is narrow, so that it is certain: the sentence is one clause, all its content words stand in one sentence of
the one item that it cites, and only the denial, the number, the weekday or the month is another. Advice, questions,
conditions, guesses, sums and what is said to change are let be, and so is what anybody else has stated.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.content import LEAST_SHARED, content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, load
from rqa_nodes.echo.mood import affirms, is_hedged, is_negated, sentences, without_certainty
from rqa_nodes.echo.restate import bounds, quotable
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.support import Support
from rqa_nodes.echo.types import Injected, VerdictKind

__all__ = ["contradicted"]

_COVERED: Final = 0.5
"""Share of the item's words from which the sentence is about the same."""

_MOST_OTHER: Final = 4
"""Words, or pairs of characters, that a number and a day can make."""
_KEPT: Final = 256
"""Texts whose reading is kept."""
_MORE: Final = lazily(r"[,;()、，；（）](?!\d)|:(?!\d)|\n(?=.)")
"""What begins another clause."""
_SAID: Final = lazily(
    r"^(?:as )?you(?:['’]ve| have)? (?:said|told me|mentioned|wrote|stated|noted)(?: that)? |"
    r"^(?:あなたは|以前は?)|"
    r"(?:と|って)(?:おっしゃ|仰|言|話し|述べ|書い)[^。]{1,12}$"
)
_SUBJECT: Final = lazily(r"(?:you|your|the|each|every|he|she|his|her|they|their|in \d{4})(?![a-z])|[^\x00-\x7f]|\d")
_NOT: Final = lazily(r"n['’]t(?![a-z])")
_DIGITS: Final = lazily(r"\d+(?:[.,:]\d+)*")
_HAN_DIGITS: Final = lazily(r"[一二三四五六七八九十百千万]+(?=[匹人歳才年月日時分円万本枚個回杯度週キ名つ台冊])")
_HAN: Final = {digit: number for number, digit in enumerate("一二三四五六七八九", 1)}
_HAN_UNITS: Final = {"十": 10, "百": 100, "千": 1000, "万": 10000}


class _Said(NamedTuple):
    words: frozenset[str]
    values: frozenset[str]
    """Numbers, weekdays and months, written in one way."""
    negated: bool


def contradicted(sentence: Sentence, support: Support) -> Finding | None:
    """The item's own words, in place of a sentence that cites it and says the opposite."""
    if len(sentence.references) != 1 or len(sentence.cited) != 1 or len(sentence.pointers) != 1:
        return None
    item = sentence.cited[0]
    if item.source not in ("user", "external") or (told := _folded(item.text)) in sentence.folded.text:
        return None  # in the item's own words it says what the item says
    body = _body(sentence)
    if not body or len(content_words(body) - content_words(told)) > _MOST_OTHER:
        return None
    said = _read(body)
    held = max(_held_in(item.text), key=lambda one: len(one.said.words & said.words), default=None)
    if held is None or not _differ(said, held.said) or not _is_plain(body) or _stated_elsewhere(said, held, support):
        return None
    return _corrected(sentence, support, item, held.text)


class _Held(NamedTuple):
    """One sentence of an item."""

    text: str
    said: _Said


@lru_cache(maxsize=_KEPT)
def _folded(text: str) -> str:
    return fold(text).text.strip(" \n.。!！")


@lru_cache(maxsize=_KEPT)
def _held_in(text: str) -> tuple[_Held, ...]:
    found = (piece.replace("\x1a", ".").strip() for piece in sentences(text))
    return tuple(_Held(piece, _read(fold(piece).text)) for piece in found)


def _body(sentence: Sentence) -> str:
    """What the sentence says, if it is one clause with a subject; else ""."""
    reference = sentence.references[0][0]
    text = (sentence.plain[: reference.start] + sentence.plain[reference.end :]).strip(" \t\n>*_・•-|.。!！")
    if _MORE.search(text) or "?" in text:
        return ""
    text = _SAID.sub("", text.replace(" .", ""))
    return text if _SUBJECT.match(text) else ""


def _is_plain(body: str) -> bool:
    """Is it said to be so, here and now?"""
    return affirms(body) and not is_hedged(body) and not _otherwise().search(body)


def _differ(said: _Said, held: _Said) -> bool:
    """Is it about the same in the same words, with the opposite polarity or other values?"""
    shared = said.words & held.words
    if not said.words <= held.words or len(shared) < _COVERED * len(held.words):
        return False
    if said.negated is not held.negated:
        return len(shared) >= min(LEAST_SHARED, len(held.words)) and said.values <= held.values
    if not shared or not held.values or said.values <= held.values:
        return False
    return len(said.values) == len(held.values) or said.values.isdisjoint(held.values)


def _stated_elsewhere(said: _Said, held: _Held, support: Support) -> bool:
    """Has the user or a document said it so in another sentence?"""
    for text in (*support.told_texts, *support.papers):
        for other in _held_in(text):
            enough = len(said.words & other.said.words) >= _COVERED * len(said.words)
            same = other.said.negated is said.negated and said.values <= other.said.values
            if enough and same and other.text != held.text:
                return True
    return False


def _read(folded: str) -> _Said:
    values = {match[0].replace(",", "") for match in _DIGITS.finditer(folded)}
    values |= {str(_numbers()[match[0]]) for match in _spelled().finditer(folded)}
    values |= {str(_han(match[0])) for match in _HAN_DIGITS.finditer(folded)}
    values |= {match[0].removesuffix("曜日").removesuffix("曜") for match in _days().finditer(folded)}
    bare = _NOT.sub(" not", folded)
    for pattern in (_DIGITS, _spelled(), _HAN_DIGITS, _days()):
        bare = pattern.sub(" ", bare)
    return _Said(content_words(bare), frozenset(values), is_negated(without_certainty(folded)))


def _han(number: str) -> int:
    total, digit = 0, 0
    for char in number:
        if char in _HAN:
            digit = _HAN[char]
        elif char == "万":
            total, digit = max(1, total + digit) * 10000, 0
        else:
            total, digit = total + max(1, digit) * _HAN_UNITS[char], 0
    return total + digit


@cache
def _numbers() -> dict[str, int]:
    return dict(load("en")["values"]["numbers"])


@cache
def _spelled() -> re.Pattern[str]:
    return lazily(rf"(?<![a-z])(?:{any_of(list(_numbers()))})(?![a-z])")


@cache
def _days() -> re.Pattern[str]:
    latin = any_of(load("en")["values"]["days"])
    return lazily(rf"(?<![a-z])(?:{latin})(?![a-z])|[月火水木金土日]曜日?")


@cache
def _otherwise() -> re.Pattern[str]:
    """What says that something is to change, to be done, or is counted in another way."""
    words = {lang: any_of(load(lang)["values"]["otherwise"]) for lang in LANGUAGES}
    return lazily(
        rf"(?<![a-z])(?:{words['en']})(?![a-z])|{words['ja']}|約(?=[\d一二三四五六七八九十百千万])|{words['zh']}"
    )


def _corrected(sentence: Sentence, support: Support, item: Injected, words: str) -> Finding | None:
    if not quotable(words, support):
        return None
    wording = load(sentence.lang)["wording"]
    prefix = wording["you_said"]
    if item.source == "external":
        prefix = wording["source_says"].format(name=item.author or item.locator or wording["source_unnamed"])
    reference = sentence.references[0][0]
    start, end = sentence.folded.span(reference.start, reference.end)
    first, last = bounds(sentence, reference.start)
    text = sentence.text
    stop = text[last - 1 : last] if text[last - 1 : last] in (".", "。", "!", "！") else ""
    gap = " " if sentence.lang == "en" else ""
    return Finding(
        kind=VerdictKind.misquote,
        start=sentence.pointers[0].start,
        end=sentence.pointers[0].end,
        ref=sentence.pointers[0].ref,
        node=item.id or item.handle,
        reason="the item says otherwise",
        action="rewritten",
        replacement=f"{prefix}{words.rstrip('.。!！ ')}{gap}{text[start:end]}{stop}",
        cut=(first, last),
    )
