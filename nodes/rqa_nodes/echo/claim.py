"""What is a claim about earlier talk? A value, and the way word lists become patterns.

The language modules make claims from folded sentences; `history` and `attribution` decide on them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

__all__ = ["Claim", "Claims", "Speaker", "any_of", "any_verb", "particle_verb"]

Speaker = Literal["we", "you", "i", ""]


class Claim(NamedTuple):
    """A claim about earlier talk, in the folded sentence."""

    start: int
    end: int
    """The words that make the claim, without the content."""
    clause: tuple[int, int]
    """The whole clause, content included."""
    content: tuple[int, int]
    """The content where the claim names it; empty where it is the rest of the sentence.

    An adverbial that names some ("given your history of X, ...") is backed by either."""
    speaker: Speaker
    saying: bool
    """A saying verb; otherwise an establishing one."""
    adverbial: bool
    strong: bool
    """Claims shared history by itself; a weak one only where an assistant message carries the content."""
    event: bool = False
    """Tells an event of the reader's life, not of a talk: whoever knows of the matter may put it in other words."""


class Claims:
    """The claims of a sentence, as far as somebody has asked for them."""

    __slots__ = ("_found", "_rest")

    def __init__(self) -> None:
        self._found: list[Claim] = []
        self._rest: Iterator[Claim] | None = None

    def of(self, reader: Callable[[str], Iterator[Claim]], text: str) -> Iterator[Claim]:
        """What a reader finds in the text of the sentence, one after the other."""
        if self._rest is None:
            self._rest = reader(text)
        at = 0
        while True:
            if at == len(self._found):
                claim = next(self._rest, None)
                if claim is None:
                    return
                self._found.append(claim)
            yield self._found[at]
            at += 1


def any_of(words: Sequence[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_PARTICLES: Final = ("up", "out", "down", "over", "off", "in", "on", "through", "away", "aside")
_OBJECT: Final = (
    r"(?:it|this|that|them|these|those|everything|(?:it |this |that |them )?all(?: of (?:it|this|that|them))?|"
    r"(?:the|your|my|our|both|all|a|an|this|that|these|those|two|some) (?:[a-z'’-]+ ){0,2}?[a-z'’-]+)"
)
"""What stands between an English verb and its particle: "you brought the lease up"."""


def any_verb(words: Sequence[str]) -> str:
    """A pattern for any of the English verbs; of those with a particle, also with an object before it.

    The objects are few words, so that the pattern stays linear.
    """
    split: dict[str, list[str]] = {}
    for word in words:
        verb, _, particle = word.partition(" ")
        if particle in _PARTICLES:
            split.setdefault(particle, []).append(verb)
    return "|".join([any_of(words), *(rf"(?:{any_of(verbs)}) {_OBJECT} {last}" for last, verbs in split.items())])


def particle_verb(words: str) -> tuple[str, str]:
    """A verb as the lexicon names it, and the object that stands inside it: ("ruled out", "that")."""
    verb, _, rest = words.partition(" ")
    thing, _, particle = rest.rpartition(" ")
    return (f"{verb} {particle}", thing) if thing and particle in _PARTICLES else (words, "")
