"""Which words must stand in every text in which a pattern matches?

A pattern is read as a sequence of words, alternatives and gaps. What it needs is a list of sets: of each set, one word
stands in the text. Look-around, anchors and what may be missing need nothing, so that a text is passed over too seldom
and never too often. Reading a pattern so costs a small part of what it costs to compile it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["Needs", "choose", "needs_of"]

_PLAIN: Final = r"(?:[^\\()\[\]{}|*+?.^$]|\\[^\w])"
_TOKEN: Final = re.compile(
    rf"(?P<list>\((?:\?:|\?P<\w+>)?{_PLAIN}+(?:\|{_PLAIN}+)*\))|(?P<words>(?:{_PLAIN}(?![*+?{{]))+)|(?P<char>{_PLAIN})"
    r"|(?P<look>\(\?<?[=!])|(?P<test>\(\?\()|(?P<open>\((?:\?P<\w+>|\?:)?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<name>\{[a-z_]+\})|(?P<least>\{\d*(?:,\d*)?\}[?+]?)"
    r"|(?P<many>[*+?][?+]?)|(?P<nothing>[$^]|\\[bBAZ])|(?P<code>\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})|(?P<gap>\.|\\.)",
    re.DOTALL,
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_MOST: Final = 32
"""Words that two parts of a sequence may make together."""
_CLASS: Final = 8
"""Characters of a class that are told apart."""
_OPTIONAL: Final = 4
"""Words that may be missing and are told apart."""

_LEAST_SCORE: Final = 0.9
_LEAST_SCORE_BESIDE: Final = 1.9
"""Of the best set of words, and of the others that are worth a look."""


class Needs(NamedTuple):
    """What a part of a pattern needs."""

    exact: frozenset[str] | None
    """All that it matches; None: too much to tell."""
    sets: tuple[frozenset[str], ...] = ()
    """Of each set, one word stands in what it matches."""

    def conjuncts(self) -> tuple[frozenset[str], ...]:
        """All sets, its own words included."""
        return (*self.sets, self.exact) if self.exact and "" not in self.exact else self.sets


_NOTHING: Final = Needs(frozenset({""}))
_GAP: Final = Needs(None)


def needs_of(pattern: str, parts: Mapping[str, Needs] = {}) -> Needs:  # never changed
    """What a pattern needs.

    Args:
        pattern: As Python or RE2 writes it.
        parts: What `{name}` stands for in it.

    Raises:
        ValueError: The pattern tests whether a group matched.
    """
    return _alternatives(_Tokens(pattern), parts)


def choose(needs: Needs) -> list[frozenset[str]]:
    """The sets that tell most texts without the pattern from those with it; none: it must be tried on every text."""
    found = sorted((words for words in needs.conjuncts() if words), key=_score, reverse=True)
    if not found or _score(found[0]) < _LEAST_SCORE:
        return []
    return [found[0], *(words for words in found[1:] if _score(words) >= _LEAST_SCORE_BESIDE)]


@lru_cache(maxsize=1024)
def _score(words: frozenset[str]) -> float:
    """How seldom one of the words stands in a text by chance, roughly: by the shortest, and by how many there are."""
    return min(map(_weight, words)) - len(words) / 5000


def _weight(word: str) -> float:
    if word.isascii():
        return len(word) - 0.6 * sum(map(word.count, " -'"))
    return sum(3.0 if "\u3400" <= char <= "\u9fff" else 2.0 if "\u30a1" <= char <= "\u30ff" else 1.0 for char in word)


class _Tokens:
    """The tokens of a pattern, one of which can be looked at before it is taken."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def take(self) -> re.Match[str] | None:
        """The next token; None at the end."""
        token = _TOKEN.match(self._pattern, self._at)
        if token is not None:
            self._at = token.end()
        return token

    def peek(self, *kinds: str) -> re.Match[str] | None:
        """The next token if it is one of these kinds, not taken."""
        token = _TOKEN.match(self._pattern, self._at)
        return token if token is not None and token.lastgroup in kinds else None

    def skip(self) -> None:
        """Pass over a group that has been opened."""
        depth = 1
        while depth and (token := self.take()) is not None:
            depth += (token.lastgroup in ("look", "open", "test")) - (token.lastgroup == "close")


