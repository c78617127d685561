"""Would a second look cut the text into the same units as the first?

What leaves must be verified text also for whoever verifies it again. A repair can take the mark that ended a sentence,
close a bracket that was open, or bring a later mark within reach. So the text that has left is kept for as long as a
segmenter looks ahead, and where a seam would not hold, whatever follows, a blank line makes it hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from rqa_nodes.echo.segment import LOOK_AHEAD_CHARS, Segmenter, Unit, ends_whole, is_single

__all__ = ["Seams"]

_WHAT_MAY_FOLLOW: Final = ("X", "", 'X )]」』”" X', ' )]」』”" x')
"""A neutral letter, nothing, and everything that could close what is open."""

_PAIRED: Final = re.compile(r"[\"“”「」『』()（）\[\]［］【】〔〕`~]")
_FENCE_MARKS: Final = re.compile(r"[\s>]*[`~]+")
"""What would open a code block at the beginning of a line."""

_WORD: Final = re.compile(r"\w")
_BLANK_LINE: Final = "\n\n"
_MOST_REMEMBERED: Final = 512


_NOT_FIRST: Final = frozenset("\"“”「」『』()（）[]［］【】〔〕`~>.!?…。！？｡'’")
"""What could belong to the unit before."""


class _Piece:
    """A unit that left."""

    __slots__ = ("_plain", "code", "text")

    def __init__(self, text: str, *, code: bool = False) -> None:
        self.text = text
        self.code = code
        self._plain: bool | None = None

    @property
    def plain(self) -> bool:
        """Is it a whole sentence that ends by itself and leaves nothing open?"""
        if self._plain is None:
            self._plain = not self.code and ends_whole(self.text) and _is_balanced(self.text)
        return self._plain


class _Joined(NamedTuple):
    """A unit as it leaves behind those that left."""

    text: str
    pieces: list[_Piece]
    last: str
    """The last sentence in it."""


class Seams:
    """The units that left last, and whether their ends can still move."""

    def __init__(self, *, code: bool) -> None:
        self._code = code
        self._recent: list[_Piece] = []
        self._joined: dict[tuple[Any, ...], _Joined] = {}
        """Text that repeats itself is joined once."""
        self._held = 0
        self._line_start = True
        self._in_code = False
        self._fences = True
        self._fresh = 0
        """Characters until a change can no longer move the end of a unit."""

    def join(self, text: str, unit: Unit) -> tuple[str, str]:
        """(The text of a unit as it may leave, so that all units keep their ends; the last sentence in it)."""
        changed = text != unit.text
        self._fences = unit.fences
        if not changed and self._fresh <= 0:
            self._in_code = unit.code
            self._keep(_Piece(text, code=unit.code))
            return text, text if _WORD.search(text) else ""
        if changed:
            self._fresh = LOOK_AHEAD_CHARS
            if not text:
                return "", ""
        before = tuple(piece.text for piece in self._recent)
        key = (text, unit.text, unit.code, unit.line_start, self._line_start, self._in_code, self._fences, before)
        joined = self._joined.get(key)
        if joined is None:
            if len(self._joined) >= _MOST_REMEMBERED:
                self._joined.clear()
            joined = self._joined[key] = self._join(text, unit)
        self._in_code = unit.code
        for piece in joined.pieces:
            self._keep(piece)
        return joined.text, joined.last

    def _join(self, text: str, unit: Unit) -> _Joined:
        changed = text != unit.text
        pieces = [_Piece(text, code=unit.code)]
        if changed:
            pieces = self._pieces(text)
        if not (unit.code and self._in_code) and not self._is_plain(pieces, closed=changed):
            closed = changed and self._ends(unit)
            checked = _words(pieces)
            for form in self._forms(text, unit):
                pieces = self._pieces(form) if changed else _apart(form, unit.code)
                text = form
                same = not changed or (_words(pieces) == checked and not any(piece.code for piece in pieces))
                if (same or not form) and self._holds(pieces, closed=closed):
                    break
        last = next((piece.text for piece in reversed(pieces) if _WORD.search(piece.text)), "")
        return _Joined(text, pieces, last)

    def _is_plain(self, pieces: list[_Piece], *, closed: bool) -> bool:
        """Is it clear at a glance that all units keep their ends? So it is for whole sentences with nothing open."""
        if not all(piece.plain for piece in self._recent):
            return False
        before = self._recent[-1].text[-1] if self._recent else "\n"
        for piece in pieces:
            first = piece.text[:1]
            if (
                piece.code
                or not first
                or first in _NOT_FIRST
                or first.isspace()
                or (before == "\n" and first.islower())
            ):
                return False
            before = piece.text[-1]
        return all(piece.plain for piece in (pieces if closed else pieces[:-1]))

    def _ends(self, unit: Unit) -> bool:
        """Did the unit end by itself, and not only with the text?"""
        segmenter = Segmenter(code=self._code, line_start=unit.line_start, fences=self._fences)
        behind = _WHAT_MAY_FOLLOW[0]
        units = (*segmenter.feed(unit.text + behind), *segmenter.finish())
        return any(one.start == len(unit.text) for one in units)

    def _forms(self, text: str, unit: Unit) -> Iterator[str]:
        """Ways to write it, the first that holds is taken; at last a repaired one not at all."""
        changed = text != unit.text
        yield text
        if changed:
            yield text.rstrip(" ") + " "
            yield text.rstrip() + _BLANK_LINE
        yield _BLANK_LINE + text
        if not unit.code:
            yield _BLANK_LINE + _FENCE_MARKS.sub("", text, count=1)
        if changed:
            yield _BLANK_LINE + text.strip() + _BLANK_LINE
            yield ""

    def _pieces(self, text: str) -> list[_Piece]:
        """A repaired text as the segmenter cuts it when it stands alone."""
        if is_single(text):
            return [_Piece(text)]
        line_start = self._recent[-1].text.endswith("\n") if self._recent else self._line_start
        segmenter = Segmenter(code=self._code, line_start=line_start, fences=self._fences)
        return [_Piece(unit.text, code=unit.code) for unit in (*segmenter.feed(text), *segmenter.finish())]

    def _holds(self, pieces: list[_Piece], *, closed: bool) -> bool:
        """Do all units begin where they began, whatever follows?"""
        every = [*self._recent, *pieces]
        alike = all(_is_balanced(piece.text) for piece in every)
        return all(self._same(every, behind, closed=closed) for behind in _WHAT_MAY_FOLLOW[: 2 if alike else None])

    def _same(self, pieces: list[_Piece], behind: str, *, closed: bool) -> bool:
        segmenter = Segmenter(code=self._code, line_start=self._line_start, fences=self._fences)
        whole = "".join(piece.text for piece in pieces)
        text = whole + behind
        units = (*segmenter.feed(text), *segmenter.finish())
        found = {_next_word(text, unit.start): unit.code for unit in units if unit.text.strip()}
        at, expected = 0, {}
        for piece in pieces:
            if piece.text.strip():
                expected[_next_word(text, at)] = piece.code
            at += len(piece.text)
        end = _next_word(text, len(whole))
        if closed and behind and end not in found:
            return False
        return {start: code for start, code in found.items() if start < end} == expected

    def _keep(self, piece: _Piece) -> None:
        if piece.text:
            self._recent.append(piece)
        self._fresh -= len(piece.text)
        self._held += len(piece.text)
        while self._recent and (
            self._recent[0].code
            or self._held - len(self._recent[0].text) >= LOOK_AHEAD_CHARS
            or (len(self._recent) > 1 and self._recent[0].text.endswith("\n"))
        ):
            first = self._recent.pop(0)
            self._held -= len(first.text)
            self._line_start = first.text.endswith("\n")


def _words(pieces: list[_Piece]) -> list[str]:
    """The sentences of a repaired text, which have been checked as they are."""
    return [words for piece in pieces if (words := piece.text.strip())]


def _apart(form: str, code: bool) -> list[_Piece]:
    """An unchanged text, and the blank line before it."""
    if not form.startswith(_BLANK_LINE) or not form.strip():
        return [_Piece(form, code=code)]
    return [_Piece(_BLANK_LINE), _Piece(form[len(_BLANK_LINE) :], code=code)]


def _next_word(text: str, at: int) -> int:
    """The first place from here that is no white space: to which unit that belongs makes no difference."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _is_balanced(text: str) -> bool:
    """True if nothing in it opens or closes anything outside it."""
    depth = 0
    for mark in _PAIRED.findall(text):
        if mark in "[(":
            depth += 1
        elif mark in "])" and depth:
            depth -= 1
        else:
            return False
    return not depth
