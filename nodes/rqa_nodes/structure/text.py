"""Which words of a text carry its topic, and how much of a topic do two texts share?

Japanese has no spaces, so its topic words are character bigrams of Han runs and whole Katakana runs; English words are
cut to a rough stem. Both kinds go into one set, so that mixed text needs no switch. Everything is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

__all__ = ["clean", "content_terms", "coverage", "fold", "key_terms"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_RUN = re.compile(r"[a-z0-9][a-z0-9_'-]*|[ァ-ヺー]{2,}|[一-鿿㐀-䶿々〆]+|[à-öø-ÿ]+[a-z]*")

_STOP = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "anything",
        "are",
        "as",
        "ask",
        "at",
        "be",
        "been",
        "before",
        "being",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "done",
        "each",
        "else",
        "ever",
        "every",
        "few",
        "for",
        "from",
        "get",
        "give",
        "go",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "know",
        "known",
        "let",
        "like",
        "many",
        "may",
        "me",
        "might",
        "more",
        "most",
        "much",
        "must",
        "my",
        "need",
        "no",
        "not",
        "of",
        "off",
        "on",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "really",
        "said",
        "same",
        "say",
        "says",
        "she",
        "should",
        "since",
        "so",
        "some",
        "such",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "thing",
        "things",
        "this",
        "those",
        "to",
        "too",
        "up",
        "us",
        "very",
        "want",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "yes",
        "you",
        "your",
        "yours",
        "mine",
        "i'm",
        "it's",
        "don't",
        "doesn't",
        "isn't",
        "i've",
        "we're",
        "you're",
        "that's",
        "what's",
        "let's",
        "can't",
        "won't",
        "didn't",
        "there's",
        "remember",
        "about-me",
        "make",
        "makes",
        "made",
        "use",
        "used",
        "uses",
        "using",
        "still",
        "yet",
        "new",
    ]
)
_STOP_HAN = frozenset(
    [
        "何",
        "誰",
        "事",
        "物",
        "時",
        "方",
        "私",
        "僕",
        "俺",
        "君",
        "中",
        "上",
        "下",
        "前",
        "後",
        "的",
        "今",
        "人",
        "日",
        "年",
        "月",
        "々",
        "自分",
        "場合",
        "必要",
        "可能",
        "以上",
        "以下",
        "何時",
    ]
)

_SUFFIXES = (
    "ations",
    "ation",
    "ingly",
    "ments",
    "ment",
    "ings",
    "ing",
    "edly",
    "ies",
    "ied",
    "ers",
    "es",
    "ed",
    "er",
    "ly",
    "s",
)
_STEM_CHARS = 4
"""A stem shorter than this meets too many unrelated words."""


def clean(text: str) -> str:
    r"""The text without lone surrogates and control or direction characters; line ends become `\\n`."""
    text = _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub(" ", text)


def fold(text: str) -> str:
    """Width, case and white space folded, for comparison only."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM_CHARS - (suffix == "s"):
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    return word.rstrip("e") if len(word) > _STEM_CHARS else word


def _pieces(run: str) -> Iterator[str]:
    if run[0] < "\u0250":
        word = run.strip("'-_").removesuffix("'s")
        if word not in _STOP and (len(word) > 1 or word.isdigit()):
            yield _stem(word)
    elif "ァ" <= run[0] <= "ー":
        yield run
    elif len(run) <= 2:
        if run not in _STOP_HAN:
            yield run
    else:
        yield from (run[i : i + 2] for i in range(len(run) - 1))


def content_terms(text: str) -> frozenset[str]:
    """Topic terms of a text, folded and stemmed; empty for a text of function words alone."""
    return frozenset(piece for run in _RUN.findall(fold(text)) for piece in _pieces(run))


def coverage(wanted: frozenset[str], found: Iterable[str]) -> float:
    """Share of the wanted terms that were found, 0 to 1, long terms weighing more; 0 where nothing is wanted."""
    total = sum(_weight(term) for term in wanted)
    shared = wanted.intersection(found)
    return sum(_weight(term) for term in shared) / total if total else 0.0


def _weight(term: str) -> float:
    # One digit or one Han character says little about a topic; a long word says much.
    return min(len(term) * (2.0 if term[0] >= "\u0250" else 1.0), 8.0)


_KEY_JA = re.compile(r"[ァ-ヺー一-鿿々A-Za-z0-9]{2,24}")
_KEY_EN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{3,30}")


def key_terms(sentences: Iterable[str], lang: str, *, limit: int) -> list[str]:
    """The terms that come up most, as they are written, in order of first appearance among equals."""
    counts: dict[str, int] = {}
    shown: dict[str, str] = {}
    for sentence in sentences:
        for found in (_KEY_EN if lang == "en" else _KEY_JA).findall(sentence):
            key = _stem(fold(found)) if lang == "en" else found
            if fold(found) in _STOP or found in _STOP_HAN or found.isdigit():
                continue
            counts[key] = counts.get(key, 0) + 1
            shown.setdefault(key, found)
    ranked = sorted(counts, key=lambda key: -counts[key])
    return [shown[key] for key in ranked[:limit]]
