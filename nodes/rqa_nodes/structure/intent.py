"""What does a short text want: a fact, a view, something about its own author, a task, or nothing but to be heard?

The engine has no knowledge of the world; telling these apart is what keeps it from forcing depth on a simple question
and from answering a question that it cannot answer. Rules over the text alone, first match wins.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from rqa_checkpoints.provenance import is_question as asks
from rqa_nodes.structure.lexicon import sign
from rqa_nodes.structure.segment import sentences
from rqa_nodes.structure.text import clean, fold

__all__ = ["Intent", "classify", "is_personal", "is_question", "is_request", "statement"]


class Intent(StrEnum):
    """What a text wants."""

    about_user = "about_user"
    """What is known about me, what have we talked about."""
    survey = "survey"
    """All that is known about something."""
    own = "own"
    """What the engine itself said before."""
    record = "record"
    """Whether something was said or agreed, or what was."""
    thanks = "thanks"
    fact = "fact"
    """Something that has one short answer."""
    concept = "concept"
    """A question of judgement, meaning or way."""
    request = "request"
    """A task: write, translate, summarise."""
    statement = "statement"
    """No question."""
    empty = "empty"


_KEEP: Final = re.compile(
    r"^(?:please |ok,? |so,? )*(?:(?:can|could) you )?"
    r"(?:remember|note|keep in mind|don't forget|do not forget)(?: that|:|,)?\s+",
    re.IGNORECASE,
)
_KEEP_JA: Final = re.compile(
    r"(?:という)?(?:こと)?を?(?:覚え|おぼえ|記憶し|記録し|メモし)て(?:おいて|い)?(?:ください|下さい|ね|くれ|ほしい)?[。!！]?$"
)


def is_question(sentence: str) -> bool:
    """True for a sentence that asks, by its mark, its opening or its closing particle, or by asking to be told."""
    return asks(sentence) or bool(sign("question").search(fold(sentence)))


def is_request(sentence: str) -> bool:
    """True for a sentence that hands over a task, not a content."""
    folded = fold(sentence)
    return bool(sign("request").search(folded) or sign("look_at").search(folded))


_BY_SIGN: Final = (
    ("thanks", Intent.thanks),
    ("about_user", Intent.about_user),
    ("own", Intent.own),
    ("survey", Intent.survey),
    ("record", Intent.record),
    ("request", Intent.request),
)
"""First match wins."""


def classify(text: str) -> Intent:
    """What a text wants; only its first and last 500 characters count."""
    folded, closing = fold(clean(text[:500])), fold(clean(text[-500:]))
    if not any(char.isalnum() for char in folded):
        return Intent.empty
    for name, intent in _BY_SIGN:
        if sign(name).search(folded):
            return intent
    opening = next(iter(sentences(folded)), "")
    if not any(map(is_question, (closing, folded, opening))):
        return Intent.statement
    if sign("lookup").search(folded):
        return Intent.fact
    if sign("concept").search(folded):
        return Intent.concept
    return Intent.fact if sign("fact").search(folded) else Intent.concept


def is_personal(text: str) -> bool:
    """True for a text that speaks of its own author."""
    return bool(sign("personal").search(fold(text[:500])))


def statement(text: str) -> str:
    """What somebody wants kept in mind, without the words that ask for it."""
    return _KEEP_JA.sub("", _KEEP.sub("", text.strip(), count=1), count=1) or text