def _alternatives(tokens: _Tokens, parts: Mapping[str, Needs]) -> Needs:
    """Up to the end of the group or of the pattern, which is taken."""
    found = [_sequence(tokens, parts)]
    while (token := tokens.take()) is not None and token.lastgroup == "bar":
        found.append(_sequence(tokens, parts))
    return found[0] if len(found) == 1 else _either(found)


def _either(found: Sequence[Needs]) -> Needs:
    exact = [one.exact for one in found if one.exact is not None and not one.sets]
    if len(exact) == len(found):
        return Needs(frozenset().union(*exact))
    every = [one.conjuncts() for one in found]
    if not all(every):
        return _GAP
    return Needs(None, (frozenset().union(*(max(sets, key=_score) for sets in every)),))


def _sequence(tokens: _Tokens, parts: Mapping[str, Needs]) -> Needs:
    """Up to the next alternative or the end of the group, which is left."""
    run: frozenset[str] = frozenset({""})
    sets: list[frozenset[str]] = []
    whole = True
    for part in _elements(tokens, parts):
        if part.exact is not None and not part.sets and _may_join(run, part.exact):
            run = frozenset(left + right for left in run for right in part.exact)
            continue
        whole = False
        sets += [run, *part.sets]
        run = part.exact if part.exact is not None else frozenset({""})
    if whole:
        return Needs(run)
    return Needs(None, tuple(words for words in (*sets, run) if "" not in words))


def _may_join(left: frozenset[str], right: frozenset[str]) -> bool:
    return len(left) == 1 or len(right) == 1 or len(left) * len(right) <= _MOST


def _elements(tokens: _Tokens, parts: Mapping[str, Needs]) -> Iterator[Needs]:
    while tokens.peek("bar", "close") is None and (token := tokens.take()) is not None:
        yield _repeated(tokens, _element(token, tokens, parts))


def _element(token: re.Match[str], tokens: _Tokens, parts: Mapping[str, Needs]) -> Needs:
    match token.lastgroup:
        case "words" | "char":
            return Needs(frozenset({_ESCAPED.sub(r"\1", token[0])}))
        case "list":
            words = token[0][1:-1].removeprefix("?:")
            words = words if not words.startswith("?P<") else words.partition(">")[2]
            return Needs(frozenset(_ESCAPED.sub(r"\1", word) for word in words.split("|")))
        case "class":
            return _character_class(token[0])
        case "name":
            return parts[token[0][1:-1]]
        case "open":
            return _alternatives(tokens, parts)
        case "look":
            tokens.skip()
            return _NOTHING
        case "test":
            raise ValueError(f"{token.string!r:.80} tests a group; write two alternatives instead")
        case "nothing":
            return _NOTHING
        case "code":
            return Needs(frozenset({chr(int(token[0][2:], 16))}))
    return _GAP


def _repeated(tokens: _Tokens, part: Needs) -> Needs:
    """The part with the count behind it."""
    token = tokens.peek("many", "least")
    if token is None:
        return part
    tokens.take()
    least = token[0].strip("{}?+").partition(",")[0] if token.lastgroup == "least" else token[0][0]
    if least == "?":
        few = part.exact is not None and not part.sets and len(part.exact) <= _OPTIONAL
        return Needs(part.exact | {""}) if few and part.exact is not None else _GAP
    if least in ("*", "", "0"):
        return _GAP
    return Needs(None, part.conjuncts())


def _character_class(words: str) -> Needs:
    """Each of a few characters; else a gap."""
    inner = words[1:-1]
    if words[1] == "^" or "-" in inner[1:-1] or re.search(r"\\[\w]", inner):
        return _GAP
    chars = frozenset(_ESCAPED.sub(r"\1", inner))
    return Needs(chars) if len(chars) <= _CLASS else _GAP
