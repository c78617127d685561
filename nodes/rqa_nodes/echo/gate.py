"""Could anything be found in a sentence that refers to nothing?

A rule on such a sentence starts from words, and every pattern that it starts with tells which words it needs. All of
them are looked for in one pass; a sentence that holds too few of them for any pattern is left alone. The words are
taken from the patterns themselves, so that a rule which is added to one of these modules is let through unasked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

from rqa_nodes.echo.claims_en import screens_of_claims as english_screens
from rqa_nodes.echo.claims_ja import screens_of_claims as japanese_screens
from rqa_nodes.echo.confirmed import screen_of_credits
from rqa_nodes.echo.emphasis import Marked
from rqa_nodes.echo.kin_en import screen_of_given
from rqa_nodes.echo.quotes_en import screen_of_quotes
from rqa_nodes.echo.screen import Gate, Screen
from rqa_nodes.echo.speakers_ja import screen_of_attributions

__all__ = ["lets_in"]


def _english() -> Iterator[tuple[Screen, frozenset[int]]]:
    yield from english_screens()
    for screen in (screen_of_given(), screen_of_quotes(), screen_of_credits()):
        yield screen, frozenset()


def _japanese() -> Iterator[tuple[Screen, frozenset[int]]]:
    yield from japanese_screens()
    for screen in (screen_of_attributions(), screen_of_credits()):
        yield screen, frozenset()


_SCREENS: Final = {"en": _english, "ja": _japanese}


_PAYS: Final = 24
"""To put a gate together takes as long as to read so many sentences; a program that reads fewer does without."""
_asked: Final = dict.fromkeys(_SCREENS, 0)


@cache
def _gate(lang: str) -> Gate:
    return Gate(_SCREENS[lang]())


def lets_in(lang: str, text: str) -> bool:
    """Could a rule find something in a folded sentence without a reference, a receipt or words of the assistant's?

    Args:
        lang: Language of the sentence.
        text: The sentence.
    """
    if lang not in _SCREENS:
        return True
    if _asked[lang] < _PAYS:
        _asked[lang] += 1
        return True
    return _gate(lang).lets_in(text) or (lang == "en" and Marked.of(text) is not None)
