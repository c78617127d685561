"""Progress notes: every eleven seconds of an injected clock, naming the stage alone, and never at level 2."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from rqa_graph.cli.progress import ProgressNotes

STAGES: list[dict[str, Any]] = [
    {"type": "progress", "stage": "read", "round": 1, "part": 2, "of": 9},
    {"type": "progress", "stage": "analyse", "round": 1},
    {"type": "progress", "stage": "evaluate", "round": 1},
]


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _told(level: int, seconds: int, lang: str = "en") -> list[tuple[float, str]]:
    """What is said during a turn of so many seconds, looked at five times a second; a stage every 17 seconds."""
    clock, said = _Clock(), list[tuple[float, str]]()
    notes = ProgressNotes(lambda text: said.append((clock.now, text)), monotonic=clock, lang=lang)
    notes.heard({"type": "route", "level": level})
    notes.heard({"type": "prelude", "text": "..."})
    for step in range(seconds * 5):
        clock.now = step / 5
        if step % 85 == 0:
            notes.heard(STAGES[step // 85 % 3])
        notes.tick()
    notes.heard({"type": "committed", "part": "answer"})
    clock.now += 60
    notes.tick()
    return said


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_note_comes_every_ten_to_twelve_seconds(lang: str) -> None:
    times = [0.0, *(time for time, _ in _told(3, 70, lang))]
    assert len(times) == 7
    assert all(10 <= later - earlier <= 12 for earlier, later in pairwise(times))


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["Reading part 2 of 9 ... (11 s)", "Round 1: taking the input apart ... (22 s)"]),
        ("ja", ["9個中2個目の部分を読んでいます……（11秒）", "第1回: 入力を分解しています……（22秒）"]),
    ],
)
def test_it_names_the_stage_in_the_language_of_messages(lang: str, words: list[str]) -> None:
    assert [text for _, text in _told(3, 25, lang)] == words


@pytest.mark.parametrize(("level", "seconds"), [(3, 9), (2, 70), (1, 70)])
def test_a_quick_panel_and_a_side_reflection_are_silent(level: int, seconds: int) -> None:
    assert _told(level, seconds) == []
