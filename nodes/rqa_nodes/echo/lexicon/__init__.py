"""Which words claim memory, and in which words does the verifier speak? One YAML file a language.

Read on first use and kept. All signal words of all languages are found in one pass over a sentence, so that a plain
sentence costs the same however long the lists grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from string import ascii_letters, digits
from typing import Any, Final

import ahocorasick

from rqa_nodes.echo.fold import fold
from rqa_nodes.packaged import packaged

__all__ = ["LANGUAGES", "SUGGESTIONS", "load", "own_wordings", "signals", "unread_wordings"]

LANGUAGES: Final = ("en", "ja", "zh")


@cache
def load(lang: str) -> Mapping[str, Any]:
    """The lexicon of a language, as it stands in its file."""
    content: Mapping[str, Any] = packaged(f"echo/lexicon/{lang}")
    return content


_UNREAD: Final = (
    "nothing_left",
    "suggestion",
    "suggestion_of_it",
    "no_record",
    "not_saved",
    "not_deleted",
    "not_evidence",
)
_CREDITS: Final = ("you_said", "suggestion_confirmed", "suggestion_denied")
"""What anybody writes who credits the reader: where the verifier wrote it, it holds, and elsewhere it must."""


@cache
def unread_wordings(lang: str) -> tuple[str, ...]:
    """Of what the verifier itself writes, the folded beginnings that are never read as a claim."""
    return tuple(fold(load(lang)["wording"][name]).text.strip().rstrip(".。") for name in _UNREAD)


@cache
def own_wordings(lang: str) -> tuple[str, ...]:
    """The folded beginnings of what the verifier itself writes in a language."""
    return (*unread_wordings(lang), *(fold(load(lang)["wording"][name]).text.strip() for name in _CREDITS))


SUGGESTIONS: Final = {
    "": "suggestion",
    "confirmed": "suggestion_confirmed",
    "denied": "suggestion_denied",
}
"""How a guess is credited, by what the user said to it."""


_CLAIMING: Final = ("talk_time", "talks", "readers_things", "say", "settle", "talk")
"""Groups of a language whose words are signals of a claim."""


def _of_claims(words: Mapping[str, Any]) -> Iterator[str]:
    """The words of the groups that a claim is made of; of a verb, what does not change from form to form."""
    for group in _CLAIMING:
        yield from words.get(group, ())
    for kinds in words.get("deeds", {}).values():
        for form, verbs in kinds.items():
            yield from verbs if form == "suru" else (verb[:-1] for verb in verbs)


_LATIN: Final = frozenset(ascii_letters + digits)
"""Two of these side by side belong to one Latin word or number."""


@cache
def _automaton() -> tuple[ahocorasick.Automaton, tuple[str, ...]]:
    """Finds the signal words, each with a bit for every group that it is in, and the groups by their bits."""
    groups: dict[str, set[str]] = {}
    for lang in LANGUAGES:
        for group, words in load(lang)["signals"].items():
            for word in words:
                groups.setdefault(word, set()).add(group)
        for word in unread_wordings(lang):
            groups.setdefault(word, set()).add("own")
        for word in _of_claims(load(lang)):
            groups.setdefault(word, set()).add("claim")
    names = tuple(sorted({name for found in groups.values() for name in found}))
    automaton = ahocorasick.Automaton()
    for word, found in groups.items():
        bits = sum(1 << names.index(name) for name in found)
        automaton.add_word(word, (len(word), word[0] in _LATIN, word[-1] in _LATIN, bits))
    automaton.make_automaton()
    return automaton, names


def signals(folded: str) -> frozenset[str]:
    """The groups of signal words that a folded sentence holds; Latin words count only as whole words."""
    found, size = 0, len(folded)
    for last, (length, latin_start, latin_end, bits) in _automaton()[0].iter(folded):
        if bits | found == found:
            continue
        first = last - length + 1
        if latin_start and first and folded[first - 1] in _LATIN:
            continue
        if latin_end and last + 1 < size and folded[last + 1] in _LATIN:
            continue
        found |= bits
    return _named(found)


@cache
def _named(found: int) -> frozenset[str]:
    return frozenset(name for at, name in enumerate(_automaton()[1]) if found >> at & 1)
