"""What kind of phrase is a stretch of text: a statement, a noun phrase, a verb phrase, a question, or a mere piece?

A question of the engine quotes the input, and a quotation reads well only where a phrase of its kind belongs. The kinds
are told by the ends of the stretch and by the words it turns on; what cannot be told is a piece, and is put nowhere but
where a whole sentence may stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import dropwhile, pairwise, takewhile
from typing import Any, Final, Literal

import re2

from rqa_nodes.packaged import packaged
from rqa_nodes.structure.marks import quotations

__all__ = ["Kind", "has_own_subject", "kind_of", "opens_an_aside"]

Kind = Literal["clause", "noun", "verb", "question", "condition", "piece"]
"""`condition` is a Japanese clause that ends in its conjunction (「雨が降れば」); English has none of its own."""

_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_WORD: Final = re.compile(r"[a-z0-9À-ÿ]+(?:['’.\-/][a-z0-9À-ÿ]+)*", re.IGNORECASE)
_INNER: Final = re.compile(r"\([^)]*\)|（[^）]*）|, (?:and |but )?(?:who|whose|which|where)\b[^,]*(?=,)", re.IGNORECASE)
"""What is said inside is an aside there, whatever its form."""
_ASIDE: Final = re.compile(r"(?:\([^)]*\)|（[^）]*）)$")
_ASKED_BEFORE: Final = re.compile(r"[？?](?=[^？?!！」』])")
"""A question in front of something else."""
_STOP: Final = re.compile(r"[,;:—–()]")
_OPENING: Final = re.compile(r"(?:(?:and|but|or|so|yet|then|therefore|also|that)\s+)+", re.IGNORECASE)
_MAX_CHARS: Final = 400
_PHRASE_AND_CLAUSE: Final = 2
_SHORT_PLURAL: Final = 3
_BEHIND_OBJECT: Final = 2
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
    if _ASKED_BEFORE.search(_unquoted(text)):
        return "piece"
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
    words = _words_of(text)
    if words and words[0] in _words("subordinator") and _has_main_clause(text):
        return "question" if text.endswith("?") else "clause"
    if not words or _starts_bare(words) or words[0] in _words("no_start") or _breaks_off(words, text):
        return "piece"
    if "?" in _unquoted(text[:-1]) or _is_for_something(words, text):
        return "piece"
    if text.endswith("?") or _asks(words):
        return "question"
    if (words[0] == "that" and _is_object(words)) or _lacks_object(words):
        return "piece"
    if ("," not in text and _runs_on(words)) or _has_no_main_clause(text):
        return "piece"
    if _is_imperative(words, text):
        return "verb"
    if _has_statement(words):
        return "piece" if words[0] in _words("subordinator") and not _goes_on(words, text) else "clause"
    if words[0] in _words("verbs"):
        return "verb"
    return "piece" if words[0] in _words("adverbial") or words[0] in _words("finite") else "noun"


def _breaks_off(words: Sequence[str], text: str) -> bool:
    if text[-1] in ",;:-(":
        return True
    return words[-1] in _words("no_end") and not text.endswith("May")


def _is_for_something(words: Sequence[str], text: str) -> bool:
    """Whether a sentence says what to do, or what for, and nothing else: "To do: paint the fence"."""
    return words[0] == "to" and not _has_statement(_words_of(_segments(text)[0])[2:]) and not _has_main_clause(text)


def _segments(text: str) -> list[str]:
    return [part.strip() for part in _STOP.split(_INNER.sub(" ", _unquoted(text))) if part.strip()]


def _has_main_clause(text: str) -> bool:
    """Whether one of the clauses of a sentence is no subordinate one."""
    return any(_is_main(part) for part in _segments(text)[1:])


def _is_main(clause: str) -> bool:
    return has_own_subject(clause) and not _is_subordinate(clause) and not _is_imperative(_words_of(clause), clause)


def _has_no_main_clause(text: str) -> bool:
    """Whether a sentence states something only below a mere phrase: "Fine, though I don't see why"."""
    segments = _segments(text)
    if len(segments) != _PHRASE_AND_CLAUSE or not _is_subordinate(segments[1]):
        return False
    return not opens_an_aside(segments[0]) and not _starts_with_verb(_words_of(segments[0]))


def _is_subordinate(text: str) -> bool:
    words = _words_of(_OPENING.sub("", text, count=1))
    return bool(words) and words[0] in _words("subordinator")


def _is_imperative(words: Sequence[str], text: str) -> bool:
    """Whether a stretch tells somebody to do something: "ask Lena whether she needs it"."""
    if not _starts_with_verb(words) or len(words) < 2:  # the verb and what it is done to
        return False
    if words[1] in (_words("determiner") | _words("object")) - _words("finite"):
        return True
    if words[0] in _words("telling") and words[1] not in _words("finite"):
        return True
    joints = _words("subordinator") | _words("ask") | {"whether", "that"}
    head = list(takewhile(lambda word: word not in joints, _words_of(_segments(text)[0])))
    return not _has_statement(head) and len(head) < len(words)


def _starts_with_verb(words: Sequence[str]) -> bool:
    return bool(words) and words[0] in _words("verbs")


def has_own_subject(text: str) -> bool:
    """Whether a stretch behind a comma is a clause of its own, up to its own first stop; "and left" is none."""
    words = _words_of(_STOP.split(_OPENING.sub("", text.strip(), count=1), maxsplit=1)[0])
    if not words:
        return False
    if words[0] in _words("subordinator") | _words("adverbial"):
        return True
    return not _starts_bare(words) and words[0] not in _words("relative") and _has_statement(words)


def opens_an_aside(text: str) -> bool:
    """Whether what stands in front of a comma leaves the clause behind it whole: "In winter", "If it rains"."""
    words = _words_of(text)
    if not words:
        return True
    opening = _words("subordinator") | _words("adverbial") | _words("adverb") | _words("opening")
    return words[0] in opening or words[0].endswith(("ing", "ly")) or _has_statement(words)


def _words_of(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(_INNER.sub(" ", _unquoted(text)))]


def _unquoted(text: str) -> str:
    """The text with what is quoted in it as one word: there it is a name or an object, whatever its form."""
    parts, seen = [], 0
    for start, end in quotations(text):
        parts += [text[seen:start], " quoted "]
        seen = end
    return "".join([*parts, text[seen:]])


def _starts_bare(words: Sequence[str]) -> bool:
    """Whether a predicate stands without its subject: "hates me", "never asks"."""
    bare = list(dropwhile(lambda word: word in _words("adverb"), words))
    if not bare:
        return True
    if bare[0] in _words("finite") - {"do", "have", "can", "will", "must", "might", "may", "need"}:
        return len(bare) < len(words) or not _asks(words)
    if bare[0] in _words("subject") or bare[0] in _words("determiner"):
        return False
    inflected = bare[0] in _words("past") - _words("verbs") or (bare[0].endswith("s") and _is_verb(bare[0]))
    if len(bare) < len(words):
        return inflected or bare[0] in _words("verbs") or _is_verb(bare[0])
    if not inflected or len(bare) < 2:
        return False
    follows = _words("object") | _words("determiner") | _words("ask")
    return bare[1] in (follows if bare[0] in _words("nouns") else follows | _words("adverbial") | _words("beside"))


def _lacks_object(words: Sequence[str]) -> bool:
    """Whether what somebody is sure of breaks off behind its subject: "I'm sure that Nina"."""
    at = next((at for at, word in enumerate(words[1:], 1) if word == "that" and words[at - 1] in _words("sure")), 0)
    return bool(at) and not _has_statement(words[at + 1 :])


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
        if _is_predicate(words, place):
            return True
    return False


def _is_predicate(words: Sequence[str], place: int) -> bool:
    """Whether a word that is no auxiliary is said of what stands in front of it."""
    word, before = words[place], words[place - 1]
    if before in ("it", "you") and place == _BEHIND_OBJECT and words[0] in _words("verbs"):
        return False  # "make it smaller"
    if before in _words("pronoun"):
        return word not in _words("no_start") | _words("adverbial")
    is_verb = _is_verb(word) and (_behind_adverb(words, place) or not _is_noun_here(words, place))
    return is_verb or _stands_as_verb(words, place)


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
    return _has_main_clause(text) if "," in text else verbs > 1


def _behind_adverb(words: Sequence[str], place: int) -> bool:
    """Whether a pronoun and an adverb stand before: "we therefore propose"."""
    return place > 1 and words[place - 2] in _words("pronoun") and words[place - 1] in _words("adverb")


def _stands_as_verb(words: Sequence[str], place: int) -> bool:
    """Whether a word of no list stands where only a verb does: "the client polls every", "clients never reconnect"."""
    word, before = words[place], words[place - 1]
    following = words[place + 1] if place + 1 < len(words) else ""
    if before in _words("never"):
        return place > 1 and words[place - 2] not in _words("finite") | _words("determiner") | _words("adverbial")
    inflected = word.endswith("s") and len(word) > _SHORT_PLURAL and not word.endswith(("ss", "us", "is"))
    nominal = before.isalpha() and before not in _words("determiner") | _words("adverbial") | {"of", "to", "and", "or"}
    objects = (_words("determiner") - {"one"}) | _words("object")
    return inflected and nominal and place > 1 and not before.endswith("s") and following in objects


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
