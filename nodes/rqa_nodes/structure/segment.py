"""What are the sentences of a text, Markdown or plain, in Japanese or English?

Code and front matter are no sentences; a heading is kept beside the sentences under it. Words are never changed: only
markup is taken away and hard-wrapped lines are joined. Linear in the text; an unclosed fence is code to the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rqa_nodes.structure.marks import quotations
from rqa_nodes.structure.text import clean

__all__ = ["Unit", "segment", "sentences"]

UnitKind = Literal["sentence", "item"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One sentence or list item and where it stands."""

    text: str
    heading: str = ""
    kind: UnitKind = "sentence"
    index: int = 0


@dataclass(frozen=True, slots=True)
class _Block:
    text: str
    heading: str
    kind: UnitKind


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}[ \u3000]+(.*?)[ #]*$")
_HEADING_JA = re.compile(r"[■◆●▼][ \u3000]*([^。]{1,40})$|【([^】]{1,40})】$")
_HEADING_MARKS = frozenset("#■◆●▼【")
_ITEM = re.compile(
    r"[ \t\u3000]*(?:[-*+•‣・][ \t\u3000]+|・|\d{1,3}[.)][ \t]+|[（(]\d{1,3}[)）][ \t\u3000]*|[①-⑳][ \t\u3000]*)"
    r"(?:\[[ xX]\] )?"
)

_LABEL = re.compile(
    r"[ \t]*(?:[A-Z][A-Za-z.]{0,19}(?: [A-Za-z]{1,12})?: (?=\S)|[一-鿿ァ-ヶーA-Za-z]{1,10}(?:：(?=.)|(?=「)))"
)
"""Who speaks, or what a line is about."""
_TITLE_JA = re.compile(r"(?=[^一-鿿ぁ-ヶ]*[一-鿿ぁ-ヶ])[^。、！？!?…]{2,15}[^。、！？!?…」ぁ-ゖー]")
"""A short first line without an end; wrapped lines are longer."""
_RULE = re.compile(r"\s*(?:[-=*_]\s*){3,}$")
_INLINE = re.compile(r"(\*\*|__|~~|`+)")
_STAR = re.compile(r"(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\n]{0,500}\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

_NEXT_SPEAKER = r"」(?=[一-鿿ァ-ヶー]{1,6}「)"
_SPEAKER = re.compile(r"\s*[一-鿿ァ-ヶー]{1,6}「")
"""Who speaks in a line of a dialogue."""
_END = re.compile(_NEXT_SPEAKER + r"|[。！？!?]+[」』）)”’\"']*|\.+[”’\"')]*(?=\s|$)")
_PARTICLES = frozenset("とっのをはがにもでやへ、")
_OPEN, _CLOSE = "「『（(", "」』）)"
_ABBREVIATIONS = frozenset(
    ["e.g.", "i.e.", "etc.", "cf.", "vs.", "mr.", "mrs.", "ms.", "dr.", "st.", "no.", "fig.", "approx.", "ca.", "resp."]
)
_MAX_SENTENCE_CHARS = 600
"""A longer run without an end is cut here, so that a paste without full stops stays readable in parts."""


def segment(text: str) -> tuple[Unit, ...]:
    """Cut a text into its sentences and list items, in order; empty for a text of code or blanks alone."""
    units: list[Unit] = []
    for block in _blocks(_strip_comments(clean(text))):
        for sentence in sentences(block.text):
            units.append(Unit(text=sentence, heading=block.heading, kind=block.kind, index=len(units)))
    return tuple(units)


def _strip_comments(text: str) -> str:
    # An opening without an end would make the search quadratic.
    return _COMMENT.sub(" ", text) if text.count("<!--") <= text.count("-->") < 1000 else text


def _prose_lines(text: str) -> Iterator[str]:
    lines = iter(text.split("\n"))
    fence = ""
    for number, line in enumerate(lines):
        if number == 0 and line.strip() == "---" and _has_front_matter(text):
            _skip_to(lines, "---")
            continue
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1].startswith(fence):
                fence = ""
            continue
        if opened:
            fence = opened[1]
            yield ""
            continue
        yield line


def _skip_to(lines: Iterator[str], end: str) -> None:
    for line in lines:
        if line.strip() == end:
            return


def _has_front_matter(text: str) -> bool:
    head = text[:4000].split("\n")[1:]
    return "---" in (line.strip() for line in head) and any(":" in line for line in head[:3])


def _heading_of(line: str) -> str:
    bare = line.strip()
    if bare[:1] not in _HEADING_MARKS:
        return ""
    found = _HEADING.match(line) or _HEADING_JA.match(bare)
    return _plain(next((group for group in found.groups() if group), "")) if found else ""


class _Gather:
    """Collects the lines of one block after another."""

    def __init__(self) -> None:
        self.heading = ""
        self.kind: UnitKind = "sentence"
        self.lines: list[str] = []

    def close(self) -> Iterator[_Block]:
        text = _join(self.lines) if self.lines else ""
        if _has_words(text):
            yield _Block(_plain(text), self.heading, self.kind)
        self.lines, self.kind = [], "sentence"

    def take(self, line: str) -> Iterator[_Block]:
        heading = _heading_of(line)
        if heading or not line.strip():
            yield from self.close()
            self.heading = heading or self.heading
        elif _RULE.fullmatch(line[:200]):
            # `===` or `---` below one line of text is that line's underline: a heading.
            if len(self.lines) == 1 and self.kind == "sentence":
                self.heading, self.lines = _plain(self.lines[0]), []
            yield from self.close()
        elif line.lstrip().startswith("|"):
            yield from self.close()
            yield from (_Block(_plain(cell), self.heading, "item") for cell in line.split("|") if _is_phrase(cell))
        elif item := _ITEM.match(line):
            yield from self.close()
            rest = line[item.end() :]
            self.lines, self.kind = [rest] if rest else [], "item"
        elif self._begins_anew(line):
            yield from self.close()
            self.lines.append(line.lstrip("> \t\u3000"))
        else:
            self.lines.append(line.lstrip("> \t\u3000"))

    def _begins_anew(self, line: str) -> bool:
        """Whether a line is a paragraph of its own: behind a list, labelled, or the next line of a dialogue."""
        behind_list = self.kind == "item" and not line.startswith((" ", "\t", "\u3000")) and not line[:1].islower()
        spoken = bool(self.lines) and self.lines[-1].endswith("」") and _LABEL.match(self.lines[-1]) is not None
        titled = len(self.lines) == 1 and _TITLE_JA.fullmatch(self.lines[0]) is not None
        return behind_list or spoken or titled or _LABEL.match(line) is not None


def _blocks(text: str) -> Iterator[_Block]:
    gather = _Gather()
    for line in _prose_lines(text):
        yield from gather.take(line)
    yield from gather.close()


def _is_phrase(cell: str) -> bool:
    words = cell.split()
    return len(words) > 2 or (len(cell.strip()) > 7 and not cell.isascii())


def _join(lines: list[str]) -> str:
    parts: list[str] = []
    for line in (piece.strip() for piece in lines):
        if parts and line and not (_wide(parts[-1][-1:]) and _wide(line[:1])):
            parts.append(" ")
        parts.append(line)
    return "".join(parts).strip()


def _wide(char: str) -> bool:
    return char >= "\u2e80"


def _plain(text: str) -> str:
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    return " ".join(_STAR.sub("", _INLINE.sub("", text)).split())


def sentences(text: str) -> list[str]:
    """Cut plain text into sentences, never inside a bracket or a Japanese quote, nor after a common abbreviation."""
    found: list[str] = []
    start = depth = seen = 0
    spoken = [(first, last) for first, last in quotations(text) if text[first] not in _OPEN]
    for end in _END.finditer(text):
        if any(first < end.start() and end.end() < last for first, last in spoken):
            continue
        depth = max(0, depth + _balance(text, seen, end.end()))
        seen = end.end()
        if end.group() == "」" and not _SPEAKER.match(text, start):
            continue
        too_long = end.end() - start > _MAX_SENTENCE_CHARS
        if (depth and not too_long) or _goes_on(text, end) or _is_abbreviation(text, start, end):
            continue
        found.extend(_chunks(text[start : end.end()].strip()))
        start, depth = end.end(), 0
    found.extend(_chunks(text[start:].strip()))
    return [sentence for sentence in found if _has_words(sentence)]


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _goes_on(text: str, end: re.Match[str]) -> bool:
    """A Japanese quotation followed by a particle is a part of its sentence, as is one followed by a small letter."""
    if end.group()[-1] in "\"”’'":
        return text[end.end() : end.end() + 2].strip()[:1].islower()
    return end.group()[-1] in "」』）" and text[end.end() : end.end() + 1] in _PARTICLES


def _balance(text: str, start: int, end: int) -> int:
    piece = text[start:end]
    return sum(piece.count(char) for char in _OPEN) - sum(piece.count(char) for char in _CLOSE)


def _is_abbreviation(text: str, start: int, end: re.Match[str]) -> bool:
    if end.group()[0] != ".":
        return False
    tail = text[max(start, end.end() - 12) : end.end()]
    following = text[end.end() : end.end() + 2].strip()
    # Who begins in lower case goes on so: there, a small letter says nothing about where a sentence begins.
    begins_small = text.lstrip('"“‘(')[:1].islower()
    return tail.rsplit(None, 1)[-1].lower() in _ABBREVIATIONS or (following[:1].islower() and not begins_small)


def _chunks(sentence: str) -> Iterator[str]:
    for start in range(0, len(sentence), _MAX_SENTENCE_CHARS):
        yield sentence[start : start + _MAX_SENTENCE_CHARS].strip()
