"""What does a sentence say that has changed, and what does it tell of the past?

Words of one sentence alone, in both languages: that something ended, was sold, was called off or became something
else; that a home, a job, a car or a partner is another one; that something used to be. Only what is told as done
counts: a wish, a plan or a doubt changes nothing. What follows from two sentences is `contradiction`'s to say.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from rqa_nodes.packaged import packaged
from rqa_nodes.structure.text import base_terms, coverage, fold

__all__ = [
    "Change",
    "are_of_one",
    "asks_past",
    "became_of",
    "corrects",
    "follows_on",
    "is_foreign",
    "is_of_now",
    "is_other",
    "matters_of",
    "read_change",
    "shared_matters",
    "tells_past",
    "topic_of",
]

_SHARED: Final = 0.5
"""Share of the shorter side's terms, besides the words of change, from which both speak of one thing."""
_MATTER_SURE: Final = 0.8
_THING_SURE: Final = 0.7
"""How sure it is that a change replaces what is said of the same matter, and of the same thing."""
_READ_CHARS: Final = 400
"""Characters of a sentence that are read; a longer one is a document."""
_TEXTS_KEPT: Final = 1024
_NOBODY: Final = re.compile(r"\b(?:i|we|i'm|i've|we've)\b|^ *(?:the|this|that|these|those|it|an?)\b")
"""The speaker, or a thing that the speaker takes for known."""
_KANA: Final = re.compile(r"[ぁ-ヿ]")
_TOPIC: Final = re.compile(r"(?:^|[、。])(?P<topic>[^、。はがも]{1,12})[はが]")


class _Matter(NamedTuple):
    states: re.Pattern[str]
    became: re.Pattern[str]


