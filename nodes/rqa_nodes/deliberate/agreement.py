"""Do several answers say the same, claim by claim, and where do they contradict each other?

Compared are claims, never whole texts: two engines that word it differently agree. Engines of one family are one
voice, because they repeat each other's mistakes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rqa_nodes.deliberate.claims import COVER, Guard, same_claim
from rqa_nodes.structure.text import content_terms, coverage

__all__ = ["agreement", "claim_f1", "contradictions"]

_WHOLE: Final = 1000
_DOUBTS: Final = frozenset({"content", "follow_up", "language", "case"})
"""Facets that say that the guard is not sure, not that two statements are at odds."""


def claim_f1(one: Sequence[str], other: Sequence[str], guard: Guard, lang: str) -> int:
    """How far two lists of claims say the same, in thousandths, rounded down: 2 * matched / (all of both).

    The F1 of one list against the other; 0 where either is empty, unless both are: nothing said twice is the same.
    """
    if not one and not other:
        return _WHOLE
    matched = _matched(one, other, guard, lang) + _matched(other, one, guard, lang)
    return matched * _WHOLE // (len(one) + len(other))


def _matched(one: Sequence[str], other: Sequence[str], guard: Guard, lang: str) -> int:
    return sum(any(same_claim(claim, said, guard, lang) for said in other) for claim in one)


def agreement(chosen: Sequence[str], others: Sequence[Sequence[str]], guard: Guard, lang: str) -> int:
    """The mean of `claim_f1` with the answers of other families, in thousandths, rounded down; 0 without any."""
    if not others:
        return 0
    return sum(claim_f1(chosen, other, guard, lang) for other in others) // len(others)


def contradictions(claims: Sequence[str], others: Sequence[str], guard: Guard, lang: str) -> int:
    """How many other statements are about the same as a claim and say something else: another number, a negation."""
    return sum(any(_at_odds(claim, other, guard, lang) for claim in claims) for other in others)


def _at_odds(one: str, other: str, guard: Guard, lang: str) -> bool:
    mine, theirs = content_terms(one), content_terms(other)
    if min(coverage(mine, theirs), coverage(theirs, mine)) < COVER:
        return False
    return bool(set(guard(one, other, lang)) - _DOUBTS)
