"""Which character n-grams of a text can another text be found by?

Japanese has no spaces, so words cannot be the unit: runs of CJK characters give their one- (kanji only), two- and
three-character grams; other scripts give whole words and the trigrams inside them, which join `launch` to `launched`.
A gram is its CRC-32 (a stable 32-bit hash: Qdrant's sparse dimensions are u32). A document carries BM25 term weights,
a query the weight of each gram's class; the inverse document frequency is multiplied in by the engine, over the points
of the asking person alone, so nobody's scores depend on somebody else's texts.
"""

from __future__ import annotations

import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Ranked", "SparseVector", "coverage", "encode_document", "encode_query", "idf", "rank"]

_K1 = 1.2
"""Saturation of repeated grams (Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, eq. 3.15)."""
_B = 0.75
"""How far the length of a text counts; same source."""
_USUAL_GRAMS = 60
"""Length at which a text is neither favoured nor punished: about a sentence of 20 words or 25 Japanese characters."""

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005-\u3007\U00020000-\U000323af"
_CJK = rf"\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff{_HAN}"
_RUNS = re.compile(rf"(?P<cjk>[{_CJK}]+)|(?P<word>[^\W_{_CJK}]+)")
_HIRAGANA = frozenset(map(chr, range(0x3041, 0x30A0)))
_IS_HAN = re.compile(rf"[{_HAN}]")

_WORD_WEIGHT = 1.5
_TRIGRAM_SHARE = 0.8
"""What all trigrams of one word weigh together: less than the word itself."""
_HAN_WEIGHT = 0.5
"""One kanji: a word at times (猫), a part of one more often."""
_HIRAGANA_WEIGHT = 0.25
"""Of a gram that holds hiragana, which is grammar more often than content; with few texts the document frequency
cannot know that yet."""
_MIN_WORD_FOR_TRIGRAMS = 4
_LONGEST_KEPT = 24


def _words(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


_STOP_WORDS = _words(
    "a about am an and any are as at be been but by can could did do does for from had has have he her him his how i "
    "if in into is it its just me my no not of on or our out she should so some than that the their them then there "
    "these they this to up us was we were what when where which who whom whose why will with would you your"
)
_STOP_GRAMS = _words(
    "です ます した して から まで ない ので のは のが のを には では とは とか ある いる なる する った って という "
    "こと この その あの どの これ それ あれ ました ません ている ていた でした でしょ しょう ですか ますか"
)


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Grams by hash, ascending, with their weights."""

    indices: tuple[int, ...] = ()
    values: tuple[float, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.indices)


class Ranked(NamedTuple):
    """One text found by `rank`."""

    id: str
    score: float


def encode_document(text: str) -> SparseVector:
    """Weigh the grams of a stored text: BM25 term weights without the document frequency. Empty text: no grams."""
    counts = Counter(gram for gram, _ in _grams(text))
    norm = _K1 * (1 - _B + _B * counts.total() / _USUAL_GRAMS)
    return _vector({gram: n * (_K1 + 1) / (n + norm) for gram, n in counts.items()})


@lru_cache(maxsize=64)
def encode_query(text: str) -> SparseVector:
    """Weigh the grams of a query by what kind of gram they are. A query of stop words alone has no grams.

    Kept: a recall asks for those of its query twice, and turn after turn for those of the same items.
    """
    return _vector(dict(_grams(text)))


def coverage(query: str, text: str) -> float:
    """Share of the query's gram weight that the text contains, 0 to 1; 0 where the query has no grams.

    Independent of any collection: fit for a fixed floor, which a BM25 score is not.
    """
    wanted = dict(_grams(query))
    total = sum(wanted.values())
    if not total:
        return 0.0
    present = {gram for gram, _ in _grams(text)}
    return sum(weight for gram, weight in wanted.items() if gram in present) / total


def idf(texts: int, containing: int) -> float:
    """Inverse document frequency as Qdrant computes it, so that recall from the log ranks as the index does."""
    return math.log((texts - containing + 0.5) / (containing + 0.5) + 1)


def rank(query: str, texts: Iterable[tuple[str, str]], *, limit: int) -> list[Ranked]:
    """Rank (id, text) pairs without an index: what recall does where another process holds it.

    Best first, ties by id; texts that share no gram with the query are left out.
    """
    wanted = dict(_grams(query))
    found: list[tuple[str, dict[int, float]]] = []
    n_texts = 0
    for id_, text in texts:
        document = encode_document(text)
        n_texts += bool(document)
        shared = {i: v for i, v in zip(document.indices, document.values, strict=True) if i in wanted}
        if shared:
            found.append((id_, shared))
    frequency = Counter(i for _, shared in found for i in shared)
    rarity = {i: wanted[i] * idf(n_texts, n) for i, n in frequency.items()}
    ranked = [Ranked(id_, sum(v * rarity[i] for i, v in shared.items())) for id_, shared in found]
    return sorted(ranked, key=lambda r: (-r.score, r.id))[:limit]


def _vector(weights: dict[int, float]) -> SparseVector:
    indices = sorted(weights)
    return SparseVector(tuple(indices), tuple(weights[i] for i in indices))


def _grams(text: str) -> Iterator[tuple[int, float]]:
    """Yield (hash of the gram, weight of its class), repeats included. Linear in the text."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    for run in _RUNS.finditer(folded):
        if run.lastgroup == "cjk":
            yield from _cjk_grams(run.group())
        else:
            word = run.group()
            yield from _word_grams(word) if len(word) > _LONGEST_KEPT else _kept_word_grams(word)


def _cjk_grams(run: str) -> Iterator[tuple[int, float]]:
    for character in _IS_HAN.findall(run):
        yield _hash(character), _HAN_WEIGHT
    for width in (2, 3):
        for position in range(len(run) - width + 1):
            gram = run[position : position + width]
            if gram not in _STOP_GRAMS:
                yield _hash(gram), 1.0 if _HIRAGANA.isdisjoint(gram) else _HIRAGANA_WEIGHT


def _word_grams(word: str) -> tuple[tuple[int, float], ...]:
    if word in _STOP_WORDS:
        return ()
    grams = [(_hash(f"w:{word}"), _WORD_WEIGHT)]
    if len(word) >= _MIN_WORD_FOR_TRIGRAMS:
        padded = f"^{word}$"
        starts = range(len(padded) - 2)
        grams += [(_hash(f"t:{padded[i : i + 3]}"), _TRIGRAM_SHARE / len(starts)) for i in starts]
    return tuple(grams)


@lru_cache(maxsize=4096)
def _kept_word_grams(word: str) -> tuple[tuple[int, float], ...]:
    """Grams of one word, kept: few words make up most of what a person writes."""
    return _word_grams(word)


def _hash(gram: str) -> int:
    return zlib.crc32(gram.encode("utf-8", "replace"))
