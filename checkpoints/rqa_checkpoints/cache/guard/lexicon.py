"""Which wordings does the guard know? Read from `data/guard.*.yaml` once, and found longest first.

English wordings are matched by the stems of their words, Japanese ones by their characters. A wording may play several
parts: 高い names a height and is the opposite of 低い.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, Literal, NamedTuple

import ahocorasick
import snowballstemmer

from rqa_checkpoints.cache.guard.forms import inflected, respelled
from rqa_checkpoints.cache.guard.spelling import one_writing
from rqa_checkpoints.packaged import packaged

__all__ = [
    "Match",
    "Role",
    "Wordings",
    "capital_words",
    "capitals_words",
    "english",
    "japanese",
    "spelled",
    "spelled_ja",
    "stem",
]

Part = Literal["facet", "side", "concept", "light", "follow_up"]

_COMPOUND: Final = re.compile(
    r"([々〆\u3400-\u9fff])[りきしちみいっえけせてれめげべ]([々〆\u3400-\u9fff])[りきしちみいえけせてれめげべ]?"
)
_NESTED: Final = ("opposites", "concepts", "light", "follow_up")


class Role(NamedTuple):
    """What a wording says."""

    part: Part
    name: str
    """Of the facet, the pair of opposites, the group of words, or the kind of follow-up."""
    value: str


class Match(NamedTuple):
    """A wording that was found."""

    start: int
    end: int
    roles: tuple[Role, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Wordings:
    """The wordings of one language."""

    roles: Mapping[tuple[str, ...], tuple[Role, ...]]
    longest: int
    automaton: Any = None

    def in_words(self, words: Sequence[str]) -> Iterator[Match]:
        """Longest matches from the left over a list of words."""
        place = 0
        while place < len(words):
            for length in range(min(self.longest, len(words) - place), 0, -1):
                found = self.roles.get(tuple(words[place : place + length]))
                if found:
                    yield Match(place, place + length, found, " ".join(words[place : place + length]))
                    place += length
                    break
            else:
                place += 1

    def in_text(self, text: str) -> Iterator[Match]:
        """Longest matches from the left over the characters of a text."""
        for last, (length, roles) in self.automaton.iter_long(text):
            yield Match(last - length + 1, last + 1, roles, text[last - length + 1 : last + 1])


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The stem of an English word (Porter 2, by snowballstemmer), without a possessive ending."""
    bare = word.removesuffix("'s").removesuffix("'")
    singular = spelled().get(bare.removesuffix("s"), "")
    return str(_stemmer().stemWord(singular or spelled().get(bare, bare)))


def _stemmer() -> Any:
    """One a thread: a stemmer keeps the word that it works on in itself, and two threads would mix theirs."""
    if not hasattr(_OWN, "stemmer"):
        _OWN.stemmer = snowballstemmer.stemmer("english")
    return _OWN.stemmer


_OWN: Final = threading.local()


@cache
def english() -> Wordings:
    """English wordings by the stems of their words; those written with capitals are matched as they are."""
    rows: dict[tuple[str, ...], list[Role]] = {}
    for wording, role in _rows(_data("guard.en")):
        words = tuple(word if word != word.lower() else stem(word) for word in wording.replace("-", " ").split())
        rows.setdefault(words, []).append(role)
    return Wordings({words: _unique(roles) for words, roles in rows.items()}, max(map(len, rows)))


@cache
def japanese() -> Wordings:
    """Japanese wordings by their characters."""
    rows: dict[str, list[Role]] = {}
    for wording, role in _rows(_data("guard.ja")):
        for spelling in {wording, spelled_ja(wording)}:  # in the midst of other hiragana a word stays as it is written
            rows.setdefault(spelling, []).append(role)
    for wording, roles in list(rows.items()):
        is_adjective = wording.endswith("く") and f"{wording[:-1]}い" in rows
        if not is_adjective and all(role.part in ("concept", "side") for role in roles):
            for form in inflected(wording):
                rows.setdefault(form, roles)
    for wording, roles in list(rows.items()):
        rows.setdefault(_without_endings(wording), roles)
    automaton = ahocorasick.Automaton()
    for wording, roles in rows.items():
        automaton.add_word(wording, (len(wording), _unique(roles)))
    automaton.make_automaton()
    return Wordings({}, 0, automaton)


def _without_endings(wording: str) -> str:
    """A compound of two verbs as it may be written with kanji alone, 申込 for 申し込み; others as they are."""
    found = _COMPOUND.fullmatch(wording)
    return f"{found[1]}{found[2]}" if found else wording


@cache
def capital_words() -> frozenset[str]:
    """English words that mean something else with a first capital, in lower case."""
    return frozenset(_data("guard_words")["capital"])


@cache
def capitals_words() -> frozenset[str]:
    """English words that mean something else in capitals, in lower case."""
    return frozenset(_data("guard_words")["capitals"])


@cache
def spelled() -> Mapping[str, str]:
    """Other spellings of English words and irregular forms of verbs, and the one that stands for all."""
    data = _data("guard_words")
    return {other: row[0] for row in [*data["spellings"], *data["irregular"]] for other in row[1:]}


def spelled_ja(text: str) -> str:
    """One spelling for what has several: old forms of kanji, loan words, spoken forms, words in kana."""
    return one_writing(respelled(respelled(text.translate(kanji_forms()), "ja", "loans"), "ja", "contracted"))


@cache
def kanji_forms() -> Mapping[int, str]:
    """Other forms of a kanji, and the one that stands for all, for `str.translate`."""
    return {ord(char): row[0] for row in _data("guard_words")["kanji"] for char in row[1:]}


def _unique(roles: Sequence[Role]) -> tuple[Role, ...]:
    return tuple(dict.fromkeys(roles))


def _data(name: str) -> Mapping[str, Any]:
    value: Mapping[str, Any] = packaged(name)
    return value


def _rows(data: Mapping[str, Any]) -> Iterator[tuple[str, Role]]:
    for facet, values in data.items():
        if facet not in _NESTED:
            for value, wordings in values.items():
                yield from ((str(wording), Role("facet", facet, str(value))) for wording in wordings)
    yield from ((str(wording), Role("light", "light", "")) for wording in data["light"])
    for kind, wordings in data["follow_up"].items():
        yield from ((str(wording), Role("follow_up", "follow_up", kind)) for wording in wordings)
    for number, sides in enumerate(data["opposites"]):
        for side, wordings in zip("+-", sides, strict=True):
            yield from ((str(wording), Role("side", str(number), side)) for wording in wordings)
    for number, wordings in enumerate(data["concepts"]):
        yield from ((str(wording), Role("concept", f"#{number}", "")) for wording in wordings)
