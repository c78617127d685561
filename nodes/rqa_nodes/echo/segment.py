"""Where does a sentence end, and which lines are code?

A unit is released as soon as its end is certain, and it is at most 400 characters long. Whether an end is certain
depends on the text alone, never on how it was cut into chunks: the segmenter waits for the characters that it must
see. No unit ends inside a bracket, a number, a quotation or a backtick pair, as long as that closes within the unit.
A reference that follows a full stop belongs to the sentence before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from rqa_nodes.echo.boundaries import begins_reference, goes_on, hides_fence, is_abbreviated, past_unseen
from rqa_nodes.echo.lexicon import LANGUAGES, load

__all__ = ["LOOK_AHEAD_CHARS", "MAX_UNIT_CHARS", "Segmenter", "Unit", "ends_whole", "is_single"]

MAX_UNIT_CHARS: Final = 400
"""A longer sentence is cut: the reader of a stream waits no longer than this."""

_LEAST_CUT_CHARS: Final = 200
"""A cut before an open bracket gives at least this much, so that a row of brackets costs linear time."""

_TAIL_CHARS: Final = 120
"""How far a reference after a full stop may reach."""


LOOK_AHEAD_CHARS: Final = MAX_UNIT_CHARS + _TAIL_CHARS
"""No decision on the end of a unit looks further ahead than this from its beginning."""

_WINDOW_CHARS: Final = 2 * LOOK_AHEAD_CHARS
"""With so much text in sight, where a unit ends depends on nothing else."""

_MOST_REMEMBERED: Final = 256
"""Then all is forgotten: what repeats itself is soon known again."""


class Unit(NamedTuple):
    """A sentence, a line without an end mark, or a piece of code."""

    start: int
    """Offset in the whole text."""
    text: str
    code: bool = False
    continued: bool = False
    """The sentence before was cut for its length, and this is the rest of it."""
    line_start: bool = True
    fences: bool = True
    """No line before or in it hides a fence. Behind one, what shows as code depends on who shows it, so nothing is."""


_TOKEN: Final = re.compile(r"""[\n"“”「」『』()（）\[\]［］【】〔〕.!?…。！？｡]|`+""")
_CLOSES: Final = {
    "”": "“", "」": "「", "』": "『", ")": "(", "）": "(", "]": "[", "］": "[", "】": "[", "〕": "[",
}  # fmt: skip
_OPENS: Final = {
    "“": "“", "「": "「", "『": "『", "(": "(", "（": "(", "[": "[", "［": "[", "【": "[", "〔": "[",
}  # fmt: skip
_BRACKETS: Final = frozenset({*_CLOSES, *_OPENS, '"'})
_END_MARKS: Final = re.compile(r"""[.!?…。！？｡]+[)\]"”’'」』）】]*""")
_SEEN: Final = frozenset({"", " ", "\n"})
_IDEOGRAPHIC_END: Final = frozenset("。！？｡")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々]")
_FENCE: Final = re.compile(r" {0,3}(?:> ?)*(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$")
_FENCE_BEGINS: Final = re.compile(r" {0,3}(?:> ?)*(?:`{0,2}|~{0,2}|`{3,}[^`\n]*|~{3,}[^\n]*)$")
_MAY_FENCE: Final = re.compile(r" {0,3}(?:> ?)*(?:[`~]|$)")
"""Without this at its beginning, a line is no fence and will be none."""
_QUOTE_PREFIX: Final = re.compile(r" {0,3}(?:> ?)*")


@cache
def _tail() -> re.Pattern[str]:
    """References that follow an end mark, and our own remark behind one."""
    own = "|".join(re.escape(load(lang)["wording"]["not_evidence"].strip()) for lang in LANGUAGES)
    return re.compile(
        r"[ \t]?(?:[\[［【〔]\s{0,3}[^\w\s\[\]［］【】〔〕:：]{0,3}"
        r"\w[^\w\s\[\]［］【】〔〕:：]{0,3}\s{0,3}[:：][^\[\]］】〕\n"
        r"]"
        r"{0,80}[\]］】〕]+[.。]?|" + own + ")"
    )


