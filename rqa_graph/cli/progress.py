"""When does a person who waits for a panel hear that something still happens?

Every eleven seconds, by a clock that is given: often enough to be sure, too seldom to be in the way. A note names the
stage and nothing else: no words of a model, and no question that was not scored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rqa_graph.messages import say

__all__ = ["EVERY_SECONDS", "ProgressNotes"]

EVERY_SECONDS: Final = 11.0
"""Between the 10 and 12 of the product's promise."""
_PANEL_LEVEL: Final = 3


class ProgressNotes:
    """Notes of one turn; only a panel has any, because a side reflection is silent."""

    def __init__(self, note: Callable[[str], None], *, monotonic: Callable[[], float], lang: str) -> None:
        self._note, self._monotonic, self._lang = note, monotonic, lang
        self._begun = self._noted = monotonic()
        self._stage: Mapping[str, Any] | None = None
        self._is_panel = False

    def heard(self, event: Mapping[str, Any]) -> None:
        """Take in an event of the turn."""
        match event["type"]:
            case "route":
                self._is_panel = event["level"] == _PANEL_LEVEL
            case "prelude":
                self._noted = self._monotonic()
            case "progress":
                self._stage = event
            case "committed":
                self._is_panel = False
            case _:
                pass

    def tick(self) -> None:
        """Write a note if one is due."""
        now = self._monotonic()
        if not self._is_panel or now - self._noted < EVERY_SECONDS:
            return
        self._noted = now
        seconds = round(now - self._begun)
        stage = self._stage or {"stage": "begin", "round": 1}
        values = {name: value for name, value in stage.items() if name in {"round", "part", "of"}}
        self._note(say(f"progress.{stage['stage']}", self._lang, seconds=seconds, **values))
