"""Where does a sentence begin and end, and is it a question?

Items are cut verbatim: each is a substring of the message. The cut is linear in the length of the message and lazy,
because a message may be megabytes long and only its first sentences become items. Rules stand in for a model here: a
model that extracts would be one more author whose words pass for the speaker's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from rqa_checkpoints.records import Kind

__all__ = [
    "MAX_ITEMS",
    "clean",
    "is_question",
    "iter_sentences",
    "kind_of",
    "only_asks",
    "settle_kind",
    "split_sentences",
]

MAX_ITEMS = 8
"""So many sentences of one message become items; the whole message stays in the turn's record."""

_LONGEST = 2000
"""Code points. What runs on for longer is no sentence (a table, a dump); it is cut at white space."""

_ENDS = frozenset("。！？｡…‼⁇⁈⁉")
_ASCII_ENDS = frozenset(".!?")
_CLOSERS = frozenset("\"'”’」』）】〉》)]")
_OPENERS = {"「": "」", "『": "』", "（": "）", "“": "”"}
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|etc|e\.g|i\.e|cf|no|fig|approx|inc|ltd|u\.s|a\.m|p\.m|[a-z])\.$",
    re.IGNORECASE,
)
_LIST_MARK = re.compile(r"\s*(?:[-*+•・]\s|\d{1,3}[.)]\s|#{1,6}\s|>\s?|\|)")

_QUESTION_EN = re.compile(
    r"(?:(?:so|and|but|ok|okay|well|hey|hi|hello|please)[, ]+)*"
    r"(?:(?:what|who|whom|whose|which|where|when|why|how)(?:'s|’s|'re|’re|"
    r" (?:is|are|was|were|do|does|did|can|could|should|would|will|shall|might|has|have|had|am))\b"
    r"|how (?:many|much|long|often|far|old|come)\b"
    r"|(?:is|are|was|were|do|does|did|can|could|should|would|will|shall|has|have|am|isn't|aren't|don't|doesn't|didn't)"
    r" (?:i|you|he|she|it|we|they|there|this|that|these|those|my|your|his|her|our|their|the|a|an|any|anyone)\b"
    r"|(?:tell|remind) (?:me|us) (?:what|who|whom|whose|which|where|when|why|how|if|whether|about)\b)",
    re.IGNORECASE,
)
_QUESTION_JA_END = re.compile(
    r"(?:ですか|ますか|ませんか|ましたか|でしたか|でしょうか|だろうか|のか|かな|かしら"
    r"|べきか|よいか|良いか|いいか|ないか|(?:[っいえきしべれせけねめ])たか|(?:する|みる|れる|せる|ける|てる|べる|める|える|くる)か|ろうか"
    r"|って何|とは何|教えて|教えてください|教えてくれ|教えて下さい"
    r"|(?:何|誰|だれ|どこ|いつ|なぜ|どう|どの|どれ|どちら|いくつ|いくら)[^。、]{0,30}か)$"
)
_QUESTION_ZH_END = re.compile(r"(?:吗|呢|嗎)$")
_TRAILING = " \t\r\n\"'”’」』）】)]。.!！…~〜"


