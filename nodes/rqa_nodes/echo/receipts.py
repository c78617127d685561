"""Does a sentence say that something was stored or deleted, and was it?

A receipt is true only if an item of the user was written or planned this turn (for "deleted": if an item was hidden or
erased). The assistant's own items never count. Beside a reference to an item of the user's that says the same, words of
the past tell of what was kept before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from rqa_nodes.echo.content import content_words
from rqa_nodes.echo.draft import Finding
from rqa_nodes.echo.elsewhere import is_quoted
from rqa_nodes.echo.emphasis import Marked
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.grammar import find_rules
from rqa_nodes.echo.lazily import lazily
from rqa_nodes.echo.lexicon import load
from rqa_nodes.echo.receipts_cjk import OTHER_THINGS, Deed, is_other_deed, receipt_forms
from rqa_nodes.echo.sentence import Sentence
from rqa_nodes.echo.types import VerdictKind

__all__ = ["Receipt", "check_receipt", "find_receipt"]


class Receipt(NamedTuple):
    """The words that say so, in the folded sentence."""

    start: int
    end: int
    deed: Deed
    alone: bool = False
    """They are all of it: what follows them stays."""


_EVENTS: Final = ("hide:", "erase:", "forget:", "delete:")
"""How a caller names the events of this turn among the written ids."""

_FILES: Final = lazily(
    r"(?<![a-z])(?:(?:the|an?|your|this|each|both|new|text|word) (?:[a-z]+ )?file|document|draft|image|output|"
    r"spreadsheet|script|branch|folder|change(?! of)|setting|"
    r"game|money|(?<!next )time|pdf)s?(?![a-z])"
)
_NOT_SAID: Final = lazily(
    r"(?:(?<![a-z])(?:if|whether|unless|should|when|before|after|once|while|until|did|could|can|would|let|not)|"
    r"n['’]t) ?$"
)

_END: Final = {
    "en": lazily(r"[;.!?]|,? (?:so|but|and)\b|$"),
    "ja": lazily(r"[。！!?？)]|$"),
    "zh": lazily(r"[。！!?？]|$"),
}


_ASKED: Final = lazily(r"[?？][\s)\]\"”」』）]*$|か。?\s*$|吗。?\s*$")


_JOINED: Final = lazily(r"(?P<marks>[*_]*)[\])]?\s*[,:;–—、\])-](?P<inside>[*_]*)\s*(?=\w)")
"""Between a receipt of one word and the rest of the sentence."""


def find_receipt(sentence: Sentence) -> Receipt | None:
    """The first receipt of a sentence."""
    if "receipt" not in sentence.signals or _ASKED.search(sentence.plain):
        return None
    found = list(_english(sentence.plain) if sentence.lang == "en" else _others(sentence))
    first = min(found, key=lambda receipt: receipt.start, default=None)
    return first._replace(alone=first.alone and len(found) == 1) if first else None


def _english(text: str) -> Iterator[Receipt]:
    marked = Marked.of(text)
    if marked is None:
        yield from _bare_english(text)
        return
    for receipt in _bare_english(marked.bare):
        start, end = marked.place(receipt.start, receipt.end)
        yield receipt._replace(start=start, end=end)


def _bare_english(text: str) -> Iterator[Receipt]:
    for found in find_rules("en_receipts", text):
        near = text[found.start : found.end + _NEAR_CHARS]
        if _NOT_SAID.search(text, max(0, found.start - 12), found.start) or _FILES.search(near):
            continue
        if not is_quoted(text, found.start, found.start + 1):
            start, end = found.inner or (found.start, found.end)
            yield Receipt(start, end, found.rule["deed"], alone=found.inner is not None)


def _others(sentence: Sentence) -> Iterator[Receipt]:
    files = OTHER_THINGS[sentence.lang]
    text = sentence.plain
    for pattern, deed, alone in receipt_forms(sentence.lang, text):
        match = pattern.search(text)
        if match is None or _NOT_SAID.search(text, max(0, match.start() - 12), match.start()):
            continue
        if sentence.lang == "ja" and is_other_deed(text, *match.span()):
            continue
        near = text[max(0, match.start() - _NEAR_CHARS) : match.start()]
        if not files.search(near) and not is_quoted(text, match.end() - 1, match.end()):
            yield Receipt(match.start(), match.end(), deed, alone)


_NEAR_CHARS: Final = 20
"""How far away a word may stand that makes it a file, an image or a script: before it, in English behind it."""


def _is_true(receipt: Receipt, written: frozenset[str]) -> bool:
    if "*" in written:
        return True
    deleted = any(mark.startswith(_EVENTS) for mark in written)
    return deleted if receipt.deed == "delete" else any(not mark.startswith(_EVENTS) for mark in written)


_PAST: Final = {
    "en": lazily(r"^\W*(?:i(?:['’]ve| have|['’]d| had) (?:already |also |previously |earlier )*|(?:duly )?noted)"),
    "ja": lazily(r"(?:て(?:い|おり)(?:ます|ました)|ました|済み?)(?:ね|よ|が)*$"),
    "zh": lazily(r"(?:已|过|了)"),
}
_THIS_TURN: Final = lazily(
    r"(?<![a-z])(?:now|just|new|today|hereby|updat[a-z]+|from now on)(?![a-z])|今|新し|たった|更新|変更|刚|现在"
)
_SAME: Final = 0.8
"""Share of a statement's content words that an item must hold to be what the statement tells of."""


