"""Which words must stand in every text in which a pattern matches?

A pattern is read as a sequence of words, alternatives and gaps. What it needs is a list of sets: of each set, one word
stands in the text. Anchors, most look-around and what may be missing need nothing, so that a text is passed over too
seldom and never too often. Reading a pattern so costs a small part of what it costs to compile it.

Where a pattern says that a word begins or ends, no other Latin letter may stand beside it. Words are therefore looked
for in a text that is `spaced`: there, a space stands at both ends of whatever consists of Latin letters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["Needs", "choose", "needs_of", "spaced"]

_PLAIN: Final = r"(?:[^\\()\[\]{}|*+?.^$]|\\[^\w])"
_TOKEN: Final = re.compile(
    rf"(?P<list>\((?:\?:|\?P<\w+>)?{_PLAIN}+(?:\|{_PLAIN}+)*\))|(?P<words>(?:{_PLAIN}(?![*+?{{]))+)|(?P<char>{_PLAIN})"
    r"|(?P<edge>\\b|\(\?<?!(?:\\w|\[(?!\^)(?:\\.|[^\]\\])+\])\))|(?P<look>\(\?<?[=!])|(?P<test>\(\?\()|(?P<open>\((?:\?P<\w+>|\?:)?)|(?P<close>\))|(?P<bar>\|)"
    r"|(?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<name>\{[a-z_]+\})|(?P<least>\{\d*(?:,\d*)?\}[?+]?)"
    r"|(?P<many>[*+?][?+]?)|(?P<nothing>[$^]|\\[BAZ])|(?P<code>\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})|(?P<gap>\.|\\.)",
    re.DOTALL,
)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_EDGE: Final = "\uffff"
"""Stands in a word where a run of Latin letters begins or ends."""
_RUNS: Final = re.compile(r"[a-z ]+|[^a-z ]+")
_MOST: Final = 64
"""Words that two parts of a sequence may make together."""
_CLASS: Final = 8
"""Characters of a class that are told apart."""
_OPTIONAL: Final = 4
"""Words that may be missing and are told apart."""

_LEAST_SCORE: Final = 0.6
_LEAST_SCORE_BESIDE: Final = 0.8
"""Of the best set of words, and of the others that are worth a look."""


class Needs(NamedTuple):
    """What a part of a pattern needs."""

    exact: frozenset[str] | None
    """All that it matches before what may be missing `after` it; None: too much to tell."""
    sets: tuple[frozenset[str], ...] = ()
    """Of each set, one word stands in what it matches."""
    head: frozenset[str] = frozenset({""})
    """What it begins with, as far as that is known."""
    tail: frozenset[str] = frozenset({""})
    """What it ends with."""
    maybe: frozenset[str] = frozenset()
    """It may be missing, and else begins with one of these characters; none: nobody knows."""
    after: frozenset[str] = frozenset()
    """Behind what it ends with comes what may be missing, and else begins with one of these characters."""

    def begins(self) -> frozenset[str]:
        """What it begins with, as far as that is known."""
        return self.head if self.exact is None else self.exact

    def conjuncts(self) -> tuple[frozenset[str], ...]:
        """All sets of words of a spaced text, its own words included."""
        if self.exact is not None:
            return _set_of(self.exact)
        return tuple(dict.fromkeys((*_set_of(self.head), *self.sets, *_set_of(self.tail))))


def spaced(text: str) -> str:
    """A text in which a space stands between what is and what is no Latin letter, and at both ends."""
    return f" {' '.join(_RUNS.findall(text))} "


@lru_cache(maxsize=1024)
def _set_of(run: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The words as they stand in a spaced text; nothing if one of them may be empty."""
    words = frozenset(map(_in_spaced, run))
    return () if "" in words else (words,)


def _in_spaced(word: str) -> str:
    bare = word
    if _EDGE in word:
        bare = word.replace(_EDGE, "")
        before = " " if word[0] == _EDGE and "a" <= bare[:1] <= "z" else ""
        behind = " " if word[-1] == _EDGE and "a" <= bare[-1:] <= "z" else ""
        bare = f"{before}{bare}{behind}"
    return " ".join(_RUNS.findall(bare))


_EMPTY: Final = frozenset({""})
_NOTHING: Final = Needs(_EMPTY)
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
    chosen: list[frozenset[str]] = []
    known: frozenset[str] = frozenset()
    for words in found:
        bare = frozenset(map(str.strip, words))
        if not chosen or (_score(words) >= _LEAST_SCORE_BESIDE and 2 * len(bare & known) <= len(bare)):
            chosen.append(words)
            known |= bare
    return chosen


@lru_cache(maxsize=1024)
def _score(words: frozenset[str]) -> float:
    """How seldom one of the words stands in a text by chance, roughly: by the shortest, and by how many there are."""
    return -math.log(sum(math.exp(-_STEEP * _weight(word)) for word in words)) / _STEEP


_STEEP: Final = 6.0
"""How much more the short words count than the long ones."""


_FREQUENT: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "to",
        "of",
        "and",
        "in",
        "is",
        "it",
        "that",
        "for",
        "on",
        "with",
        "as",
        "was",
        "be",
        "at",
        "by",
        "this",
        "not",
        "are",
        "or",
        "from",
        "have",
        "has",
        "had",
    ]
)


