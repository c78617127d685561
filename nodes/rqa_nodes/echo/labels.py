"""What does a label say of the words behind it: that they are the cause, or that they are still to be looked at?

"Cause: inlet valve" states what "the cause is the inlet valve" does, in a heading, in bold print, in a cell of a table,
or in Japanese with nothing but a noun at the end. "Check: inlet valve" states nothing. The labels are data (`labels` in
the lexicon of each language).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, Literal

from rqa_nodes.echo.claim import any_of
from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import LANGUAGES, load

__all__ = ["Label", "cause_words", "label_before", "topic_end"]

Label = Literal["cause", "open", ""]

_NEAR_CHARS: Final = 60
"""No label with its marks is longer."""


def label_before(text: str) -> Label:
    """The label that a folded text ends with; "" for none.

    Args:
        text: What stands before a clause, with the colon, the dash or the bar between them.
    """
    near = text[-_NEAR_CHARS:]
    if _labels("cause").search(near):
        return "cause"
    return "open" if _labels("open").search(near) else ""


def topic_end(clause: str) -> int:
    """Where a folded clause goes on behind 原因は, 原因是 or "blame"; 0 if it does not begin so."""
    match = _topic().match(clause)
    return match.end() if match else 0


@cache
def cause_words() -> frozenset[str]:
    """Words that call something a cause, and do not say what it is; English ones as `content_words` gives them."""
    words = [word for lang in LANGUAGES for word in load(lang)["labels"]["blame"]]
    return content_words(" ".join(filter(str.isascii, words))).union(words)


@cache
def _labels(kind: str) -> re.Pattern[str]:
    words = {lang: any_of(load(lang)["labels"][kind]) for lang in LANGUAGES}
    latin = (
        rf"(?:(?:the|main|actual|real|direct|true|final|underlying|first|next) )*(?:{words['en']})"
        r"(?: (?:found|identified|known)| of (?:the|this|that|your|all) [a-z]+(?: [a-z]+)?)?(?: ?\d{1,2}| [a-d])?"
    )
    other = rf"(?:主な|直接の|根本の|本当の|真の)?(?:{words['ja']}|{words['zh']})(?:[はも]|是|就是)?"
    return lazily(rf"(?:^|[\n|:;.。!()\[\]、,])[^\w\n]*(?:{latin}|{other})[^\w?]*$")


@cache
def _topic() -> re.Pattern[str]:
    words = {lang: any_of(load(lang)["labels"]["cause"]) for lang in LANGUAGES}
    return lazily(
        rf"\W*(?:(?:主な|直接の|根本の|本当の|真の)?(?:{words['ja']})は、?|(?:{words['zh']})(?:就?是|出?在于?|为)(?![不否])|"
        r"blame (?:it on )?(?:the )?)"
    )
