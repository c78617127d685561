"""Which English words lead back to an earlier talk of the two of us, whatever the sentence does with them?

The rules are data (`lexicon/en_talk.yaml`): kinds of words, forms made of them, and one row for each kind of wording,
matched in linear time. A condition, a denial, a plan and a question that only asks claim nothing. Where the words stand
decides what goes with them (`claims_en_place`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rqa_nodes.echo.claim import Claim, Speaker
from rqa_nodes.echo.claims_en_place import place_of
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.grammar import Found, find_rules
from rqa_nodes.echo.lazily import lazily

__all__ = ["talk_claims"]


_WORDS: Final = lazily(r"[a-z]+")
_PARTIES: Final = frozenset(
    {"we", "you", "our", "us", "your", "yours", "my", "me", "i", "u", "ya", "ur", "ours", "memory"}
)
_DENIED: Final = lazily(
    r"(?<![a-z])(?:no|not|never|cannot|without|nothing|none|neither|nor|hardly|unable|lack|lacks|if|unless|whether|"
    r"suppose|"
    r"imagine|assume|could|should|would|might|may|can|let us|let['’]s|will|shall|please|want to|like to|happy to|free "
    r"to|"
    r"able to|next|when you have|once you have|until|in case|example|pretend|any)(?![a-z])|n['’]t(?![a-z])|"
    r"['’]ll(?![a-z])"
)
"""What, standing before the words in their clause, makes them a denial, a condition, an offer or a plan."""

_NOT_FORGOTTEN: Final = lazily(r"(?:do not|don['’]t|never|not) forget(?: that)? $")
"""Denies that it is forgotten, and nothing else."""

_WHOSE: Final = lazily(
    r"(?<![a-z])(?:(?:song|poem|letter|minutes|text|note|sign|book|play|film|article|script|story|email|contract|"
    r"advert|"
    r"label|he|she|they|who|doctor|boss|teacher) (?:says?|said|reads?|states?|goes|claims?|tells?|wrote|writes|asks?|"
    r"asked)(?: that)?|write|say|said|reply|answer|type|dictate|quote)\W*$"
)
"""Somebody else's words follow."""

_OPENS: Final = lazily(
    r"(?<![a-z])(?:and|but|so|because|since|yet|then|also|though|although|while|remember|recall|know|think|yes|no|"
    r"well|ok|"
    r"haha|hehe|lol|ha|aha|omg|hmm|yo|dude|man|mate|listen|look|yep|yup|nah|nope|hi|hello|good that|great that|"
    r"okay|now|ah|oh|hey|again|still|once|earlier|previously|already|today|true|right|sure|honestly|indeed|too|note|"
    r"(?:know|remember|recall|true|fact|clear|see|think|note|sure|forget|forgotten|glad|given|noted) that|"
    r"last|week|month|year|spring|summer|autumn|winter|yesterday|back|ago|time|talk|chat|session|conversation)\s+$"
)
"""What may stand before a clause of its own."""


def talk_claims(text: str, *, conditional: re.Pattern[str]) -> Iterator[Claim]:
    """The claims that lead back to an earlier talk, in a folded English sentence.

    Args:
        text: The sentence.
        conditional: What, standing directly before a clause, makes it a condition or a question.
    """
    if _PARTIES.isdisjoint(_WORDS.findall(text)):
        return
    asks = text.rstrip(' \n"”)*_').endswith("?")
    for found in find_rules("en_talk", text):
        clause = "clause" in found.rule
        if asks and clause:
            continue
        start, end = found.inner if found.inner and not clause else (found.start, found.end)
        if _is_claim(text, found, start, end, conditional):
            yield _claim(text, found, start, end)._replace(event="event" in found.rule)


def _is_claim(text: str, found: Found, start: int, end: int, conditional: re.Pattern[str]) -> bool:
    if is_quoted(text, start, end) or ("asks" not in found.rule and _is_open(text, start)):
        return False
    if "clause" not in found.rule:
        return True
    return not conditional.search(text[max(0, start - 40) : start].rstrip(" ,")) and not _is_part(text, start)


def _is_open(text: str, at: int) -> bool:
    """Is what stands here denied, planned, a condition, or somebody else's?"""
    if _NOT_FORGOTTEN.search(text[max(0, at - 40) : at]):
        return False
    begin = max(text.rfind(mark, 0, at) for mark in ",;:.") + 1
    return bool(_DENIED.search(text[max(begin, at - 60) : at]) or _WHOSE.search(text[max(0, at - 40) : at]))


def _is_part(text: str, at: int) -> bool:
    """Is it a relative clause ("the letter you sent"), or the object of another verb?"""
    before = text[max(0, at - 30) : at]
    if not before[-1:].isspace():
        return before[-1:].isalnum()
    return before.rstrip()[-1:].isalnum() and not _OPENS.search(before)


def _claim(text: str, found: Found, start: int, end: int) -> Claim:
    speaker: Speaker = found.rule["speaker"]
    saying, at = speaker in ("you", "i"), found.rule["at"]
    told = _content_start(text, found.inner[1] if found.inner else end, end)
    place = place_of(text, start, end) if at != "c" else None
    if at == "c":
        start -= text[start - 1 : start] == " "  # the cut takes it
    if place is None or (at == "words" and not place.adverbial):
        return Claim(start, end, (start, end), (0, 0), speaker, saying, True, True)
    inner = (min(told, place.end), place.end)
    if place.adverbial:
        return Claim(place.start, place.end, (place.start, place.end), inner, speaker, saying, True, True)
    stop = text.find(":", end, place.end) if "clause" not in found.rule else -1
    last = stop if stop >= 0 else place.end
    return Claim(start, end, (place.start, last), (min(told, last), last), speaker, saying, False, True)


_THAT: Final = lazily(r" that(?![a-z])")


def _content_start(text: str, told: int, end: int) -> int:
    """Where begins what was said: behind "that", if it stands inside the words or right behind them."""
    inside = text.rfind(" that ", told, end)
    that = _THAT.match(text, end) or (_THAT.match(text, inside) if inside >= 0 else None) or _THAT.match(text, told)
    return that.end() if that else told