def _weight(word: str) -> float:
    if not word.isascii():
        return sum(
            3.0 if "\u3400" <= char <= "\u9fff" else 2.0 if "\u30a1" <= char <= "\u30ff" else 0.7 for char in word
        )
    if word.isalpha():
        return len(word) if len(word) > 1 else 0.5
    return 1.0 if word.strip() in _FREQUENT else len(word) - 0.6 * sum(map(word.count, " -'"))


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
    exact = [one.exact for one in found if one.exact is not None]
    after = frozenset().union(*(one.after for one in found))
    if len(exact) == len(found):
        return Needs(frozenset().union(*exact), after=after)
    head = _all_of(one.begins() for one in found)
    tail = _all_of(one.tail if one.exact is None else one.exact for one in found)
    every = [one.conjuncts() for one in found]
    best = frozenset().union(*(max(sets, key=_score) for sets in every)) if all(every) else _EMPTY
    sets = () if "" in best or best in (*_set_of(head), *_set_of(tail)) else (best,)
    return Needs(None, sets, head, tail, after=after if "" not in tail else frozenset())


def _all_of(runs: Iterable[frozenset[str]]) -> frozenset[str]:
    """Any of the words of all of these; nothing where one of them may be anything."""
    found = frozenset().union(*runs)
    return frozenset({""}) if "" in found else found


class _Sequence:
    """What has been read of parts that follow each other."""

    def __init__(self) -> None:
        self._head: frozenset[str] | None = None
        self._sets: list[frozenset[str]] = []
        self._run = _EMPTY
        """Words that end here."""
        self._maybe: frozenset[str] = frozenset()
        """Behind them comes what may be missing, which begins with one of these, and then the next part."""

    def add(self, part: Needs) -> None:
        """Read the next part."""
        if part.maybe and (self._maybe or self._run != _EMPTY):
            self._maybe |= part.maybe
            return
        begins = part.begins()
        if self._maybe and part.exact is not None and "" in begins and not part.after:
            self._maybe |= {word[:1] for word in begins if word}
            return
        if self._maybe:
            known = _joined(self._run, self._maybe | {word[:1] for word in begins}) if "" not in begins else None
            self._close(known or self._run)
            self._run, self._maybe = _EMPTY, frozenset()
        joined = _joined(self._run, begins)
        if joined is None or part.exact is None:
            self._close(self._run if joined is None else joined)
        if part.exact is not None:
            self._run, self._maybe = part.exact if joined is None else joined, part.after
            return
        if joined is None:
            self._close(part.head)
        self._sets += part.sets
        self._run, self._maybe = part.tail, part.after

    def _close(self, run: frozenset[str]) -> None:
        if self._head is None:
            self._head = run
        else:
            self._sets += _set_of(run)

    def needs(self) -> Needs:
        """What all of it needs."""
        if self._head is None:
            return Needs(self._run, after=self._maybe)
        return Needs(None, tuple(self._sets), self._head, self._run, after=self._maybe)


def _sequence(tokens: _Tokens, parts: Mapping[str, Needs]) -> Needs:
    """Up to the next alternative or the end of the group, which is left."""
    found = []
    while tokens.peek("bar", "close") is None and (token := tokens.take()) is not None:
        found.append(_repeated(tokens, _element(token, tokens, parts)))
    if len(found) == 1:
        return found[0]
    sequence = _Sequence()
    for part in found:
        sequence.add(part)
    return sequence.needs()


def _joined(left: frozenset[str], right: frozenset[str]) -> frozenset[str] | None:
    """Each of one side before each of the other; None where these are too many."""
    if len(left) > 1 and len(right) > 1 and len(left) * len(right) > _MOST:
        return None
    return frozenset(one + other for one in left for other in right)


def _element(token: re.Match[str], tokens: _Tokens, parts: Mapping[str, Needs]) -> Needs:
    match token.lastgroup:
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
        case "gap":
            return _GAP
    return Needs(_words_of(token))


def _words_of(token: re.Match[str]) -> frozenset[str]:
    """All that a token without parts stands for."""
    words = token[0]
    match token.lastgroup:
        case "words" | "char":
            return frozenset({_unescaped(words)})
        case "list":
            words = words[1:-1].removeprefix("?:")
            words = words if not words.startswith("?P<") else words.partition(">")[2]
            return frozenset(map(_unescaped, words.split("|")))
        case "edge" if words == r"\b" or "a-z" in words or r"\w" in words:
            return frozenset({_EDGE})
        case "code":
            return frozenset({chr(int(words[2:], 16))})
    return _EMPTY


def _unescaped(words: str) -> str:
    return _ESCAPED.sub(r"\1", words) if "\\" in words else words


def _repeated(tokens: _Tokens, part: Needs) -> Needs:
    """The part with the count behind it."""
    token = tokens.peek("many", "least")
    if token is None:
        return part
    tokens.take()
    least = token[0].strip("{}?+").partition(",")[0] if token.lastgroup == "least" else token[0][0]
    if least == "?":
        few = part.exact is not None and len(part.exact) <= _OPTIONAL and not part.after
        return Needs(part.exact | {""}) if few and part.exact is not None else _missing(part)
    if least in ("*", "", "0"):
        return _missing(part)
    return Needs(None, part.sets if part.exact is not None else (*part.sets, *_set_of(part.tail)), part.begins())


def _missing(part: Needs) -> Needs:
    """The part, where it may not be there."""
    begins = part.begins()
    return _GAP if "" in begins else Needs(None, maybe=frozenset(word[:1] for word in begins))


def _character_class(words: str) -> Needs:
    """Each of a few characters; else a gap."""
    inner = words[1:-1]
    if words[1] == "^" or "-" in inner[1:-1] or re.search(r"\\[\w]", inner):
        return _GAP
    chars = frozenset(_ESCAPED.sub(r"\1", inner))
    return Needs(chars) if len(chars) <= _CLASS else _GAP
