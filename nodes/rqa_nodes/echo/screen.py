"""Which of many patterns could match in this sentence? All of them are looked for in one pass.

A set of automata (RE2) reads the sentence once, in linear time, and names the patterns that are worth running. It is
built from the patterns themselves, each made wider: look-around, anchors and counts are dropped, so that it lets
through too much and never too little. A rule that is added is screened without a word about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, Generic, TypeVar

import re2

__all__ = ["Screened", "widened"]

_MOST_BYTES: Final = 1 << 26
"""Memory of an automaton; without enough of it, it could name no pattern."""

_MOST_REMEMBERED: Final = 256
"""Choices of rules that are kept ready."""

_NEVER: Final = re.compile("\x00(?!)")
"""Stands in for a pattern that cannot match; it fails at once."""

_ANY: Final = r"[\x{0}-\x{10ffff}]"
_TOKEN: Final = re.compile(
    r"\\u(?P<code>[0-9a-fA-F]{4})|\\(?P<escape>.)|(?P<look>\(\?<?[=!])|(?P<test>\(\?\()|(?P<open>\((?:\?P<\w+>|\?:)?)"
    r"|(?P<close>\))|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<count>\{(?P<least>\d*)(?:,\d*)?\}[?+]?)"
    r"|(?P<many>[*+?][?+]?)|(?P<anchor>[$^])|(?P<other>.)",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_CODE: Final = re.compile(r"\\u([0-9a-fA-F]{4})")
_BOUNDARIES: Final = frozenset("bBAZ")
_KINDS: Final = frozenset("wWsSdD")
"""Kinds of characters, which are others in RE2."""

Rules = TypeVar("Rules", bound=tuple[Any, ...])


class Screened(Generic[Rules]):
    """Rules, of which each sentence gets those that could match in it.

    Args:
        rules: A tuple, with names or without. A field that is a pattern is screened; in a field that is a tuple of
            patterns, or of rows with a pattern in the first place, each of them is.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._ready: dict[frozenset[int], Rules] = {}
        options = re2.Options()
        options.max_mem = _MOST_BYTES
        self._set: Any = re2.Set.SearchSet(options)
        for pattern in _patterns(rules):
            self._set.Add(widened(pattern))
        self._read: int = self._set.Add("")
        """Matches in every text, and is missing where the automaton gave up."""
        self._set.Compile()

    def on(self, text: str) -> Rules:
        """The rules for a sentence and all its parts; in place of what cannot match stands what never does."""
        try:
            found = self._set.Match(text)
        except UnicodeEncodeError:  # a lone surrogate
            return self._rules
        if not found or self._read not in found:
            return self._rules
        worth = frozenset(found)
        ready = self._ready.get(worth)
        if ready is None:
            if len(self._ready) >= _MOST_REMEMBERED:
                self._ready.clear()
            ready = self._ready[worth] = self._chosen(worth)
        return ready

    def _chosen(self, worth: frozenset[int]) -> Rules:
        numbers = iter(range(self._read))
        fields: list[Any] = []
        for field in self._rules:
            if isinstance(field, re.Pattern):
                fields.append(field if next(numbers) in worth else _NEVER)
            elif _is_rows(field):
                fields.append(tuple(row for row in field if next(numbers) in worth))
            else:
                fields.append(field)
        make: Any = getattr(self._rules, "_make", tuple)
        chosen: Rules = make(fields)
        return chosen


def _is_rows(field: Any) -> bool:
    return isinstance(field, tuple) and all(isinstance(_pattern(row), re.Pattern) for row in field)


def _pattern(row: Any) -> Any:
    return row[0] if isinstance(row, tuple) else row


def _patterns(rules: tuple[Any, ...]) -> Iterator[re.Pattern[str]]:
    for field in rules:
        if isinstance(field, re.Pattern):
            yield field
        elif _is_rows(field):
            yield from map(_pattern, field)


def widened(pattern: re.Pattern[str]) -> str:
    """A pattern for RE2 that matches in every text in which, or in a part of which, this one does.

    Raises:
        ValueError: The pattern tests whether a group matched, which RE2 cannot.
    """
    tokens = iter(_TOKEN.finditer(pattern.pattern))
    return ("(?is)" if pattern.flags & re.IGNORECASE else "(?s)") + "".join(_parts(tokens))


def _parts(tokens: Iterator[re.Match[str]]) -> Iterator[str]:
    for token in tokens:
        if token.lastgroup == "look":
            _skip(tokens)
        elif token.lastgroup == "test":
            raise ValueError(f"{token.string!r:.80} tests a group; write two alternatives instead")
        else:
            yield _part(token)


def _part(token: re.Match[str]) -> str:
    match token.lastgroup:
        case "open":
            return "(?:"
        case "class":
            return _character_class(token[0])
        case "code":
            return rf"\x{{{token['code']}}}"
        case "escape":
            return "" if token["escape"] in _BOUNDARIES else _ANY if token["escape"] in _KINDS else token[0]
        case "count":
            return "*" if token["least"] in ("", "0") else "+"
        case "many":
            return token[0][0]
        case "anchor":
            return ""
    return token[0]


def _skip(tokens: Iterator[re.Match[str]]) -> None:
    """Pass over a look-around, whatever stands in it."""
    depth = 1
    while depth:
        group = next(tokens).lastgroup
        depth += (group in ("look", "open", "test")) - (group == "close")


def _character_class(words: str) -> str:
    """A class as RE2 writes it; any character where it holds kinds of characters."""
    if not _KINDS.isdisjoint(_ESCAPE.findall(words)):
        return _ANY
    return _CODE.sub(r"\\x{\1}", words)
