"""What does a short text want: a fact, a view, something about its own author, a task, or nothing but to be heard?

The engine has no knowledge of the world; telling these apart is what keeps it from forcing depth on a simple question
and from answering a question that it cannot answer. Rules over the text alone, first match wins.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from rqa_nodes.structure.lexicon import sign
from rqa_nodes.structure.text import fold

__all__ = ["Intent", "classify", "is_personal", "is_question", "is_request", "statement", "subject"]


class Intent(StrEnum):
    """What a text wants."""

    about_user = "about_user"
    """What is known about me, what have we talked about."""
    fact = "fact"
    """Something that has one short answer."""
    concept = "concept"
    """A question of judgement, meaning or way."""
    request = "request"
    """A task: write, translate, summarise."""
    statement = "statement"
    """No question."""
    empty = "empty"


_LEAD: Final = re.compile(
    r"^(?:(?:please|ok|okay|so|and|but|well|hi|hello|hey|remind me|tell me|do you (?:know|remember)|"
    r"(?:can|could) you tell me|i wonder)[,: ]+)+",
    re.IGNORECASE,
)
_SUBJECT: Final = re.compile(
    r"^(?:what(?:'s| is| are| was| were)|who(?:'s| is| are| was| were)?|"
    r"(?:when|where)(?:'s| is| are| was| were| does| do| did| will)?|which|how (?:many|much|long|often|old|far|big)|"
    r"do you know|is|are|does|do|did|can|should)\s+",
    re.IGNORECASE,
)
_KEEP: Final = re.compile(
    r"^(?:please |ok,? |so,? )*(?:(?:can|could) you )?"
    r"(?:remember|note|keep in mind|don't forget|do not forget)(?: that|:|,)?\s+",
    re.IGNORECASE,
)
_KEEP_JA: Final = re.compile(
    r"(?:という)?(?:こと)?を?(?:覚え|おぼえ|記憶し|記録し|メモし)て(?:おいて|い)?(?:ください|下さい|ね|くれ|ほしい)?[。!！]?$"
)
_TAIL_JA: Final = re.compile(
    r"(?:を|は|が|って|とは)?(?:何|なに|誰|だれ|いつ|どこ|どれ|どちら|いくつ|いくら)?"
    r"(?:でしたっけ|だっけ|でしょうか|だろうか|ですか|ますか|でしたか|なの(?:か|ですか)?|か|の|"
    r"教えて(?:ください|下さい|ほしい)?|知りたい(?:です)?)?$"
)


def is_question(sentence: str) -> bool:
    """True for a sentence that asks, by its mark, its opening or its closing particle."""
    return _asks(fold(sentence))


def _asks(folded: str) -> bool:
    return bool(sign("question").search(folded)) and not sign("stated").search(folded)


def is_request(sentence: str) -> bool:
    """True for a sentence that hands over a task, not a content."""
    folded = fold(sentence)
    return bool(sign("request").search(folded) or sign("look_at").search(folded))


def classify(text: str) -> Intent:
    """What a text wants; only its first and last 500 characters count."""
    folded = fold(text[:500])
    closing = fold(text[-500:])
    if not any(char.isalnum() for char in folded):
        return Intent.empty
    if sign("about_user").search(folded):
        return Intent.about_user
    if sign("request").search(folded):
        return Intent.request
    if not (_asks(closing) or _asks(folded)):
        return Intent.statement
    if sign("concept").search(folded):
        return Intent.concept
    return Intent.fact if sign("fact").search(folded) else Intent.concept


def is_personal(text: str) -> bool:
    """True for a text that speaks of its own author."""
    return bool(sign("personal").search(fold(text[:500])))


def statement(text: str) -> str:
    """What somebody wants kept in mind, without the words that ask for it."""
    return _KEEP_JA.sub("", _KEEP.sub("", text.strip(), count=1), count=1) or text


def subject(question: str) -> str:
    """What a question is about, in its own words: the question without its asking words, or the whole of it."""
    text = _LEAD.sub("", question.strip().rstrip("?？。.!！ "))
    rest = _SUBJECT.sub("", text)
    if not rest.isascii():
        rest = _TAIL_JA.sub("", rest) or rest
    return rest.strip(" 、,") or text
