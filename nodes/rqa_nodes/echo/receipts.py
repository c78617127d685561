"""Does a sentence say that something was stored or deleted, and was it?

A receipt is true only if an item of the user was written or planned this turn (for "deleted": if an item was hidden or
erased). The assistant's own items never count.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.receipts_cjk import CHINESE, FILES_JA, JAPANESE
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.types import VerdictKind

__all__ = ["Receipt", "check_receipt", "find_receipt"]


class Receipt(NamedTuple):
    """The words that say so, in the folded sentence."""

    start: int
    end: int
    deed: Literal["save", "delete"]


_EVENTS: Final = ("hide:", "erase:", "forget:", "delete:")
"""How a caller names the events of this turn among the written ids."""

_THING: Final = (
    r"(?:that|this|it|these|those|them|your\b[^,;.!?]{0,40}|everything|all (?:of )?(?:that|this|it)|the (?:note|"
    r"fact|preference|detail|information|memory|memories|record|entry|item|date)s?\b|down|for (?:you|later|"
    r"next time|future)|(?:to|in|into) (?:my|your|the|long-term)? ?(?:memory|memories|notes|records?|profile))"
)
_I: Final = (
    r"(?<![a-z])i(?:['’](?:ve|ll|m)| have| will| am| shall)?(?: (?:now|just|also|gladly|certainly|already|"
    r"always|successfully|going to|definitely|be|be sure to|make sure to|go ahead and))*"
)
_WILL: Final = (
    r"(?<![a-z])i(?:['’](?:ll|m going to)| will| shall| am going to|['’]ve| have)(?: (?:now|just|also|gladly|"
    r"certainly|always|definitely|be sure to|make sure to))*"
)
_SAVE: Final = (
    r"(?:saved|stored|recorded|logged|memori[sz]ed|remembered|noted|filed|save|store|record|log|memori[sz]e|"
    r"saving|storing|recording|remembering|added|add|note)"
)
_DELETE: Final = (
    r"(?:deleted|erased|forgotten|removed|wiped|cleared|delete|erase|forget|remove|wipe|clear|deleting|erasing|"
    r"forgetting|removing)"
)
_PRAISE: Final = (
    r"^[\s>*_-]*(?:(?:ok|okay|done|got it|sure|great|all set|certainly|understood|perfect|alright|yes)\b[\s,.!:—-]*)*"
)
_ENGLISH: Final = (
    (re.compile(rf"{_I} {_SAVE} {_THING}"), "save"),
    (re.compile(
        rf"{_WILL} (?:remember|not forget)(?! (?:to keep (?:it|this)|when|how|where|the time|"
        r"you|nothing|us|our))(?![a-z])"
    ), "save"),
    (re.compile(r"(?<![a-z])i won['’]t forget(?![a-z])"), "save"),
    (re.compile(
        rf"{_I} (?:keep|kept|keeping) {_THING} (?:in mind|in memory|on file|on record|for later|safe|noted|saved)"
    ), "save"),
    (re.compile(rf"{_I} (?:made|make|making|taken|take) a (?:mental )?note(?![a-z])(?: of)?"), "save"),
    (re.compile(rf"{_I} updated? (?:my|your|the) (?:memory|memories|records?|notes|profile)"), "save"),
    (re.compile(
        rf"{_PRAISE}(?:(?:i )?(?:have )?(?:noted and )?(?:saved|stored|remembered|recorded)(?: successfully)?|"
        rf"memory (?:saved|updated|stored|created))(?:[\s.!]*$|(?=[.!]*[*_]+\s))"
    ), "save"),
    (re.compile(
        rf"{_PRAISE}(?:saved|stored|recorded|remembered) (?:as|to|in|under|for) (?:a )?(?:my |your |"
        rf"long-term )?(?:memory|memories|node|records?|notes|later|next time)"
    ), "save"),
    (re.compile(
        r"(?<![a-z])(?:that|this|it|your [a-z ]{1,30}?) (?:is|has been|was|have been|are|will be)(?: (?:now|safely|"
        r"successfully|all))* (?:saved|stored|recorded|remembered|logged)(?: (?:to|in|into) (?:my |your |the |"
        r"long-term )?(?:memory|memories|records?|notes|profile))?[\s.!]*$"
    ), "save"),
    (re.compile(
        rf"{_I} (?:got |had )?(?:committed|commit|put|written|wrote|jotted|entered|taken|took|tucked|filed|"
        rf"placed|got|kept|"
        rf"keep|write|jot|enter|place|stored|stashed|locked) (?:{_THING} (?:down|stored|saved|recorded|noted)"
        rf"|(?:that |this |it |them )?(?:(?!that |which |to )[a-z]+ ){{0,4}}?(?:to|in|into|on) (?:my |your |"
        rf"long-term )+(?:memory|memories|mind|notes?|records?|"
        rf"profile|file)"
        rf"|(?:that |this |it |them )?(?:(?!that |which |to )[a-z]+ ){{0,4}}?(?:to|in|"
        rf"into) (?:long-term )?memory)(?![a-z])(?! (?:below|here|in (?:the|a) (?:list|"
        rf"table|code|box)))"
    ), "save"),
    (re.compile(
        rf"{_PRAISE}(?:consider (?:it|that|this)|(?:it|that|this)(?: is|['’]s)(?: all| now)*) (?:remembered|"
        rf"saved|stored|recorded|"
        rf"memori[sz]ed|noted(?: down)?|(?:on|in) (?:my |your |the )?(?:file|record|memory|notes|"
        rf"profile))(?: now)?[\s.!]*$"
    ), "save"),
    (re.compile(
        rf"{_I} (?:registered|memori[sz]ed|remembered|recorded|saved|stored|logged) that (?=you|your|it|the)"
    ), "save"),
    (re.compile(rf"{_I} {_DELETE} {_THING}"), "delete"),
    (re.compile(
        rf"{_I} {_DELETE} [^,;.!?\n]{{1,60}}? from (?:(?:my|your|the|long-term) )*(?:memory|memories|records?|notes|"
        rf"profile)"
        rf"(?![a-z])"
    ), "delete"),
    (re.compile(
        rf"{_PRAISE}(?:(?:that|this|the|your) (?:memory|note|record|entry))(?: (?:is|has been|was)|"
        rf"['’]s(?: been)?)"
        rf"(?: now| all)* (?:gone|deleted|erased|wiped|forgotten|removed)(?: now| from [a-z ]{{0,16}}(?:memory|"
        rf"records|notes))?[\s.!]*$"
    ), "delete"),
    (re.compile(
        r"(?<![a-z])i (?:won['’]t|will not|no longer) (?:remember|recall|know|have) (?:that|this|it|"
        r"any of (?:that|it))"
        r"(?: anymore| any more| from now on)(?![a-z])"
    ), "delete"),
    (re.compile(
        rf"{_PRAISE}(?:deleted|erased|forgotten|removed from (?:my )?memory)(?: successfully)?[\s.!]*$"
    ), "delete"),
    (re.compile(
        r"(?<![a-z])(?:that|this|it|your [a-z ]{1,30}?|the (?:memory|note|record|entry|item)) (?:is|has been|was|"
        r"have been|are)(?: (?:now|safely|successfully|all|permanently))* (?:deleted|erased|forgotten|"
        r"removed)(?: from (?:my |your |the )?(?:memory|memories|records?|notes))?[\s.!]*$"
    ), "delete"),
)  # fmt: skip
_FILES: Final = re.compile(
    r"(?<![a-z])(?:file|document|draft|image|output|spreadsheet|script|branch|folder|changes|settings|"
    r"game|money|(?<!next )time|pdf)s?(?![a-z])"
)
_NOT_SAID: Final = re.compile(
    r"(?:(?<![a-z])(?:if|whether|unless|should|when|until|did|could|can|would|let|not)|n['’]t) ?$"
)

_TABLES: Final = {
    "en": (_ENGLISH, _FILES),
    "ja": (JAPANESE, FILES_JA),
    "zh": (CHINESE, re.compile(r"文件|图片|文档")),
}
_END: Final = {
    "en": re.compile(r"[;.!?]|,? (?:so|but|and)\b|$"),
    "ja": re.compile(r"[。！!?？]|$"),
    "zh": re.compile(r"[。！!?？]|$"),
}


_ASKED: Final = re.compile(r"[?？][\s)\]\"”」』）]*$|か。?\s*$|吗。?\s*$")


def find_receipt(sentence: Sentence) -> Receipt | None:
    """The first receipt of a sentence."""
    if "receipt" not in sentence.signals or _ASKED.search(sentence.plain):
        return None
    patterns, files = _TABLES[sentence.lang]
    for pattern, deed in patterns:
        match = pattern.search(sentence.plain)
        if match is None or _NOT_SAID.search(sentence.plain, max(0, match.start() - 12), match.start()):
            continue
        near = (
            sentence.plain[max(0, match.start() - 20) : match.start()]
            if sentence.lang != "en"
            else sentence.plain[match.start() : match.end() + 20]
        )
        if not files.search(near) and not is_quoted(sentence.plain, match.start(), match.start() + 1):
            return Receipt(match.start(), match.end(), "save" if deed == "save" else "delete")
    return None


def _is_true(receipt: Receipt, written: frozenset[str]) -> bool:
    if "*" in written:
        return True
    deleted = any(mark.startswith(_EVENTS) for mark in written)
    return deleted if receipt.deed == "delete" else any(not mark.startswith(_EVENTS) for mark in written)


def check_receipt(sentence: Sentence, receipt: Receipt, written: frozenset[str]) -> Finding | None:
    """The failing form of a receipt that is not true."""
    if _is_true(receipt, written):
        return None
    wording = load(sentence.lang)["wording"]
    text = sentence.text
    end = _END[sentence.lang].search(sentence.plain, receipt.end)
    start, last = sentence.folded.span(receipt.start, end.start() if end else receipt.end)
    if sentence.lang != "en" or not re.search(r"\w", text[:start]):
        start = len(text) - len(text.lstrip(" \t\n>*_・-"))
    failing = wording["not_saved" if receipt.deed == "save" else "not_deleted"]
    rest = text[last:].lstrip("。！!.")
    if rest.strip() and text[last : last + 1] not in (".", "。", "!", "！", ""):
        failing = failing.rstrip(".。")
    else:
        last = len(text) - len(rest)
    return Finding(
        kind=VerdictKind.false_receipt,
        start=sentence.folded.span(receipt.start, receipt.end)[0],
        end=sentence.folded.span(receipt.start, receipt.end)[1],
        reason="nothing of the user's was written this turn"
        if receipt.deed == "save"
        else "nothing was hidden or erased this turn",
        action="rewritten",
        replacement=failing,
        cut=(start, last),
    )
