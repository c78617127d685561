"""What is put on top of the product's ranking keeps its bounds, and every arm ranks all of the notes' candidates."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.suite import half
from evals.suites.ablation import MOST_RADIANS, SUITE, arms, gain, moved, wave
from evals.suites.retrieval import Collection, Question, plan
from rqa_checkpoints.embedding import HashEmbedder


def _unit(seed: int, size: int = 8) -> np.ndarray:
    drawn = np.random.default_rng(seed).standard_normal(size)
    return np.asarray(drawn / np.linalg.norm(drawn))


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(0, 99), st.floats(1, 50)), max_size=40))
def test_a_note_stays_on_the_sphere_and_near_its_text(uses: list[tuple[int, float]]) -> None:
    anchor = place = _unit(1000)
    for seed, mass in uses:
        place = moved(place, anchor=anchor, towards=_unit(seed), mass=mass)
        assert np.linalg.norm(place) == pytest.approx(1)
        assert np.arccos(np.clip(place @ anchor, -1, 1)) <= MOST_RADIANS + 1e-6


def test_an_unused_note_does_not_move_and_a_heavy_one_hardly() -> None:
    anchor = _unit(1)
    assert gain(1) == 0
    assert moved(anchor, anchor=anchor, towards=_unit(2), mass=1) == pytest.approx(anchor)
    assert gain(50) < gain(5)


@settings(max_examples=100)
@given(st.dictionaries(st.integers(0, 59), st.floats(0, 1), max_size=8), st.integers(0, 1000))
def test_a_wave_only_loses_force(seeds: dict[int, float], seed: int) -> None:
    drawn = np.random.default_rng(seed).standard_normal((60, 8))
    vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    forces = wave(seeds, vectors)
    assert len(forces) <= 128
    assert all(0 <= force <= max(seeds.values()) for force in forces.values())
    assert all(forces[place] >= force for place, force in seeds.items() if force > 0)


def test_use_of_one_half_is_counted_on_the_other() -> None:
    notes = {f"x{n}": f"Nothing of interest happened on day {n}." for n in range(30)} | {"a": "The loom broke in May."}
    texts = [f"When did the loom break, question {n}?" for n in range(12)]
    questions = [Question(text, frozenset({"a"})) for text in texts]
    assert {half(text) for text in texts} == {"tune", "report"}
    with ExitStack() as stack:
        made = plan({"ours": [Collection(notes=notes, questions=questions)]}, HashEmbedder(), stack, arms=arms())
        result = summarise(made, run_plan("ablation", made))
    cells = Cells(result)
    for arm in arms():
        assert cells.value(arm, "recall@5", set="ours", half="report") == 1
    assert SUITE.readme is not None
    shown = SUITE.readme({"command": "c", "revision": "r", "result": result}, {})
    assert "| product + wave | 1.000" in shown
    assert "| product + moves, after use | 1.000" in shown
