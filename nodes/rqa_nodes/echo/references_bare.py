"""Which words have the form of one of our handles, and stand where a citation stands, without our brackets around them?

"You hate winter [x4t7qn]", "(ref. x4t7qn)", "#x4t7qn". Where handles were given this turn, such a word pretends to be
one. Codes of other kinds look alike: a word counts only if it is built as a handle is (`_is_built_so`) and if no word
for a code of another kind stands in the sentence, or if it is a handle of this user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, load
from rqa_nodes.echo.resolver import Resolver
from rqa_nodes.echo.types import VerdictKind

__all__ = ["Bare", "bare_handles", "may_be_bare"]

Bare = tuple[int, int, tuple[tuple[int, int], ...]]
"""A stretch of the folded sentence, and the places of the handles in it."""

_HANDLE: Final = r"(?<![0-9a-z_])(?=[a-z]{0,7}\d)[0-9a-hjkmnp-tv-z]{6,8}(?![0-9a-z_-])"
"""Crockford's alphabet in the lengths that handles have."""
_FIRST: Final = lazily(_HANDLE)
_DIGIT: Final = lazily(r"\d")
_MOST_LETTERS: Final = 7
"""Letters before the first digit of a handle."""
_MIXED: Final = lazily(r"[a-z]\d+[a-z]|^[bcdfghjkmnpqrstvwxyz]{5,7}\d$")
_READABLE: Final = lazily(r"\d{3}|(?=[a-z]{0,7}[ae])[a-z]{3}|^[0-9a-f]+$")
"""A number of three digits, letters that can be read aloud, or hexadecimal digits: a product, a name, a hash."""


def may_be_bare(text: str, resolver: Resolver) -> bool:
    """Could `bare_handles` find anything in a folded sentence with a digit in it?"""
    if not (resolver.injected or resolver.known):
        return False
    digit = _DIGIT.search(text)
    for word in _FIRST.findall(text, max(0, digit.start() - _MOST_LETTERS)) if digit else ():
        if word not in resolver.by_key and (_is_built_so(word) or _is_of_the_user(word, resolver)):
            return True
    return False


def bare_handles(text: str, resolver: Resolver) -> Iterator[Bare]:
    """What has the form of a handle and stands as a citation does in a folded sentence.

    Args:
        text: The sentence, code already blanked out.
        resolver: The ids of this turn.
    """
    if not may_be_bare(text, resolver):
        return
    elsewhere = _codes().search(text) is not None
    for pattern in _places():
        for match in pattern.finditer(text):
            ids = tuple(one.span() for one in _FIRST.finditer(text, *match.span("ids")))
            words = [text[slice(*place)] for place in ids]
            if all(resolver.resolve(word)[1] is not None for word in words):
                continue
            if all(_counts(word, resolver, elsewhere=elsewhere) for word in words):
                yield match.start("all"), match.end("all"), ids


def _counts(word: str, resolver: Resolver, *, elsewhere: bool) -> bool:
    if resolver.resolve(word)[1] is not None or _is_of_the_user(word, resolver):
        return True
    return not elsewhere and word not in resolver.given and _is_built_so(word)


def _is_built_so(word: str) -> bool:
    """Letters and digits mixed as chance mixes them."""
    return bool(_MIXED.search(word)) and not _READABLE.search(word)


def _is_of_the_user(word: str, resolver: Resolver) -> bool:
    return not word.isdecimal() and resolver.resolve(word)[0] is VerdictKind.stale_id


@cache
def _codes() -> re.Pattern[str]:
    words = {lang: any_of(load(lang)["codes"]) for lang in LANGUAGES}
    return lazily(rf"(?<![a-z])(?:{words['en']})s?(?![a-z])|{words['ja']}|{words['zh']}")


@cache
def _places() -> tuple[re.Pattern[str], ...]:
    lead = any_of([word for lang in LANGUAGES for word in load(lang)["pointers"]])
    lead = rf"(?:(?:(?:{lead})\.?\s*[:=#;,_|.、-]?\s*){{1,2}}|\d{{1,2}}:\s*)?"
    many = rf"(?P<ids>{_HANDLE}(?:\s*[,;、/|]\s*(?:m:)?{_HANDLE})*)"
    one = rf"(?P<ids>{_HANDLE})"
    end = r"(?=[\s*_]*(?:[.,;:!?)\]|。、！？]|$))"
    return (
        lazily(rf"(?P<all>\^?\[\s*[\^#@]?\s*{lead}{many}\s*\])(?!\()"),
        lazily(rf"(?P<all>[({{<〈《]\s*[\^#@]?\s*{lead}{many}\s*[)}}>〉》])"),
        lazily(rf"(?<=[^\s\[(])(?P<all>\s?[\^#@]{one}){end}"),
        lazily(rf"(?P<all>,? (?:see|cf\.|ref\.?|item|entry|note)(?: (?:item|entry|note|memory))? {one}){end}"),
        lazily(rf"(?<![a-z])(?:according to|based on|per|via) (?P<all>{one}){end}"),
        lazily(
            rf"^[\s>*_•-]*(?:as )?(?P<all>(?:(?:the |my |your )?(?:item|entry|note|memory|record) )?{one})"
            r"(?= (?:says|shows|states|notes|records|tells|confirms)(?![a-z]))"
        ),
        lazily(rf"^[\s>*_・•-]*(?P<all>{one}(?:によれば|によると|では|には))、?"),
    )
