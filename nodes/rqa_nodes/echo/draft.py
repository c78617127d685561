"""What has become of a sentence so far, and where did each character come from?

Verdicts speak of places in the original text, but rules run one after the other on a text that has been cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rqa_nodes.echo.markup import Cut, closed
from rqa_nodes.echo.types import Action, VerdictKind

__all__ = ["Draft", "Finding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a rule found in the current text, and what is to happen there."""

    kind: VerdictKind
    start: int
    end: int
    """The claim itself."""
    ref: str = ""
    node: str = ""
    reason: str = ""
    action: Action = "kept"
    replacement: str = ""
    cut: tuple[int, int] | None = None
    """What is replaced, where that is more (or less) than the claim; None: the claim."""

    @property
    def place(self) -> tuple[int, int]:
        """The stretch that the replacement takes."""
        return self.cut or (self.start, self.end)


_SPACES: Final = " \t\u3000"
_END_MARKS: Final = (".", "!", "?", "。", "！", "？", "…")
_NO_SPACE_BEFORE: Final = frozenset(".,;:!?)]}、。，！？）」』\n")
_HEAD: Final = re.compile(r"[\s>*-]*")
_COMMA_LEFT: Final = frozenset({"(,", "（、", "（，", "(;", "[,"})
"""An opening bracket with the comma that parted a cut from what follows."""
_EMPTY_MARKUP: Final = (
    (re.compile(r"([*_~]{1,3})$"), lambda mark: mark),
    (re.compile(r"<([a-z]{1,10})>$"), lambda name: f"</{name}>"),
    (re.compile(r"(<!--) ?$"), lambda _: " -->"),
)
"""Markup with nothing in it: what stands before, and what would have to follow."""
_EMPTY_PAIR: Final = re.compile(
    r"\(\s*\)|（\s*）|\[\s*\]|［\s*］|「\s*」|【\s*】|“\s*”|〔\s*〕|〈\s*〉|《\s*》|⁅\s*⁆|\{\s*\}|<\s*>"
)


class Draft:
    """The current text of a unit and the origin of its characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._origin: list[int] | None = None
        self._length = len(text)
        head = _HEAD.match(text)
        self._capital = bool(head) and "A" <= text[head.end() : head.end() + 1] <= "Z"  # type: ignore[union-attr]  # matches anything

    def part(self, start: int, end: int) -> Draft:
        """A piece of the current text as a draft of its own; places still lead back to the whole unit."""
        piece = Draft(self.text[start:end])
        piece._length = self._length
        piece._origin = (self._origin or list(range(self._length)))[start:end]
        return piece

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the current text stood in the unit as it came in."""
        if self._origin is None:
            return start, end
        if start >= len(self._origin):
            return self._length, self._length
        first = self._origin[start]
        return first, max(first, self._origin[end - 1] + 1 if end > start else first)

    def apply(self, findings: Iterable[Finding]) -> None:
        """Make the changes, from the last to the first; where two overlap, the earlier one stands."""
        taken = -1
        chosen: list[Finding] = []
        for finding in sorted(findings, key=lambda one: one.place):
            if finding.place[0] >= taken:
                chosen.append(finding)
                taken = finding.place[1]
        for finding in reversed(chosen):
            self._replace(*closed(self.text, Cut(*finding.place, finding.replacement)))
        if (
            not any(one.replacement for one in chosen)
            and self._capital
            and (head := _HEAD.match(self.text))
            and "a" <= self.text[head.end() : head.end() + 1] <= "z"
        ):
            self.text = self.text[: head.end()] + self.text[head.end()].upper() + self.text[head.end() + 1 :]

    def _replace(self, start: int, end: int, words: str) -> None:
        if not words:
            start, end = self._with_remains(start, end)
        origin = self._origin if self._origin is not None else list(range(self._length))
        anchor = origin[start] if start < len(origin) else self._length
        self.text = self.text[:start] + words + self.text[end:]
        origin[start:end] = [anchor] * len(words)
        self._origin = origin

    def _with_remains(self, start: int, end: int) -> tuple[int, int]:
        """Take the empty brackets and the doubled space that a cut would leave."""
        text = self.text
        while True:
            while start > 0 and text[start - 1] in _SPACES and self._gap_closes(start, end):
                start -= 1
            inner_start, inner_end = start, end
            while inner_end < len(text) and text[inner_end] in _SPACES:
                inner_end += 1
            around = text[max(0, inner_start - 1) : inner_start] + text[inner_end : inner_end + 1]
            if around in _COMMA_LEFT:
                start, end = inner_start, inner_end + 1
                while end < len(text) and text[end] in _SPACES:
                    end += 1
            elif _EMPTY_PAIR.fullmatch(around):
                start, end = inner_start - 1, inner_end + 1
            elif closing := self._empty_markup(inner_start, inner_end):
                start, end = closing
            elif inner_start == 0:
                return inner_start, inner_end
            else:
                return start, end

    def _empty_markup(self, start: int, end: int) -> tuple[int, int] | None:
        """The markup that a cut would leave empty."""
        for before, closing in _EMPTY_MARKUP:
            match = before.search(self.text, max(0, start - 12), start)
            if match and self.text.startswith(closing(match[1]), end):
                return match.start(), end + len(closing(match[1]))
        return None

    def _gap_closes(self, start: int, end: int) -> bool:
        """Is the space before a cut one too many? Behind an end mark it parts this sentence from the next."""
        if end >= len(self.text):
            return not self.text[:start].rstrip(_SPACES).endswith(_END_MARKS)
        return self.text[end] in _SPACES or self.text[end] in _NO_SPACE_BEFORE