_TAIL_BEGINS: Final = re.compile(r"[ \t]?(?:[\[［【〔][^\[\]］】〕\n]{0,100}|[(（][^()（）\n]{0,40})?$")
_CUT_AT_CLAUSE: Final = re.compile(r"[,;:、，；—](?:\s|(?<=[、，；]))")
_CUT_AT_SPACE: Final = re.compile(r"\s(?![\d#\[(（［])")


@cache
def _at_once() -> re.Pattern[str]:
    """A sentence whose end needs no second look: only whole pairs in it, one end mark, and then a neutral character."""
    own = "".join(re.escape(load(lang)["wording"]["not_evidence"].strip()[0]) for lang in LANGUAGES)
    pairs, marks = r"\"“”「」『』()（）\[\]［］【】〔〕", ".!?…。！？｡"
    words = rf"[^\n`{pairs}{marks}]*+"
    kinds = (r"\[［【〔", r"\]］】〕"), ("(（", ")）"), ("「", "」"), ("『", "』"), ("“", "”"), ('"', '"')
    whole = "|".join(f"[{opens}]{words}[{closes}]" for opens, closes in kinds)
    return re.compile(
        rf"{words}(?:(?:{whole}){words})*+"
        rf"(?:(?P<stop>\.) |[!?] |[。！？｡](?=[^’'{marks}]))(?=[^\s{pairs}{own}])"
    )


class Segmenter:
    """Cuts a growing text into units."""

    def __init__(self, *, code: bool = True, line_start: bool = True, fences: bool = True) -> None:
        self._code = code
        self._fences = fences
        self._text = ""
        self._offset = 0
        self._fence = ""
        self._line_start = line_start
        self._continued = False
        self._final = False
        self._known: dict[str, tuple[int, bool]] = {}
        """Where units ended in the same text before: text that repeats itself is cut by a look-up."""

    def feed(self, chunk: str) -> Iterator[Unit]:
        """Add text; yield the units whose end is certain by now."""
        self._text += chunk
        yield from self._drain()

    def finish(self) -> Iterator[Unit]:
        """No more text: yield what is left."""
        self._final = True
        yield from self._drain()

    def _drain(self) -> Iterator[Unit]:
        at = 0
        while at < len(self._text):
            found = self._next(at)
            if found is None:
                break
            end, code, cut = found
            if self._line_start and not code and hides_fence(self._text, at, end):
                self._fences = False
            yield Unit(self._offset + at, self._text[at:end], code, self._continued, self._line_start, self._fences)
            self._continued = cut
            self._line_start = self._text[end - 1] == "\n"
            at = end
        self._offset += at
        self._text = self._text[at:]

    def _next(self, at: int) -> tuple[int, bool, bool] | None:
        """End of the next unit, whether it is code, whether it was cut for its length; None: more text is needed."""
        if self._fence:
            return self._code_line(at)
        if self._line_start and self._code and self._fences and _MAY_FENCE.match(self._text, at, at + MAX_UNIT_CHARS):
            line_end = self._text.find("\n", at, at + MAX_UNIT_CHARS)
            line = self._text[at : line_end if line_end >= 0 else at + MAX_UNIT_CHARS]
            opening = _FENCE.match(line)
            if line_end < 0 and not self._complete(at) and _FENCE_BEGINS.match(line):
                return None
            if opening and (line_end >= 0 or (self._final and len(self._text) - at < MAX_UNIT_CHARS)):
                self._fence = opening[1] or opening[2]
                return (line_end + 1 if line_end >= 0 else len(self._text)), True, False
        return self._sentence(at)

    def _complete(self, at: int) -> bool:
        """Is everything there that a decision on the unit at this place may look at?"""
        return self._final or len(self._text) - at >= LOOK_AHEAD_CHARS

    def _code_line(self, at: int) -> tuple[int, bool, bool] | None:
        line_end = self._text.find("\n", at, at + MAX_UNIT_CHARS)
        if line_end < 0:
            if not self._complete(at):
                return None
            end = min(len(self._text), at + MAX_UNIT_CHARS)
        else:
            end = line_end + 1
        if self._line_start:
            line = self._text[_QUOTE_PREFIX.match(self._text, at).end() : end].rstrip()  # type: ignore[union-attr]  # matches anything
            if len(line) >= len(self._fence) and line == self._fence[0] * len(line):
                self._fence = ""
            elif hides_fence(self._text, at, end):
                self._fence = ""
                self._fences = False
        return end, True, False

    def _sentence(self, at: int) -> tuple[int, bool, bool] | None:
        clear = _at_once().match(self._text, at, at + MAX_UNIT_CHARS)
        if clear and not (clear["stop"] and is_abbreviated(self._text, at, clear.end() - 2)):
            return clear.end(), False, False
        window = self._text[at : at + _WINDOW_CHARS]
        known = self._known.get(window)
        if known is not None:
            return at + known[0], False, known[1]
        found = _Scan(self._text, at, final=self._final, code=self._code).run()
        if found is None:
            return None
        if len(window) == _WINDOW_CHARS and found[0] - at < LOOK_AHEAD_CHARS:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[window] = found[0] - at, found[1]
        return found[0], False, found[1]


