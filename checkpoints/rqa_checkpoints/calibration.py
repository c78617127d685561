"""From which cosine on does an embedder mean "related"?

Each embedder has its own scale, so the floor is measured: on our own pairs of a question and the sentence that answers
it, against every question with every other sentence of its language, for English and Japanese apart. The floor is the
value that separates the two best (largest true minus false positive rate, Youden 1950); at equal rates the lowest,
since memory is shown with its source and the reader can judge, while what is held back cannot be judged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rqa_checkpoints.floors import Floors
from rqa_checkpoints.packaged import packaged

if TYPE_CHECKING:
    from rqa_checkpoints.embedding import Encoder

__all__ = ["Calibration", "Pair", "calibrate", "cosine", "measure_floors", "pairs"]


class Pair(NamedTuple):
    """A question and the sentence that answers it."""

    lang: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What was measured."""

    floor: float
    related: int
    """Pairs that belong together."""
    missed: int
    """Of these, below the floor."""
    unrelated: int
    """Pairs that do not."""
    admitted: int
    """Of these, at or above the floor."""


def pairs() -> list[Pair]:
    """The packaged pairs, all of different matters."""
    return [Pair(lang, *row) for lang, rows in packaged("relevance_pairs").items() for row in rows]


def measure_floors(encoder: Encoder) -> Floors:
    """The floor of each language, on the packaged pairs. Raises what the encoder raises."""
    by_lang = {lang: [pair for pair in pairs() if pair.lang == lang] for lang in Floors._fields}
    return Floors(**{lang: calibrate(encoder, chosen).floor for lang, chosen in by_lang.items()})


def calibrate(encoder: Encoder, chosen: Sequence[Pair], *, floor: float | None = None) -> Calibration:
    """Measure the floor, or with `floor` given how well that one separates."""
    related, unrelated = _cosines(encoder, chosen)
    if floor is None:
        candidates = sorted(set(related))
        floor = max(candidates, key=lambda value: (_share(related, value) - _share(unrelated, value), -value))
    return Calibration(
        floor=floor,
        related=len(related),
        missed=sum(cosine < floor for cosine in related),
        unrelated=len(unrelated),
        admitted=sum(cosine >= floor for cosine in unrelated),
    )


def _share(cosines: Sequence[float], floor: float) -> float:
    return sum(cosine >= floor for cosine in cosines) / len(cosines)


def _cosines(encoder: Encoder, chosen: Sequence[Pair]) -> tuple[list[float], list[float]]:
    questions = [encoder.embed_query(pair.question) for pair in chosen]
    answers = encoder.embed_documents([pair.answer for pair in chosen])
    related: list[float] = []
    unrelated: list[float] = []
    for i, question in enumerate(questions):
        for j, answer in enumerate(answers):
            if chosen[i].lang == chosen[j].lang:
                (related if i == j else unrelated).append(cosine(question, answer))
    return related, unrelated


def cosine(one: Sequence[float], two: Sequence[float]) -> float:
    """The cosine of two vectors of one length; 0 where one of them has none."""
    length = math.hypot(*one) * math.hypot(*two)
    return sum(a * b for a, b in zip(one, two, strict=True)) / length if length else 0.0
