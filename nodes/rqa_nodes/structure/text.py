"""Which words of a text carry its topic, and how much of a topic do two texts share?

Japanese has no spaces, so its topic words are character bigrams of Han runs and whole Katakana runs; English words are
cut to a rough stem. Both kinds go into one set, so that mixed text needs no switch. Everything is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from rqa_checkpoints.provenance import fold
from rqa_nodes.packaged import packaged

__all__ = ["base_terms", "clean", "content_terms", "coverage", "fold", "key_terms", "weigh"]

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

_RUN = re.compile(r"[a-z0-9][a-z0-9_'-]*|[ァ-ヺー]{2,}|[一-鿿㐀-䶿々〆]+|[à-öø-ÿ]+[a-z]*")


_SUFFIXES = (
    "ures",
    "ure",
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
_SHORT_SUFFIXES = frozenset(("s", "es", "ed", "ing"))
_STEM_CHARS = 4
"""A stem shorter than this meets too many unrelated words."""


@cache
def _stop(kind: str) -> frozenset[str]:
    words = packaged("structure/stopwords")
    return frozenset(words[kind].split())


def clean(text: str) -> str:
    r"""The text without lone surrogates and control or direction characters; line ends become `\\n`."""
    text = _SURROGATE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub(" ", text)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM_CHARS - (suffix in _SHORT_SUFFIXES):
            word = word[: -len(suffix)] + ("y" if suffix in ("ies", "ied") else "")
            break
    return word.rstrip("e") if len(word) >= _STEM_CHARS else word


def _pieces(run: str) -> Iterator[str]:
    if run[0] < "\u0250":
        word = run.strip("'-_").removesuffix("'s")
        if word not in _stop("en") and (len(word) > 1 or word.isdigit()):
            yield _stem(word)
    elif "ァ" <= run[0] <= "ー":
        yield run
    elif len(run) <= 2:
        if run not in _stop("han"):
            yield run
    else:
        yield from (run[i : i + 2] for i in range(len(run) - 1))


def content_terms(text: str) -> frozenset[str]:
    """Topic terms of a text, folded and stemmed; empty for a text of function words alone."""
    return frozenset(piece for run in _RUN.findall(fold(text)) for piece in _pieces(run))


@cache
def _irregular() -> dict[str, str]:
    """Irregular English forms, each with its base."""
    rows = (row.split() for row in packaged("structure/stopwords")["irregular"].split(","))
    return {form: base for base, *forms in rows for form in forms}


_WORD = re.compile(r"[a-z]+")
_CALLED = re.compile(r"\b((?:is|are|was|were)(?: \w+){0,3}) (?:called|named)\b")
"""Says no more than "is"."""


def base_terms(text: str) -> frozenset[str]:
    """The same, where an irregular form counts as the verb: "who broke it?" wants what was broken."""
    forms = _irregular()
    words = _CALLED.sub(r"\1", fold(text))
    return content_terms(_WORD.sub(lambda word: forms.get(word[0], word[0]), words))


def coverage(wanted: frozenset[str], found: Iterable[str]) -> float:
    """Share of the wanted terms that were found, 0 to 1, long terms weighing more; 0 where nothing is wanted."""
    total = weigh(wanted)
    return weigh(wanted.intersection(found)) / total if total else 0.0


def weigh(terms: Iterable[str]) -> float:
    """How much topic some terms carry: about 4 for a Han bigram, 4 to 8 for a word, at most 8 a term."""
    return sum(_weight(term) for term in terms)


def _weight(term: str) -> float:
    # One digit or one Han character says little about a topic; a long word says much.
    return min(len(term) * (2.0 if term[0] >= "\u0250" else 1.0), 8.0)


_KEY_JA = re.compile(r"[ァ-ヺー一-鿿々A-Za-z0-9]{2,24}(?![みわえめけげべれきぎびりじちいっ])")
"""A run before such a kana is the stem of an inflected word."""
_KEY_EN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{3,30}")


def key_terms(sentences: Iterable[str], lang: str, *, limit: int) -> list[str]:
    """The terms that come up most, as they are written, in order of first appearance among equals."""
    counts: dict[str, int] = {}
    shown: dict[str, str] = {}
    for sentence in sentences:
        for found in (_KEY_EN if lang == "en" else _KEY_JA).findall(sentence):
            key = _stem(fold(found)) if lang == "en" else found
            if found.endswith("ed") or fold(found) in _stop("en") or found in _stop("han") or _is_figure(found):
                continue
            counts[key] = counts.get(key, 0) + 1
            shown.setdefault(key, found)
    ranked = sorted(counts, key=lambda key: -counts[key])
    return [shown[key] for key in ranked[:limit]]


def _is_figure(token: str) -> bool:
    return any(char.isdigit() for char in token) and not any("a" <= char <= "z" for char in token.lower())
