"""Is what an English sentence gives to somebody really that somebody's, and who is named if not?

The first attribution before a reference counts: what stands inside it ("Mira said that Tom told her") is part of what
was said. Where several people speak, the right name replaces a wrong one, as in a possessive ("Mira's point").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.facts import names_of
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.speakers_en import (
    Given,
    given_to_me,
    given_to_names,
    given_to_others,
    given_to_papers,
    given_to_you,
)
from rqa_nodes.echo.types import Injected, VerdictKind

__all__ = ["misgiven", "renamed"]

_REPORTED: Final = lazily(r"(?:said|says|told (?:me|us|you)|wrote|mentioned|explained|noted|[:,])(?: that)? ?$")
"""Behind it, "I" is whoever is quoted."""


def misgiven(sentence: Sentence, *, names: frozenset[str], users: frozenset[str]) -> tuple[Given, Injected] | None:
    """The first attribution that does not fit its reference, and the item that is referred to.

    Args:
        sentence: An English sentence; all its references are valid.
        names: Folded names of the authors and speakers of this turn.
        users: Those of them who are users.
    """
    text = sentence.plain
    right: set[int] = set()
    for given, kind in sorted(_given(sentence, names), key=lambda pair: pair[0].start):
        start, items = _nearest(sentence, given.end)
        if start in right or is_quoted(text, given.start, given.end):
            continue
        if any(_fits(given, kind, item, users) for item in items):
            right.add(start)
        elif kind != "other" or not _told_by_item(given, items, sentence.own_words):
            return given, items[0]
    return None


def _given(sentence: Sentence, names: frozenset[str]) -> Iterator[tuple[Given, str]]:
    text = sentence.plain
    for given in given_to_names(text, names):
        yield given, "name"
    for given in given_to_papers(text):
        yield given, "paper"
    for given in given_to_you(text):
        yield given, "you"
    for given in given_to_me(text):
        if not _REPORTED.search(text[max(0, given.start - 30) : given.start]):
            yield given, "me"
    for given in given_to_others(text, _as_written(sentence)):
        if given.name not in names:
            yield given, "other"


def _as_written(sentence: Sentence) -> str:
    """The sentence with its capitals, each letter at the place that it has in the folded text."""
    text, size = sentence.text, len(sentence.plain)
    if len(text) == size:
        return text
    return "".join(text[sentence.folded.span(at, at + 1)[0]] for at in range(size))


def _nearest(sentence: Sentence, end: int) -> tuple[int, list[Injected]]:
    """The reference that follows a place, else the last one before it, with its items."""
    groups = [(ref.start, [p.item for p in pointers if p.item is not None]) for ref, pointers in sentence.references]
    groups = [group for group in groups if group[1]]
    return next((group for group in groups if group[0] >= end), groups[-1])


def _fits(given: Given, kind: str, item: Injected, users: frozenset[str]) -> bool:
    if kind == "you":
        return item.source == "user"
    if kind == "me":
        return item.source == "assistant"
    if kind == "paper":
        named = "." not in given.name or given.name in names_of(item)
        return (item.source == "external" and named) or given.name.split()[-1] in fold(item.text).text
    if kind == "other":
        return item.source not in ("user", "assistant")
    return given.name in names_of(item) or (item.source == "assistant" and given.name not in users)


def _told_by_item(given: Given, items: list[Injected], own_words: str) -> bool:
    """Does the item itself speak of this person? Then it is the item that says so."""
    told = " ".join((own_words, *(fold(f"{item.text} {item.author}").text for item in items)))
    return all(word in told for word in given.name.split()[-1:])


def renamed(sentence: Sentence, given: Given, item: Injected, *, users: frozenset[str]) -> Finding | None:
    """The right name in place of the wrong one; None where the statement has to be put otherwise."""
    several = item.source == "user" and bool(item.author) and len(users) > 1
    if given.name in ("you", "i") or not (several or given.form == "possessive"):
        return None
    start, end = sentence.folded.span(*given.place)
    text, name = sentence.text, item.author
    if several:
        heard = lazily(rf"(?P<to>(?:told|asked|with|to|reminded|assured|informed) ){re.escape(name)}(?!['’\w])").search(
            text, end, end + _HEARD_CHARS
        )
        words = name if heard is None else name + text[end : heard.end("to")] + text[start:end]
        end = end if heard is None else heard.end()
    else:
        end += len(text[end:]) - len(re.sub(r"^['’]s?", "", text[end:]))
        wording = load("en")["wording"]
        words = {"user": wording["of_you"], "assistant": wording["of_me"]}.get(item.source) or wording[
            "of_source"
        ].format(name=name or wording["source_unnamed"])
        words = words[0].upper() + words[1:] if not re.search(r"\w", text[:start]) else words
    place = sentence.folded.span(given.start, given.end)
    return Finding(
        kind=VerdictKind.wrong_speaker,
        start=place[0],
        end=place[1],
        node=item.id or item.handle,
        reason=f"the item is of class {item.source}" if item.source != "user" else "the item is somebody else's",
        action="rewritten",
        replacement=words,
        cut=(start, end),
    )


_HEARD_CHARS: Final = 60
"""How far behind a speaker the one stands who was told."""
