"""Which of many patterns could match in this sentence? All of them are looked for in one pass.

An automaton (Aho-Corasick) reads the sentence once, in linear time, for words that the patterns need; a pattern whose
words are not all there is left alone, and one that never gets a chance is never compiled. The words are taken from the
patterns themselves, so a rule that is added is screened without a word about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

import ahocorasick

from rqa_nodes.echo.lazily import Lazy
from rqa_nodes.echo.needed import Needs, choose, needs_of

__all__ = ["Screen", "Screened"]

_MOST_REMEMBERED: Final = 256
"""Choices of patterns that are kept ready."""

_NEVER: Final = re.compile("\x00(?!)")
"""Stands in for a pattern that cannot match; it fails at once."""

Rules = TypeVar("Rules", bound=tuple[Any, ...])


class Screen:
    """Tells by the words of a text which of many patterns could match in it.

    Args:
        needs: What each pattern needs.
    """

    def __init__(self, needs: Iterable[Needs]) -> None:
        self._rows: list[int] = []
        """For each pattern, a bit for each set of words of which it needs one."""
        bits: dict[str, int] = {}
        taken = 0
        for need in needs:
            row = 0
            for words in choose(need):
                row |= 1 << taken
                for word in words:
                    bits[word] = bits.get(word, 0) | 1 << taken
                taken += 1
            self._rows.append(row)
        self._automaton = _automaton(bits)
        self._worth: dict[int, tuple[int, ...]] = {}

    def signature(self, text: str) -> int:
        """A bit for each set of which a word stands in the text: texts with the same one have the same patterns."""
        found = 0
        if self._automaton is not None:
            for _, bits in self._automaton.iter(text):
                found |= bits
        return found

    def worth(self, signature: int) -> tuple[int, ...]:
        """The numbers of the patterns that could match."""
        known = self._worth.get(signature)
        if known is None:
            if len(self._worth) >= _MOST_REMEMBERED:
                self._worth.clear()
            known = tuple(number for number, row in enumerate(self._rows) if signature & row == row)
            self._worth[signature] = known
        return known


def _automaton(bits: dict[str, int]) -> Any:
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
            few.add_word(word, own)
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
        self._ready: dict[int, Rules] = {}
        self._screen = Screen(map(_needs, _patterns(rules)))

    def on(self, text: str) -> Rules:
        """The rules for a sentence and all its parts; in place of what cannot match stands what never does."""
        signature = self._screen.signature(text)
        ready = self._ready.get(signature)
        if ready is None:
            if len(self._ready) >= _MOST_REMEMBERED:
                self._ready.clear()
            ready = self._ready[signature] = self._chosen(frozenset(self._screen.worth(signature)))
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
