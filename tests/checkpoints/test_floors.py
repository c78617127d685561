"""From which cosine on are a question and a text related?"""

from __future__ import annotations

import pytest

from rqa_checkpoints.embedding import HashEmbedder
from rqa_checkpoints.floors import Floors, kept_floors
from rqa_checkpoints.index import open_index

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


def test_what_is_kept_with_the_vectors_is_not_measured_again() -> None:
    class Measured(HashEmbedder):
        _floors = FLOORS

    index, encoder = open_index(":memory:", name="memory-hash-64", dimension=64), Measured()
    assert kept_floors(index, encoder) == index.floors() == FLOORS
    encoder._floors = Floors(en=0.9, ja=0.9)
    assert kept_floors(index, encoder) == FLOORS
