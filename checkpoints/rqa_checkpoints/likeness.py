"""When do two texts say the same thing, word for word or nearly so?

Used where a wrong "yes" is cheap and a wrong "no" lets an echo in: to keep the assistant from restating its own guess
as a new item, to keep injected text from being stored again, and to see that a user repeats the assistant. Numbers
and polarity must agree before two texts are called alike: "60 kg" is no restatement of "80 kg", nor "is" of "is not".
"""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "BANDS_SHARED",
    "Profile",
    "contained",
    "fingerprint",
    "fold",
    "has_block_markers",
    "profile",
    "restates",
    "same_claim",
    "sketch",
]

_RESTATES = 0.7
"""Jaccard similarity of character trigrams from which a sentence is the assistant's own one again. Calibrated on the
pairs in tests/checkpoints/test_likeness.py."""

_REPEATS = 0.75
"""Share of the shorter text's trigrams found in the other, from which a user repeats the assistant."""

_BANDS = 8
_ROWS = 2
BANDS_SHARED = 2
"""Bands that two sketches must share to be compared: of 8 bands of 2 hashes each, a pair at similarity 0.8 shares two
with probability 0.996, one at 0.7 with 0.96, one at 0.3 with 0.16 (binomial, band probability s^2)."""

_MASK = 0xFFFFFFFF
_SEEDS = tuple((zlib.crc32(b"a%d" % row) | 1, zlib.crc32(b"b%d" % row)) for row in range(_BANDS * _ROWS))

_SHORT = 2000
"""Characters up to which a text is a sentence or an item, and what was found out about it is kept."""

_CITATION = re.compile(r"\[m:[^\]\[]{0,200}\]", re.IGNORECASE)
_MARKER = re.compile(r"\[\s*/?\s*(?:memory_context|document|input)(?:\s[^\[\]]{0,500})?\]")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|without|cannot)\b|n't\b|n’t\b"
    r"|(?<!かもしれ)(?:ない|ません)|なかった|ありませ|ぬ(?:。|$)|ではな|じゃな|不是|没有|並非|并非"
)
_PERSON = re.compile(
    r"\b(?:i|me|my|mine|myself|you|your|yours|yourself|am|are|is|i'm|you're|i’m|you’re)\b"
    r"|あなた|貴方|わたし|私|僕|ぼく|俺|おれ|あたし|您|你|我"
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|probably|perhaps|maybe|likely|possibly|seems? to|i (?:think|guess|suspect)(?: that)?)\b"
    r"|かもしれ(?:ない|ません)|でしょう|だろう|(?:だ)?と思(?:う|います)|おそらく|たぶん|多分|です|ます|可能|也许|大概"
)


@lru_cache(maxsize=1)
def _width_table() -> dict[int, str]:
    """Full-width ASCII and half-width kana to their normal forms; nothing else of NFKC (it would turn ① into 1)."""
    spots = [*range(0xFF01, 0xFFEF), 0x3000]
    return {cp: unicodedata.normalize("NFKC", chr(cp)) for cp in spots if unicodedata.category(chr(cp)) != "Cn"}


def fold(text: str) -> str:
    """NFC, width, case and white space folded: two texts that only differ in these are the same statement."""
    narrowed = text.translate(_width_table())
    return " ".join(unicodedata.normalize("NFC", narrowed).casefold().split())


def fingerprint(text: str) -> str:
    """The letters and digits of the folded text, without citations: what is left when nothing but wording counts."""
    return _short_fingerprint(text) if len(text) <= _SHORT else _fingerprint(text)


def _fingerprint(text: str) -> str:
    return _letters(fold(_CITATION.sub(" ", text)))


@lru_cache(maxsize=4096)
def _short_fingerprint(text: str) -> str:
    """Kept: what is injected is the same from turn to turn, and a turn asks several times."""
    return _fingerprint(text)


def has_block_markers(text: str) -> bool:
    """Does the text carry one of our own prompt markers, however written (width, case, invisible characters)?"""
    if "[" not in text and "［" not in text:
        return False
    visible = "".join(ch for ch in text if unicodedata.category(ch) != "Cf")
    return bool(_MARKER.search(unicodedata.normalize("NFKC", visible).casefold()))


def contained(sentence: str, marks: Sequence[str]) -> bool:
    """Do the words of the sentence stand in one of the fingerprints?

    Texts of fewer than 8 letters and digits ("yes", "はい") are only contained where they are the whole.
    """
    mark = fingerprint(sentence)
    if not mark:
        return False
    return any(mark == other or (len(mark) >= 8 and mark in other) for other in marks)


class Profile(NamedTuple):
    """What two texts are compared by."""

    mark: str
    facts: tuple[tuple[str, ...], bool]
    """The numbers in their order, and whether it denies."""
    words: frozenset[int]
    claim: frozenset[int]
    """As `words`, but who and how surely do not count."""


@lru_cache(maxsize=2048)
def profile(text: str) -> Profile:
    """What a text is compared by; kept, because a turn asks several times."""
    folded = fold(_CITATION.sub(" ", text))
    mark = _letters(folded)
    facts = tuple(_NUMBER.findall(folded)), bool(_NEGATION.search(folded))
    claim = _letters(_HEDGE.sub(" ", _PERSON.sub(" ", folded)))
    return Profile(mark, facts, _grams(mark), _grams(claim))


def _letters(folded: str) -> str:
    return "".join(filter(str.isalnum, folded))


def _grams(mark: str) -> frozenset[int]:
    """Hashes of the character trigrams; of a shorter text, of the text."""
    data = mark.encode("utf-32-le", "replace")
    return frozenset(zlib.crc32(data[at : at + 12]) for at in range(0, max(4, len(data) - 8), 4))


def restates(new: str, old: str) -> bool:
    """Is `new` the statement `old` again: same words, or nearly the same with the same numbers and polarity?"""
    one, two = profile(new), profile(old)
    if one.facts != two.facts:
        return False
    return one.mark == two.mark or len(one.words & two.words) >= _RESTATES * len(one.words | two.words)


def same_claim(one: Profile, two: Profile, *, least: int = 4, spread: int = 4) -> bool:
    """Is the shorter claim found in the longer one, which is at most `spread` times as long?"""
    smaller, larger = sorted((len(one.claim), len(two.claim)))
    shared = len(one.claim & two.claim)
    repeats = smaller >= least and larger <= spread * smaller and shared >= _REPEATS * smaller
    return bool(one.mark) and (one.mark == two.mark or repeats)


@lru_cache(maxsize=2048)
def sketch(text: str) -> tuple[str, ...]:
    """Band keys of a min-hash sketch (Broder, 1997): near-duplicates are likely to share `BANDS_SHARED` keys."""
    grams = profile(text).claim
    lows = [min((gram * a + b) & _MASK for gram in grams) for a, b in _SEEDS]
    return tuple(
        f"{band}:{zlib.crc32(repr(lows[band * _ROWS : (band + 1) * _ROWS]).encode()):08x}" for band in range(_BANDS)
    )