def _tells_of_kept(sentence: Sentence, receipt: Receipt) -> bool:
    """Is it no receipt of this turn, but what an item of the user's says, and that it is on record?"""
    words = sentence.plain[receipt.start : receipt.end]
    if receipt.deed != "save" or not _PAST[sentence.lang].search(words) or _THIS_TURN.search(sentence.plain):
        return False
    said = content_words(sentence.plain[: receipt.start]) | content_words(sentence.plain[receipt.end :])
    items = [content_words(fold(item.text).text) for item in sentence.cited if item.source == "user"]
    return bool(said) and any(len(said & held) >= _SAME * len(said) for held in items)


def _beginning(sentence: Sentence, receipt: Receipt) -> int:
    """Where the statement begins in the original: its bracket, or the sentence without its bullet."""
    opened = sentence.plain.rfind("(", 0, receipt.start) + 1
    if opened and ")" not in sentence.plain[opened : receipt.start]:
        return sentence.folded.span(opened, receipt.start)[0]
    return len(sentence.text) - len(sentence.text.lstrip(" \t\n>*_・-"))


def check_receipt(sentence: Sentence, receipt: Receipt, written: frozenset[str]) -> Finding | None:
    """The failing form of a receipt that is not true."""
    if _is_true(receipt, written) or _tells_of_kept(sentence, receipt):
        return None
    saves = receipt.deed == "save"
    place = sentence.folded.span(receipt.start, receipt.end)
    cut, words = _failing(sentence, receipt, load(sentence.lang)["wording"]["not_saved" if saves else "not_deleted"])
    return Finding(
        kind=VerdictKind.false_receipt,
        start=place[0],
        end=place[1],
        reason="nothing of the user's was written this turn" if saves else "nothing was hidden or erased this turn",
        action="rewritten",
        replacement=words,
        cut=cut,
    )


def _failing(sentence: Sentence, receipt: Receipt, failing: str) -> tuple[tuple[int, int], str]:
    """What is cut, and what stands there instead."""
    text = sentence.text
    start = sentence.folded.span(receipt.start, receipt.end)[0]
    if sentence.lang != "en" or not re.search(r"\w", text[:start]):
        start = _beginning(sentence, receipt)
    joined = _JOINED.match(sentence.plain, receipt.end) if receipt.alone else None
    if joined is not None:
        if text[:start].endswith(joined["marks"] or joined["inside"]):
            start -= len(joined["marks"] or joined["inside"])
        last = sentence.folded.span(receipt.start, joined.end())[1]
        if ":" in joined[0]:
            return (start, last), failing.rstrip(".。") + (": " if sentence.lang == "en" else "：")
        return (start, last + 1), failing + (" " if sentence.lang == "en" else "") + text[last : last + 1].upper()
    close = sentence.plain.find("]", receipt.end) if sentence.folded.text.lstrip().startswith("[") else -1
    if close >= 0 and sentence.plain.find("]", 0, receipt.start) < 0:  # a note in brackets, and words behind it
        return (start, sentence.folded.span(receipt.start, close + 1)[1]), failing
    end = _END[sentence.lang].search(sentence.plain, receipt.end)
    last = sentence.folded.span(receipt.start, end.start() if end else receipt.end)[1]
    rest = text[last:].lstrip("。！!.")
    if rest.strip() and text[last : last + 1] not in (".", "。", "!", "！", ""):
        return (start, last), failing.rstrip(".。")
    return (start, len(text) - len(rest)), failing
