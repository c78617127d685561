"""How much of an English sentence goes with words that lead back to an earlier talk?

Words such as "our last session" can stand in an adverbial ("picking up from our last session, X"), which can be cut, or
carry the sentence ("our last session ended with X"), which then has nothing left to say. Read from the commas and
brackets around the words and from how their stretch begins; no grammar beyond that, and linear in the sentence.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load

__all__ = ["Place", "place_of"]


class Place(NamedTuple):
    """The stretch that goes, in the folded sentence."""

    start: int
    end: int
    adverbial: bool
    """The rest of the sentence stands without it."""


_LEFT: Final = lazily(r"(?:[,;:](?!\d)|(?<!\w)[-–](?= )|—|[(\[|]|\n)[\s\"“]*")
_RIGHT: Final = lazily(r" ?⟨| ?\[|[,;:](?!\d)|\s[-–] |—|[)\]|]|[.!?…]+[*_)\]\"”]*(?=\s|$)|$")
_HEAD: Final = lazily(
    r"[\s\x1a>*_#\"“(\[|•・-]*(?:\d{1,3}[.)]\s+)?(?:(?:so|and|but|well|okay|ok|now|also|then|yes|right|again|ah|oh|hey|"
    r"hi|sure|still|anyway|indeed|once again|in short|of course|note that)\b[\s,:!]*)*"
)
_INNER: Final = lazily(
    r"(?:^|(?<= ))(?P<lead>(?:just |exactly |much |the )?(?:same )?(?:as per|as|like|per|unlike|the way|same as|in "
    r"line "
    r"with|in keeping with|consistent with|true to|according to|than)) (?:[a-z'’-]+ ){0,4}$"
)
"""A lead that needs no comma before it."""

_PREPOSED: Final = lazily(r"(?:in|during|from|at|per|since|after|over|as per|based on|given|following|as in) ")
_NEW_CLAUSE: Final = lazily(r" (?:the|a|an|this|that|it|there|these|those|i|he|she|they|all|both|each|no)(?![a-z])")
"""What begins a clause behind an adverbial that has no comma."""

_STOP: Final = lazily(
    r"[.!?]+[*_)\]\"”]*(?:\s|$)|;|,? (?:so|but|therefore)(?![a-z])|, (?=(?:and|then|therefore|thus|hence)(?![a-z]))|"
    r"\s[-–] |[ ]?[—–]|[|]| ?⟨| ?\[|[)\]](?=[.,;:\s]|$)|$"
)
"""Where a clause ends that goes on behind its commas."""

_VERBLESS: Final = lazily(
    r"(?:^|[\s,;:])(?:is|are|was|were|be|been|seems?|that['’]s|it['’]s|sounds?|feels?|looks?)[\s,]*$"
)
"""What a cut here would leave hanging."""


@cache
def _lead() -> re.Pattern[str]:
    words = load("en_talk")["kinds"]["leads"]
    return lazily(
        rf"(?:{any_of(words)})(?![a-z'’])|(?!nothing|something|anything|everything|evening|"
        rf"morning)[a-z]{{2,}}ing(?![a-z'’])"
    )


def place_of(text: str, start: int, end: int) -> Place:
    """What goes with the words at this place.

    Args:
        text: The folded sentence.
        start: Where the words begin.
        end: Where they end.

    Returns:
        The adverbial that they stand in, or the clause.
    """
    left = _left(text, start)
    right = _RIGHT.search(text, end)
    assert right is not None
    stop = right.start()
    head = _head(text)
    begin = max(left, head)
    bracketed = text[:left].rstrip().endswith(("(", "[")) and text[stop : stop + 1] in (")", "]")
    if bracketed:
        return Place(left, stop, True)
    fronted = begin <= head or text[begin - 1 : begin] == "|" or text[:begin].rstrip().endswith("|")
    led = _lead().match(text, begin)
    follows = text[stop : stop + 1] in (",", ":", "—") or text[stop : stop + 3] in (" - ", " – ")
    if led and led.start() <= start and (follows if fronted else True) and _says_something(text, begin, stop):
        return Place(begin, stop, True)
    inner = _INNER.search(text, max(begin, start - 60), start)
    if inner and not _VERBLESS.search(text[: inner.start("lead")]) and _says_something(text, inner.start("lead"), stop):
        return Place(inner.start("lead"), stop, True)
    if fronted and _PREPOSED.fullmatch(text, begin, start) and _NEW_CLAUSE.match(text, end):
        return Place(begin, end, True)
    return Place(begin, _STOP.search(text, end).start(), False)  # type: ignore[union-attr]  # ends with $


def _left(text: str, at: int) -> int:
    """Where the stretch begins that holds this place."""
    left = 0
    for match in _LEFT.finditer(text, 0, at):
        left = match.end()
    return left


def _head(text: str) -> int:
    match = _HEAD.match(text)
    return match.end() if match else 0


def _says_something(text: str, start: int, end: int) -> bool:
    """Is there a statement without these words?"""
    return bool(content_words(text[:start] + " " + text[end:]))
