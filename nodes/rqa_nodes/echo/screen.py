"""Which of many patterns could match in this sentence? All of them are looked for in one pass.

An automaton (Aho-Corasick) reads the sentence once, in linear time, for words that the patterns need; a pattern whose
words are not all there is left alone, and one that never gets a chance is never compiled. The words are taken from the
patterns themselves, so a rule that is added is screened without a word about it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, Generic, NamedTuple, TypeVar

import ahocorasick

from rqa_nodes.echo.lazily import Lazy
from rqa_nodes.echo.needed import Needs, choose, needs_of, spaced

__all__ = ["Gate", "Screen", "Screened"]

_MOST_REMEMBERED: Final = 256
"""Choices of patterns that are kept ready."""

_NEVER: Final = re.compile("\x00(?!)")
"""Stands in for a pattern that cannot match; it fails at once."""

Rules = TypeVar("Rules", bound=tuple[Any, ...])


class Screen:
    """Tells by the words of a text which of many patterns could match in it.

    Each pattern has a set of words that are seldom there. Only where one of them is are its other sets looked for.

    Args:
        needs: What each pattern needs.
    """

    def __init__(self, needs: Iterable[Needs]) -> None:
        self.needs = list(needs)
        self._whole: tuple[Screen, int] | None = None
        """Of which one it is a part, and from which number on."""
        self._last: tuple[str | None, tuple[int, ...]] = (None, ())
        """The text that was looked at last, and what could match in it: parts look at the same one in turn."""

    def join(self, whole: Screen, first: int) -> None:
        """From now on, ask another screen, where the patterns of this one begin at a number."""
        self._whole = (whole, first)

    def worth(self, text: str) -> tuple[int, ...]:
        """The numbers of the patterns that could match, in order."""
        if self._whole is not None:
            whole, first = self._whole
            last = first + len(self.needs)
            return tuple([number - first for number in whole.worth(text) if first <= number < last])
        known = self._last
        if known[0] is not text:
            self._last = known = (text, self._looked_for(spaced(text)))
        return known[1]

    def _looked_for(self, text: str) -> tuple[int, ...]:
        words = self._words
        near = set(words.always)
        if words.first is not None:
            for _, numbers in words.first.iter(text):
                near.update(numbers)
        if not near:
            return ()
        there = 0
        if words.beside is not None:
            for _, bits in words.beside.iter(text):
                there |= bits
        return tuple([number for number in sorted(near) if not words.rows[number] & ~there])

    @cached_property
    def _words(self) -> _Words:
        rows: list[int] = []
        always: list[int] = []
        first: dict[str, int] = {}
        beside: dict[str, int] = {}
        bits: dict[frozenset[str], int] = {}
        for number, need in enumerate(self.needs):
            chosen = choose(need)
            if not chosen:
                always.append(number)
            for word in chosen[0] if chosen else ():
                first[word] = first.get(word, 0) | 1 << number
            for words in chosen[1:]:
                bit = bits.setdefault(words, 1 << len(bits))
                for word in words:
                    beside[word] = beside.get(word, 0) | bit
            rows.append(sum({bits[words] for words in chosen[1:]}))
        return _Words(tuple(always), _automaton(first, _numbers), _automaton(beside, int), rows)


class _Words(NamedTuple):
    always: tuple[int, ...]
    """Patterns without words."""
    first: Any
    """Finds the words that are seldom there, with the numbers of their patterns."""
    beside: Any
    """Finds the others, with a bit for each set that they are in."""
    rows: Sequence[int]
    """The bits of the other sets of each pattern."""


def _numbers(bits: int) -> tuple[int, ...]:
    return tuple(number for number in range(bits.bit_length()) if bits >> number & 1)


class Gate:
    """Tells of a text whether any of many patterns could match in it, and looks at it once for all their screens.

    Args:
        screens: Each with the numbers of its patterns that only tell more of what another one has found.
    """

    def __init__(self, screens: Iterable[tuple[Screen, Container[int]]]) -> None:
        parts = list(screens)
        self._whole = Screen(need for screen, _ in parts for need in screen.needs)
        aside: set[int] = set()
        first = 0
        for screen, others in parts:
            screen.join(self._whole, first)
            aside.update(first + number for number in range(len(screen.needs)) if number in others)
            first += len(screen.needs)
        self._aside = frozenset(aside)

    def lets_in(self, text: str) -> bool:
        """Could one of the patterns match?"""
        worth = self._whole.worth(text)
        return bool(worth) and not self._aside.issuperset(worth)


def _automaton(bits: dict[str, int], value: Callable[[int], Any]) -> Any:
    """Finds the words; those that hold a shorter one of the same patterns are left out."""
    every = ahocorasick.Automaton()
    for word in bits:
        every.add_word(word, word)
    if not bits:
        return None
    every.make_automaton()
    few = ahocorasick.Automaton()
    for word, own in bits.items():
        inside = (other for _, other in every.iter(word) if other != word)
        if not any(bits[other] & own == own for other in inside):
            few.add_word(word, value(own))
    few.make_automaton()
    return few


class Screened(Generic[Rules]):
    """Rules, of which each sentence gets those that could match in it.

    Args:
        rules: A tuple, with names or without. A field that is a pattern is screened; in a field that is a tuple of
            patterns, or of rows with a pattern in the first place, each of them is.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._ready: dict[tuple[int, ...], Rules] = {}

    @cached_property
    def screen(self) -> Screen:
        """Which of its patterns could match."""
        return Screen(map(_needs, _patterns(self._rules)))

    def numbers(self, *names: str) -> frozenset[int]:
        """The numbers of the patterns in the fields of these names."""
        found: set[int] = set()
        first = 0
        for name, field in zip(self._rules._fields, self._rules, strict=True):  # type: ignore[attr-defined]  # named
            last = first + len(list(_patterns((field,))))
            found.update(range(first, last) if name in names else ())
            first = last
        return frozenset(found)

    def on(self, text: str) -> Rules:
        """The rules for a sentence and all its parts; in place of what cannot match stands what never does."""
        worth = self.screen.worth(text)
        ready = self._ready.get(worth)
        if ready is None:
            if len(self._ready) >= _MOST_REMEMBERED:
                self._ready.clear()
            ready = self._ready[worth] = self._chosen(frozenset(worth))
        return ready

    def _chosen(self, worth: frozenset[int]) -> Rules:
        number = 0
        fields: list[Any] = []
        for field in self._rules:
            if _is_pattern(field):
                fields.append(_compiled(field) if number in worth else _NEVER)
                number += 1
            elif _is_rows(field):
                kept = [row for at, row in enumerate(field, number) if at in worth]
                number += len(field)
                fields.append(tuple(map(_with_compiled, kept)))
            else:
                fields.append(field)
        make: Any = getattr(self._rules, "_make", tuple)
        chosen: Rules = make(fields)
        return chosen


def _is_pattern(field: Any) -> bool:
    return isinstance(field, re.Pattern | Lazy)


def _is_rows(field: Any) -> bool:
    return isinstance(field, tuple) and all(_is_pattern(_pattern(row)) for row in field)


def _pattern(row: Any) -> Any:
    return row[0] if isinstance(row, tuple) else row


def _compiled(pattern: re.Pattern[str] | Lazy) -> re.Pattern[str]:
    return pattern.compiled() if isinstance(pattern, Lazy) else pattern


def _with_compiled(row: Any) -> Any:
    if not isinstance(row, tuple):
        return _compiled(row)
    if not isinstance(row[0], Lazy):
        return row
    make: Any = getattr(row, "_make", tuple)
    return make((row[0].compiled(), *row[1:]))


def _patterns(rules: Sequence[Any]) -> Iterator[re.Pattern[str]]:
    for field in rules:
        if _is_pattern(field):
            yield field
        elif _is_rows(field):
            yield from map(_pattern, field)


def _needs(pattern: re.Pattern[str]) -> Needs:
    """What a pattern needs; nothing where it takes capitals for small letters, which the words are not."""
    if pattern.flags & re.IGNORECASE:
        return Needs(None)
    return needs_of(pattern.pattern)
