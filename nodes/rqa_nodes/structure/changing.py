"""What does a sentence say that has changed, and what does it tell of the past?

Words of one sentence alone, in both languages: that something ended, was sold, was called off or became something
else; that a home, a job, a car or a partner is another one; that something used to be. Only what is told as done
counts: a wish, a plan or a doubt changes nothing. What follows from two sentences is `contradiction`'s to say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from rqa_nodes.packaged import packaged
from rqa_nodes.structure.text import base_terms, coverage, fold

__all__ = [
    "Change",
    "asks_past",
    "became_of",
    "corrects",
    "follows_on",
    "is_of_now",
    "is_other",
    "matters_of",
    "read_change",
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
_OWN: Final = re.compile(r"\b(?:i|we|i'm|i've|we've)\b")
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
    head: frozenset[str]
    """Terms before the first word of change."""
    is_own: bool
    """The speaker is who it is about, or nobody is named before the change."""
    states: frozenset[str]
    became: frozenset[str]
    """Matters of the speaker's: those it speaks of, and those that it says are others now."""


@lru_cache(maxsize=_TEXTS_KEPT)
def read_change(text: str) -> Change:
    """Read off one sentence what it says of change."""
    words = fold(text)[:_READ_CHARS]
    found, topic = _change().search(words), topic_of(words)
    is_wished = bool(_wished().search(words))
    is_change = found is not None and not is_wished
    head = words[: found.start()] if found else ""
    matters = {name: matter for name, matter in _matters().items() if _is_of(topic, matter)}
    return Change(
        words=words,
        is_change=is_change,
        is_wished=is_wished,
        tells_past=bool(_sign("past").search(words)) and not is_change and not _sign("now").search(words),
        beside=base_terms(_change().sub(" ", words)),
        head=base_terms(topic or head),
        is_own=not topic and (bool(_OWN.search(head)) or not base_terms(head)),
        states=frozenset(name for name, matter in matters.items() if matter.states.search(words)),
        became=frozenset(name for name, matter in matters.items() if matter.became.search(words)),
    )


def topic_of(words: str) -> str:
    """Whom or what a Japanese sentence, folded, is about, where that is somebody or something that it names."""
    found = _TOPIC.search(words)
    return found["topic"] if found and is_other(found["topic"]) else ""


def is_other(owner: str) -> bool:
    """Whether such a topic is somebody or something else than the speaker, a time or a matter of the speaker's."""
    return bool(owner) and not _sign("own_topic").search(owner)


def _is_of(topic: str, matter: _Matter) -> bool:
    """Whether a sentence on this topic may be about the speaker's own: about nobody else, and nothing of theirs."""
    return not topic or ("の" not in topic and bool(matter.states.search(topic)))


def became_of(old: Change, new: Change) -> float:
    """How sure it is, 0 to 1, that the later sentence says what became of what the earlier one says."""
    if new.tells_past or old.tells_past or new.is_wished:
        return 0.0
    if new.became & (old.states | old.became):
        return _MATTER_SURE
    if not new.is_change or not (new.is_own or new.head & old.beside):
        return 0.0
    smaller, larger = sorted((old.beside, new.beside), key=len)
    return _THING_SURE if smaller and coverage(smaller, larger) >= _SHARED else 0.0


def follows_on(before: str, text: str) -> bool:
    """Whether what is said right after something ended takes its place: sold the one, bought the other."""
    old, new = read_change(before), read_change(text)
    if any(one.tells_past or one.is_wished for one in (old, new)):
        return False
    return any(ended.search(old.words) and begun.search(new.words) for ended, begun in _follows())


def corrects(before: str, told: Sequence[str]) -> bool:
    """Whether a message, in sentences, takes back what was said right before it, and speaks of the same."""
    if not told or not _sign("corrects").search(fold(told[0])):
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
