"""From which cosine on are a question and a text related?"""

from __future__ import annotations

import pytest

from rqa_checkpoints.floors import Floors

FLOORS = Floors(en=0.25, ja=0.5)


@pytest.mark.parametrize(
    ("question", "floor"),
    [
        ("What broke?", 0.25),
        ("", 0.25),
        ("窯", 0.5),
        ("ｶﾏ", 0.5),
        ("What is a 窯?", 0.5),
        ("くる", 0.5),
    ],
)
def test_the_floor_is_that_of_the_language_of_the_question(question: str, floor: float) -> None:
    assert FLOORS.of(question) == floor