_ONE: Final = re.compile(r"[^\n.!?…。！？｡`~]*[.!?…。！？｡]?[ \n]?")


def is_single(text: str) -> bool:
    """Is it clear at a glance that this is one unit, and no code?"""
    return len(text) < _LEAST_CUT_CHARS and _ONE.fullmatch(text) is not None


_WHOLE: Final = re.compile(
    r"(?P<stop>\.)?(?(stop)|[!?…。！？｡])(?:[)\]\"”’'」』）】]*(?:[ \t]?\[[^\[\]\n]{1,80}\][.。]?)*\s|"
    r"(?<=[。！？｡]))$|\n$"
)


def ends_whole(text: str) -> bool:
    """Is it clear at a glance that a unit ends here because a sentence or a line does?"""
    match = _WHOLE.search(text, max(0, len(text) - _TAIL_CHARS))
    if match is None or len(text) >= _LEAST_CUT_CHARS:
        return False
    return match["stop"] is None or not is_abbreviated(text, 0, match.start())


class _Scan:
    """One look at the window in which a unit must end."""

    __slots__ = ("at", "code", "complete", "final", "limit", "open", "pending", "quotes", "text")

    def __init__(self, text: str, at: int, *, final: bool, code: bool) -> None:
        self.code = code
        self.text = text
        self.at = at
        self.limit = min(len(text), at + MAX_UNIT_CHARS)
        self.complete = final or len(text) - at >= LOOK_AHEAD_CHARS
        self.final = final
        self.open: list[tuple[str, int]] = []
        self.quotes = 0
        """How many of the open ones are straight quotation marks."""
        self.pending: list[int] = []
        """Possible ends inside something that is open and may never close."""

    def run(self) -> tuple[int, bool] | None:
        """End of the unit and whether its length forced it; None: more text is needed."""
        skip = self.at
        for token in _TOKEN.finditer(self.text, self.at, self.limit):
            if token.start() < skip:
                continue
            mark = token[0]
            if mark in _BRACKETS:
                self._bracket(mark, token.start())
                continue
            end, skip = self._possible_end(mark, token.start())
            if end is None:
                return None
            if end and (mark == "\n" or not self.open):
                return self._first(end)
            if end:
                self.pending.append(end)
        return self._forced() if self.complete else None

    def _possible_end(self, mark: str, at: int) -> tuple[int | None, int]:
        """(End of a unit at this mark, 0 where it is none, None where more must be seen; where to go on)."""
        if mark == "\n":
            return self._line_end(at), at
        if mark[0] != "`":
            return self._mark_end(at)
        close = self._backtick_end(at, mark) if self.code else at
        return (None, at) if close is None else (0, close)

    def _first(self, end: int) -> tuple[int, bool]:
        return (self.pending[0] if self.pending else end), False

    def _bracket(self, mark: str, at: int) -> None:
        """Open, or close the nearest of the kind; what was possible inside a closed pair no longer is."""
        kind = _OPENS.get(mark, mark)
        if mark not in _CLOSES and not (mark == '"' and self.quotes):
            self.open.append((kind, at))
            self.quotes += mark == '"'
            return
        kind = _CLOSES.get(mark, mark)
        for depth in range(len(self.open) - 1, max(-1, len(self.open) - 32), -1):
            if self.open[depth][0] == kind:
                begin = self.open[depth][1]
                if self.quotes:
                    self.quotes -= sum(name == '"' for name, _ in self.open[depth:])
                del self.open[depth:]
                self.pending = [end for end in self.pending if end <= begin]
                return

    def _backtick_end(self, at: int, run: str) -> int | None:
        """Where a code span ends; the end of the run itself where none closes on this line; None: not seen yet."""
        line_end = self.text.find("\n", at, self.limit)
        window = self.text[at + len(run) : line_end if line_end >= 0 else self.limit]
        for other in re.finditer("`+", window):
            if len(other[0]) == len(run) and (other.end() < len(window) or self.complete or line_end >= 0):
                return at + len(run) + other.end()
        return at + len(run) if line_end >= 0 or self.complete else None

    def _line_end(self, at: int) -> int | None:
        """End of a unit at a line break, 0 where the sentence runs on, None where the next line is not seen yet."""
        if self.open:
            self.open = [pair for pair in self.open if pair[0] in "(["]
            self.quotes = 0
        small = goes_on(self.text, at + 1)
        if small:
            return 0
        if small is None and not self.final:
            return None
        if self.text[at + 1 : at + 2] != "\n" and self._in_reference(at):
            return 0
        end = at + 1
        while end < self.limit and self.text[end] == "\n":
            end += 1
        return None if end == len(self.text) and not self.final and not self.complete else end

    def _in_reference(self, at: int) -> bool:
        """Is one of our references broken by a line break?"""
        begin = next((begin for kind, begin in reversed(self.open) if kind == "["), None)
        return begin is not None and begins_reference(self.text[begin:at])

    def _mark_end(self, at: int) -> tuple[int | None, int]:
        """(End of a unit at an end mark, 0 where it is none, None where more must be seen; where to go on)."""
        run = _END_MARKS.match(self.text, at, self.limit)
        assert run is not None
        end = run.end()
        if self._closes_earlier(run[0]):
            end = at + len(run[0].rstrip(")]\"”’'」』）】"))
        if self.text[end : end + 1] not in _SEEN and _IDEOGRAPHIC_END.isdisjoint(run[0]):
            end = past_unseen(self.text, end)
        if end >= len(self.text) and not self.final:
            return (None if not self.complete else 0), end
        following = self.text[end : end + 1]
        if any(mark in _IDEOGRAPHIC_END for mark in run[0]) or _CJK.match(following):
            if run[0][0] == "." and not _IDEOGRAPHIC_END.intersection(run[0]):
                return 0, end
        elif following and not following.isspace():
            return 0, end
        if run[0].startswith(".") and is_abbreviated(self.text, self.at, at):
            return 0, end
        return self._with_tail(end), end

    def _closes_earlier(self, run: str) -> bool:
        """Does the run hold a mark that closes something opened in this unit? Then it is read as a bracket."""
        return bool(self.open) and any(_CLOSES.get(mark, mark) in {kind for kind, _ in self.open} for mark in run)

    def _with_tail(self, end: int) -> int | None:
        """The end behind the references and the one white space that follow an end mark; None: not seen yet."""
        while end < self.at + MAX_UNIT_CHARS:
            tail = _tail().match(self.text, end)
            if tail is None:
                break
            end = tail.end()
        if not self.final and _TAIL_BEGINS.match(self.text, end):
            return None
        return end + 1 if self.text[end : end + 1].isspace() else end

    def _forced(self) -> tuple[int, bool]:
        """Cut at the window's end, before what is open, after a clause if possible and never inside a number."""
        if self.pending:
            return self.pending[0], False
        if len(self.text) - self.at < MAX_UNIT_CHARS:
            return len(self.text), False
        stop = next((begin for _, begin in self.open if begin - self.at >= _LEAST_CUT_CHARS), self.limit)
        for pattern in (_CUT_AT_CLAUSE, _CUT_AT_SPACE):
            cuts = [match.end() for match in pattern.finditer(self.text, self.at, stop)]
            if cuts:
                return cuts[-1], True
        if stop < self.limit:
            return stop, True
        return self._before_number(), True

    def _before_number(self) -> int:
        at = self.limit
        while at > self.at + 1 and self.text[at - 1].isalnum() and self.text[at - 1].isascii():
            at -= 1
        return at if at > self.at + 1 else self.limit