def clean(text: str) -> str:
    """The text as it can be stored: lone surrogates, which no encoding holds, become U+FFFD; all else is kept."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def split_sentences(text: str) -> list[str]:
    """Cut a text into its sentences, each a substring of it, in order; parts without a letter or digit are left out."""
    return list(iter_sentences(text))


def iter_sentences(text: str) -> Iterator[str]:
    """As `split_sentences`, lazily. A fenced block of code is one piece."""
    for block in _blocks(text):
        for raw in _cut(block) if not _FENCE.match(block) else (block,):
            for piece in _short(raw):
                if any(ch.isalnum() for ch in piece):
                    yield piece


def _blocks(text: str) -> Iterator[str]:
    """Paragraph-like runs: a list item, a heading or a fence stands alone; a wrapped line joins the one above."""
    run: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            run.append(line)
            closes = mark and mark.group(1).startswith(fence) and not line[mark.end() :].strip()
            if closes:
                yield "".join(run)
                run, fence = [], ""
            continue
        if run and (mark or not _continues(run[-1], line)):
            yield "".join(run)
            run = []
        run.append(line)
        if mark:
            fence = mark.group(1)
    if run:
        yield "".join(run)


def _continues(above: str, line: str) -> bool:
    """Only a line that starts in lower case is the rest of the line above; all other line ends end a sentence."""
    first = line.lstrip()[:1]
    return bool(above.strip()) and first.islower() and not _LIST_MARK.match(line)


def _cut(block: str) -> Iterator[str]:
    """Cut one block at its sentence ends; a mark inside Japanese or curly quotes ends nothing."""
    start = index = 0
    quotes = _Quotes(block)
    length = len(block)
    while index < length:
        ch = block[index]
        quotes.see(ch, index)
        index += 1
        if quotes.inside or not (ch in _ENDS or ch in _ASCII_ENDS):
            continue
        while index < length and (block[index] in _ENDS or block[index] in _ASCII_ENDS or block[index] in _CLOSERS):
            index += 1
        if ch in _ASCII_ENDS and not _ascii_end(block, start, index):
            continue
        yield block[start:index].strip()
        start = index
    if block[start:].strip():
        yield block[start:].strip()


class _Quotes:
    """Whether a position lies inside quotes; an opener that is never closed opens nothing."""

    def __init__(self, block: str) -> None:
        self._last = {closer: block.rfind(closer) for closer in _OPENERS.values()}
        self._open: list[str] = []

    @property
    def inside(self) -> bool:
        return bool(self._open)

    def see(self, ch: str, index: int) -> None:
        if self._open and ch == self._open[-1]:
            self._open.pop()
        elif ch in _OPENERS and self._last[_OPENERS[ch]] > index:
            self._open.append(_OPENERS[ch])


def _ascii_end(block: str, start: int, index: int) -> bool:
    """Is the mark before `index` the end of a sentence, and no abbreviation, decimal or file name?"""
    if index >= len(block):
        return True
    if not block[index].isspace():
        return unicodedata.east_asian_width(block[index]) in "WF"
    following = block[index : index + 40].lstrip()[:1]
    head = block[max(start, index - 12) : index]
    return not following.islower() and not (head.endswith(".") and _ABBREVIATION.search(head))


def _short(piece: str) -> Iterator[str]:
    """Cut what is no sentence any more into pieces of at most `_LONGEST` code points."""
    start, length = 0, len(piece)
    while length - start > _LONGEST:
        limit = start + _LONGEST
        at = max(piece.rfind(" ", start + 1, limit), piece.rfind("\n", start + 1, limit))
        at = at if at > start else limit
        yield piece[start:at].strip()
        start = at
    if piece[start:].strip():
        yield piece[start:].strip()


def is_question(sentence: str) -> bool:
    """Does the sentence ask? Decided by form, with or without a question mark (English, Japanese, Chinese)."""
    bare = sentence.strip().rstrip(_TRAILING)
    if bare.endswith(("?", "？")):
        return True
    lead = bare.lstrip(" \t\"'“‘「『（([-*>#")
    return bool(_QUESTION_EN.match(lead) or _QUESTION_JA_END.search(bare[-40:]) or _QUESTION_ZH_END.search(bare[-2:]))


def only_asks(text: str) -> bool:
    """Is a text nothing but questions? A statement that ends with one states something."""
    return is_question(text) and all(map(is_question, iter_sentences(text)))


def kind_of(sentence: str) -> Kind:
    """The kind of a sentence that nobody classified: a question or a statement."""
    return Kind.question if is_question(sentence) else Kind.statement


_ASSERTING = frozenset({Kind.statement, Kind.claim, Kind.answer, Kind.value, Kind.commitment, Kind.intention})


def settle_kind(sentence: str, asked: Kind | None) -> Kind:
    """The kind asked for, except that a question never becomes an assertion (P3)."""
    found = kind_of(sentence)
    if asked is None:
        return found
    return found if found is Kind.question and asked in _ASSERTING else asked
