"""What kind of phrase is a stretch of text: a statement, a noun phrase, a verb phrase, a question, or a mere piece?

A question of the engine quotes the input, and a quotation reads well only where a phrase of its kind belongs. The kinds
are told by the ends of the stretch and by the words it turns on; what cannot be told is a piece, and is put nowhere but
where a whole sentence may stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Final, Literal

import re2

from rqa_nodes.packaged import packaged

__all__ = ["Kind", "kind_of"]

Kind = Literal["clause", "noun", "verb", "question", "condition", "piece"]
"""`condition` is a Japanese clause that ends in its conjunction (「雨が降れば」); English has none of its own."""

_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_WORD: Final = re.compile(r"[a-z0-9À-ÿ]+(?:['’.\-/][a-z0-9À-ÿ]+)*", re.IGNORECASE)
_INNER: Final = re.compile(r"[‘“][^’”]*[’”]|『[^』]*』|「[^」]*」|\([^)]*\)|（[^）]*）")
"""What is said inside is a name or a quotation there, whatever its form."""
_ASIDE: Final = re.compile(r"(?:\([^)]*\)|（[^）]*）)$")
_MAX_CHARS: Final = 400
_LONGEST_SUBJECT: Final = 14
"""Words before the verb; a statement whose verb comes later is not recognised."""


def kind_of(text: str) -> Kind:
    """The kind of a stretch of text, English or Japanese; an elided or overlong one is a piece."""
    bare = text.strip()
    if not bare or len(bare) > _MAX_CHARS or bare.endswith("…") or _is_unbalanced(bare):
        return "piece"
    return _japanese(bare) if _CJK.search(bare) else _english(bare)


def _is_unbalanced(text: str) -> bool:
    return any(text.count(opened) != text.count(closed) for opened, closed in ("()", "（）", "「」", "『』", "“”")) or (
        text.count("‘") > text.count("’")
    )


@cache
def _table(lang: str) -> dict[str, str]:
    rows: dict[str, dict[str, str]] = packaged("structure/grammar")
    return rows[lang]


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_table("en")[name].split())


@cache
def _form(name: str) -> Any:
    return re2.compile(_table("ja")[name])


@lru_cache(maxsize=4096)
def _japanese(text: str) -> Kind:
    end = _ASIDE.sub("", text).rstrip("。．.!！ ")
    if _form("no_start").search(text):
        return "piece"
    if _form("question").search(end):
        return "question"
    if _form("condition").search(end):
        return "condition"
    if _form("noun").search(end):
        return "noun"
    if _form("piece").search(end):
        return "piece"
    return "clause" if _form("clause").search(end) or _form("nominal").search(end) else "noun"


@lru_cache(maxsize=4096)
def _english(text: str) -> Kind:
    words = [word.lower().replace("’", "'") for word in _WORD.findall(_INNER.sub(" quoted ", text))]
    if not words or words[0] in _words("no_start") or words[-1] in _words("no_end") or text[-1] in ",;:-(":
        return "piece"
    if text.endswith("?") or _asks(words):
        return "question"
    if words[0] == "that" and _is_object(words):
        return "piece"
    if "," not in text and _runs_on(words):
        return "piece"
    if _has_statement(words):
        return "piece" if words[0] in _words("subordinator") and not _goes_on(words, text) else "clause"
    if words[0] in _words("verbs"):
        return "verb"
    return "piece" if words[0] in _words("adverbial") or words[0] in _words("finite") else "noun"


def _asks(words: Sequence[str]) -> bool:
    if words[0] in _words("ask"):
        return len(words) > 2 and any(word in _words("finite") for word in words[1:4])
    return len(words) > 2 and words[0] in _words("finite") and words[1] in _words("subject") | _words("determiner")


def _has_statement(words: Sequence[str]) -> bool:
    """A subject and behind it a finite verb, in the first words of the stretch."""
    for place, word in enumerate(words[:_LONGEST_SUBJECT]):
        before = words[place - 1] if place else ""
        if word in _words("contracted"):
            return len(words) > place + 1
        if not place:
            continue
        if before in _words("ask") and place > 1:
            return any(w in _words("finite") for w in words[place + 1 :])
        if word in _words("finite"):
            return before not in _words("determiner") - _words("subject")
        if before in _words("pronoun"):
            if word not in _words("no_start") | _words("adverbial"):
                return True
        elif _is_verb(word) and (_behind_adverb(words, place) or not _is_noun_here(words, place)):
            return True
    return False


def _is_object(words: Sequence[str]) -> bool:
    """Whether "that" opens what somebody thinks or says, and no statement: "that I liked the soup"."""
    if len(words) < 2 or words[1] in _words("finite") or _is_verb(words[1]):
        return False
    return not any(word in _words("finite") and before not in _words("subject") for before, word in pairwise(words[2:]))


def _runs_on(words: Sequence[str]) -> bool:
    """Whether a second statement begins without a sign: "i ask for opinions it's silent"."""
    joints = _words("subordinator") | _words("ask") | _words("adverb") | _words("adverbial") | _words("no_start")
    return any(
        word in _words("contracted") and before not in joints | {"that", "so", "yet"} and not _is_verb(before)
        for before, word in pairwise(words[1:])
    )


def _goes_on(words: Sequence[str], text: str) -> bool:
    """Whether behind a subordinate clause there comes a main one."""
    verbs = sum(
        word in _words("finite") or word in _words("contracted") or (before in _words("pronoun") and _is_verb(word))
        for before, word in pairwise(words)
    )
    return "," in text or verbs > 1


def _behind_adverb(words: Sequence[str], place: int) -> bool:
    """Whether a pronoun and an adverb stand before: "we therefore propose"."""
    return place > 1 and words[place - 2] in _words("pronoun") and words[place - 1] in _words("adverb")


def _is_verb(word: str) -> bool:
    if word in _words("past") or word in _words("verbs"):
        return True
    stems = {word.removesuffix(end) for end in ("s", "es", "ed", "d") if word.endswith(end)}
    stems |= {stem[:-1] + "y" for stem in stems if stem.endswith("i")}
    stems |= {stem[:-1] for stem in stems if len(stem) > 2 and stem[-1:] == stem[-2:-1]}
    return bool(stems & _words("verbs"))


def _is_noun_here(words: Sequence[str], place: int) -> bool:
    """Whether a word that could be a verb stands where a noun or a participle does."""
    before = words[place - 1]
    if before in _words("determiner") | _words("adverbial") | {"to", "of", "and", "or", "as", "than"}:
        return True
    word = words[place]
    if word in _words("verbs"):
        # A base form is finite only behind a plural.
        plural = before in _words("plural") or (before.endswith("s") and not before.endswith(("ss", "us", "is")))
        return not plural
    return place == 1 and words[0] in _words("verbs")
