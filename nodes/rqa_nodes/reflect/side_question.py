"""May the assistant ask something of its own accord?

At most one question a turn, only if a judge found it deep, sharp and answerable, never on a topic that the user has
answered, and never after "stop asking" until the user lifts that. Silence is the normal outcome. The pages of users
who were asked the same thing 23 times in one turn are the reason for the closed topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rqa_nodes.reflect.budgets import Thresholds
from rqa_nodes.structure.text import content_terms, coverage

__all__ = ["Ruling", "is_closed", "may_surface", "spend", "topic_key"]

_SAME_TOPIC: Final = 0.6
"""Share of the smaller topic's terms found in the other, from which two topics are one."""
_KEY_TERMS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """May the question surface, and if not, why not?"""

    surfaces: bool
    reason: str
    """"earned", or the first that failed: none, degraded, already_asked, stop_asking, topic_closed, score, depth,
    sharpness, actionability."""


def may_surface(
    best: Mapping[str, Any] | None,
    *,
    thresholds: Thresholds,
    budget: int | None = None,
    closed_topics: Sequence[str] = (),
    asked: int = 0,
) -> Ruling:
    """Rule on the best question of a side reflection.

    Args:
        best: `choice.Choice`; None or empty if there is none.
        thresholds: What its scores must reach.
        budget: Side questions left in the thread; None is unlimited.
        closed_topics: Keys of topics that the user has answered.
        asked: Side questions already asked this turn.
    """
    if not best or not best["question"]:
        return Ruling(surfaces=False, reason="none")
    if best["degraded"] or best["score"] is None:
        return Ruling(surfaces=False, reason="degraded")
    scores: Mapping[str, int] = best["scores"]
    failures = (
        ("already_asked", asked > 0),
        ("stop_asking", budget is not None and budget <= 0),
        ("topic_closed", is_closed(f"{best['question']}\n{best['target_text']}", closed_topics)),
        ("score", best["score"] < thresholds.total),
        ("depth", scores["depth"] < thresholds.depth),
        ("sharpness", scores["sharpness"] < thresholds.sharpness),
        ("actionability", scores["actionability"] < thresholds.actionability),
    )
    reason = next((reason for reason, failed in failures if failed), "earned")
    return Ruling(surfaces=reason == "earned", reason=reason)


def topic_key(text: str) -> str:
    """What a question is about, as a line of terms: kept in the thread, compared by `is_closed`."""
    terms = sorted(content_terms(text), key=lambda term: (-len(term), term))
    return " ".join(sorted(terms[:_KEY_TERMS]))


def is_closed(text: str, closed_topics: Sequence[str]) -> bool:
    """Is the text about a topic that the user has answered?"""
    own = content_terms(text)
    return bool(own) and any(_same(own, frozenset(key.split())) for key in closed_topics)


def _same(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller, larger = sorted((one, other), key=len)
    return coverage(smaller, larger) >= _SAME_TOPIC


def spend(budget: int | None) -> int | None:
    """The budget after one side question was asked; never below zero."""
    return None if budget is None else max(0, budget - 1)