def _pattern(row: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    words = [rf"\b(?:{'|'.join(row['words'])})\b"] if row["words"] else []
    return re.compile("|".join((*words, *row["forms"])))


def _load() -> Any:
    return packaged("structure/changes")


@cache
def _sign(name: str) -> re.Pattern[str]:
    return _pattern(_load()[name])


@cache
def _change() -> re.Pattern[str]:
    """Any word of change."""
    rows = [_load()[name] for name in ("ended", "shifted", "stopped")]
    return _pattern({part: [one for row in rows for one in row[part]] for part in ("words", "forms")})


@cache
def _wished() -> re.Pattern[str]:
    """A word of change with a wish, a plan, a doubt or a denial at it."""
    rows, wished = [_load()[name] for name in ("ended", "shifted")], _load()["wished"]
    words, forms = ("|".join(one for row in rows for one in row[part]) for part in ("words", "forms"))
    return re.compile(
        rf"\b(?:{'|'.join(wished['words'])})(?: \w+){{0,3}} (?:{words})\b"
        rf"|(?:{forms})[^、。]{{0,4}}?(?:{'|'.join(wished['forms'])})"
    )


@cache
def _matters() -> Mapping[str, _Matter]:
    rows = _load()["matters"]
    return {name: _Matter(_pattern(row["states"]), _pattern(row["became"])) for name, row in rows.items()}


@cache
def _follows() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    return tuple((_pattern(row["ended"]), _pattern(row["begun"])) for row in _load()["follows"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one sentence says of change."""

    words: str
    """Folded."""
    is_change: bool
    is_wished: bool
    """A change is named that was wished, planned or doubted, and not made."""
    tells_past: bool
    beside: frozenset[str]
    """Terms of the sentence without its words of change."""
    named: tuple[frozenset[str], ...]
    """Terms of whom or what it is about, owner by owner ("Petra's book"); none for the speaker or nobody named."""
    subject: frozenset[str]
    """All of these terms."""
    owner: frozenset[str]
    """The same without the matter itself: "my car" is the speaker's own."""
    states: frozenset[str]
    became: frozenset[str]
    """Matters that it speaks of, and those that it says are others now."""


@lru_cache(maxsize=_TEXTS_KEPT)
def read_change(text: str) -> Change:
    """Read off one sentence what it says of change."""
    words = fold(text)[:_READ_CHARS]
    found = _change().search(words)
    is_wished = bool(_wished().search(words))
    is_change = found is not None and not is_wished
    matters, named = _matters().items(), _named(words)
    subject = frozenset[str]().union(*named)
    own = [match[0] for _, matter in matters for match in matter.states.finditer(words)]
    became = frozenset(name for name, matter in matters if matter.became.search(words))
    return Change(
        words=words,
        is_change=is_change,
        is_wished=is_wished,
        tells_past=bool(_sign("past").search(words)) and not (is_change or became or _sign("now").search(words)),
        beside=base_terms(_change().sub(" ", words)),
        named=named,
        subject=subject,
        owner=_owner(named, base_terms(" ".join(own))),
        states=frozenset(name for name, matter in matters if matter.states.search(words)),
        became=became,
    )


def _named(words: str) -> tuple[frozenset[str], ...]:
    topic = topic_of(words)
    if topic or _KANA.search(words):
        return _owners(topic.split("の"))
    opened = _sign("asking").match(words)
    rest = words[opened.end() :] if opened else words
    verbs = (_sign("verb"), _change(), *(kind for matter in _matters().values() for kind in matter))
    ends = [found.start() for verb in verbs if (found := verb.search(rest))]
    head = rest[: min(ends)] if ends else ""
    return () if _NOBODY.search(head) else _owners(head.split("'s "))


def _owner(named: Sequence[frozenset[str]], matter: frozenset[str]) -> frozenset[str]:
    """What stands before the matter in "my sister's car"; all of it, where it names no matter."""
    before = itertools.takewhile(lambda part: part.isdisjoint(matter), named)
    return frozenset[str]().union(*before)


def _owners(parts: Sequence[str]) -> tuple[frozenset[str], ...]:
    return tuple(terms for terms in map(base_terms, parts) if terms)


def topic_of(words: str) -> str:
    """Whom or what a Japanese sentence, folded, is about, where that is somebody or something that it names."""
    found = _TOPIC.search(words)
    return found["topic"] if found and is_other(found["topic"]) else ""


def is_other(owner: str) -> bool:
    """Whether such a topic is somebody or something else than the speaker, a time or a matter of the speaker's."""
    return bool(owner) and not _sign("own_topic").search(owner)


def became_of(old: Change, new: Change) -> float:
    """How sure it is, 0 to 1, that the later sentence says what became of what the earlier one says."""
    if new.tells_past or old.tells_past or new.is_wished:
        return 0.0
    if new.became & (old.states | old.became) and _same_owner(old, new):
        return _MATTER_SURE
    if not new.is_change or (new.subject and not new.subject & old.beside):
        return 0.0
    if new.subject and _sign("of_object").search(new.words) and not (new.beside & old.beside) - new.subject:
        return 0.0
    smaller, larger = sorted((old.beside, new.beside), key=len)
    return _THING_SURE if smaller and coverage(smaller, larger) >= _SHARED else 0.0


def are_of_one(one: Change, two: Change) -> bool:
    """Whether two sentences may be about the same: what each is about, where it says so, is named by the other."""
    return not any(own.subject and own.subject.isdisjoint(other.beside) for own, other in ((one, two), (two, one)))


def _same_owner(one: Change, two: Change) -> bool:
    return bool(one.owner & two.owner) or not (one.owner or two.owner)


def follows_on(before: str, text: str) -> bool:
    """Whether what is said right after something ended takes its place: sold the one, bought the other."""
    old, new = read_change(before), read_change(text)
    if any(one.tells_past or one.is_wished for one in (old, new)):
        return False
    return any(ended.search(old.words) and begun.search(new.words) for ended, begun in _follows())


def corrects(before: str, told: Sequence[str]) -> bool:
    """Whether a message, in sentences, takes back what was said right before it, and speaks of the same."""
    if not told or not (_sign("corrects").search(fold(told[0])) or _sign("corrected").search(fold(before))):
        return False
    named = read_change(told[0]).subject
    if named and named.isdisjoint(base_terms(before)):
        return False
    return not base_terms(before).isdisjoint(frozenset().union(*map(base_terms, told)))


def is_of_now(text: str) -> bool:
    """Whether a sentence says of itself that it is how things stand by now."""
    found = read_change(text)
    return not found.tells_past and (found.is_change or bool(_sign("now").search(found.words)))


def tells_past(text: str) -> bool:
    """Whether a sentence tells how things were, and nothing of how they are."""
    return read_change(text).tells_past


def asks_past(question: str) -> bool:
    """Whether a question wants how things were first."""
    return bool(_sign("asks_past").search(fold(question)))


def matters_of(text: str) -> Mapping[str, frozenset[str]]:
    """Which of the things that a person has one of at a time a sentence speaks of, each with the terms that say so."""
    found = read_change(text)
    return {
        name: base_terms(" ".join(match[0] for kind in _matters()[name] for match in kind.finditer(found.words)))
        for name in found.states | found.became
    }


def shared_matters(question: str, text: str) -> frozenset[str]:
    """The terms of a question that a sentence needs no word for: it speaks of the same matter of the same one."""
    one, two = read_change(question), read_change(text)
    both = (one.states | one.became) & (two.states | two.became)
    if not both or not _same_owner(one, two):
        return frozenset()
    asked = matters_of(question)
    return frozenset().union(*(asked[name] for name in both))


def is_foreign(question: str, text: str) -> bool:
    """Whether a sentence is about somebody or something that a question does not name, or about what is theirs."""
    asked = base_terms(question)
    if _sign("asks_whom").search(fold(question)):
        return False
    return any(asked.isdisjoint(part) for part in read_change(text).named)
