"""What came of one unit, so that the same unit in the same circumstances need not be read twice?

Text that repeats itself without end costs a look-up a time. Places are relative to the beginning of the unit, and all
that the reading of a unit leaves behind in the verifier is part of its outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from rqa_nodes.echo.types import Verdict
from rqa_nodes.echo.voices import Frame

__all__ = ["Circumstances", "Outcome", "Outcomes", "changed_stretch"]

_MOST_REMEMBERED: Final = 512
"""Then all is forgotten: what repeats itself is soon known again."""


class Circumstances(NamedTuple):
    """All that the outcome of a unit depends on, within one reply."""

    text: str
    first: bool
    """It begins the reply."""
    line_start: bool
    fences: bool
    """Code blocks count; none does behind a hidden fence."""
    carried_cue: bool
    """It goes on with a sentence that held a memory cue."""
    before: str
    """The sentence before."""
    honest_said: bool
    frame: Frame
    """Whose words stand here, as the frames opened before say."""


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What a unit became, what was found in it, and what it leaves behind."""

    text: str = ""
    verdicts: list[Verdict] = field(default_factory=list)
    removed: list[dict[str, Any]] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    cue: bool = False
    before: str = ""
    honest_said: bool = False
    holding: bool = False

    def verdicts_at(self, start: int) -> Sequence[Verdict]:
        """The verdicts on a unit that begins there."""
        return [replace(one, span=(one.span[0] + start, one.span[1] + start)) for one in self.verdicts]

    def removed_at(self, start: int) -> Sequence[dict[str, Any]]:
        """The words that went from a unit that begins there."""
        return [one | {"span": [place + start for place in one["span"]]} for one in self.removed]


class Outcomes:
    """The outcomes of the last units of a reply."""

    def __init__(self) -> None:
        self._known: dict[Circumstances, Outcome] = {}

    def get(self, circumstances: Circumstances) -> Outcome | None:
        """What came of the same unit before."""
        return self._known.get(circumstances)

    def keep(self, circumstances: Circumstances, outcome: Outcome) -> None:
        """Remember it for the next time."""
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[circumstances] = outcome


def changed_stretch(before: str, after: str) -> tuple[int, int]:
    """The half-open stretch of `after` outside of which both are the same; empty where words only went."""
    first, most = 0, min(len(before), len(after))
    while first < most and before[first] == after[first]:
        first += 1
    last = 0
    while last < most - first and before[-1 - last] == after[-1 - last]:
        last += 1
    return first, len(after) - last
