"""Which English words lead back to an earlier talk of the two of us, whatever the sentence does with them?

The rules are data (`lexicon/en_talk.yaml`): kinds of words, forms made of them, and one row for each kind of wording,
matched in linear time. A condition, a denial, a plan and a question that only asks claim nothing. Where the words stand
decides what goes with them (`claims_en_place`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

import re2

from rqa_nodes.echo.claim import Claim, Speaker, any_of
from rqa_nodes.echo.claims_en_place import place_of
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.lexicon import load

__all__ = ["talk_claims"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """One kind of wording."""

    id: str
    speaker: Speaker
    at: Literal["place", "words", "c"]
    clause: bool
    asks: bool
    pattern: str
    unless: str


_NAME: Final = re.compile(r"\{([a-z_]+)\}")


@cache
def _grammar() -> tuple[Any, tuple[_Rule, ...]]:
    """All patterns at once, which says what rules to try, and the rules in the order of their numbers there."""
    words = load("en_talk")
    parts = {name: f"(?:{any_of(kind)})" for name, kind in words["kinds"].items()}
    parts |= {"settled": f"(?:{any_of(load('en')['establishing'])})", "spoken": f"(?:{any_of(load('en')['saying'])})"}
    for name, form in words["forms"].items():
        parts[name] = f"(?:{_spelled(form, parts)})"
    gate, rules = re2.Set.SearchSet(_roomy()), []
    for row in words["rules"]:
        unless = _spelled(row.get("unless", ""), parts)
        rules.append(
            _Rule(
                **{"clause": False, "asks": False, **row, "pattern": _spelled(row["pattern"], parts), "unless": unless}
            )
        )
        gate.Add(rules[-1].pattern)
    gate.Compile()
    return gate, tuple(rules)


_MAX_BYTES: Final = 256 << 20
"""A bound, not what is taken: some 30 MB after a day of replies."""


def _spelled(pattern: str, parts: dict[str, str]) -> str:
    """A pattern with its kinds and forms written out."""
    return _NAME.sub(lambda match: parts[match[1]], pattern.replace("\n", ""))


@cache
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern, _roomy())


def _roomy() -> Any:
    options = re2.Options()
    options.max_mem = _MAX_BYTES
    return options


_WORDS: Final = re.compile(r"[a-z]+")
_PARTIES: Final = frozenset(
    {"we", "you", "our", "us", "your", "yours", "my", "me", "i", "u", "ya", "ur", "ours", "memory"}
)
_AHEAD_CHARS: Final = 24
"""How far behind the words a rule looks for what makes them something else."""

_DENIED: Final = re.compile(
    r"(?<![a-z])(?:no|not|never|cannot|without|nothing|none|neither|nor|hardly|unable|lack|lacks|if|unless|whether|"
    r"suppose|"
    r"imagine|assume|could|should|would|might|may|can|let us|let['’]s|will|shall|please|want to|like to|happy to|free "
    r"to|"
    r"able to|next|when you have|once you have|until|in case|example|pretend|any)(?![a-z])|n['’]t(?![a-z])|"
    r"['’]ll(?![a-z])"
)
"""What, standing before the words in their clause, makes them a denial, a condition, an offer or a plan."""

_WHOSE: Final = re.compile(
    r"(?<![a-z])(?:(?:song|poem|letter|minutes|text|note|sign|book|play|film|article|script|story|email|contract|"
    r"advert|"
    r"label|he|she|they|who|doctor|boss|teacher) (?:says?|said|reads?|states?|goes|claims?|tells?|wrote|writes|asks?|"
    r"asked)(?: that)?|write|say|said|reply|answer|type|dictate|quote)\W*$"
)
"""Somebody else's words follow."""

_OPENS: Final = re.compile(
    r"(?<![a-z])(?:and|but|so|because|since|yet|then|also|though|although|while|remember|recall|know|think|yes|no|"
    r"well|ok|"
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
    gate, rules = _grammar()
    asks = text.rstrip(' \n"”)*_').endswith("?")
    for number in sorted(gate.Match(text) or ()):
        rule = rules[number]
        if asks and rule.clause:
            continue
        for match in _compiled(rule.pattern).finditer(text):
            headed = bool(match.re.groups)
            start, end = match.span(1) if headed and not rule.clause else match.span()
            if _is_claim(text, rule, start, end, conditional):
                yield _claim(text, rule, start, end, told=match.end(1) if headed else end)


def _is_claim(text: str, rule: _Rule, start: int, end: int, conditional: re.Pattern[str]) -> bool:
    if rule.unless and _compiled(rule.unless).match(text[start : end + _AHEAD_CHARS]):
        return False
    if is_quoted(text, start, end) or (not rule.asks and _is_open(text, start)):
        return False
    if not rule.clause:
        return True
    return not conditional.search(text[max(0, start - 40) : start].rstrip(" ,")) and not _is_part(text, start)


def _is_open(text: str, at: int) -> bool:
    """Is what stands here denied, planned, a condition, or somebody else's?"""
    begin = max(text.rfind(mark, 0, at) for mark in ",;:.") + 1
    return bool(_DENIED.search(text[max(begin, at - 60) : at]) or _WHOSE.search(text[max(0, at - 40) : at]))


def _is_part(text: str, at: int) -> bool:
    """Is it a relative clause ("the letter you sent"), or the object of another verb?"""
    before = text[max(0, at - 30) : at]
    if not before[-1:].isspace():
        return before[-1:].isalnum()
    return before.rstrip()[-1:].isalnum() and not _OPENS.search(before)


def _claim(text: str, rule: _Rule, start: int, end: int, *, told: int) -> Claim:
    saying = rule.speaker in ("you", "i")
    place = place_of(text, start, end) if rule.at != "c" else None
    if rule.at == "c":
        start -= text[start - 1 : start] == " "  # the cut takes it
    if place is None or (rule.at == "words" and not place.adverbial):
        return Claim(start, end, (start, end), (0, 0), rule.speaker, saying, True, True)
    inner = (min(told, place.end), place.end)
    if place.adverbial:
        return Claim(place.start, place.end, (place.start, place.end), inner, rule.speaker, saying, True, True)
    stop = text.find(":", end, place.end) if not rule.clause else -1
    last = stop if stop >= 0 else place.end
    return Claim(start, end, (place.start, last), (min(told, last), last), rule.speaker, saying, False, True)
