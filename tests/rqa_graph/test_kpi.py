"""Each figure, worked by hand on a few lines."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_graph.kpi import Share, compute, entropy


def _part(level: int, seconds: float, **values: Any) -> dict[str, Any]:
    line = {"kind": "part", "part": "answer", "level": level, "seconds": seconds, "found": {}, "left": {}}
    return {**line, "question": "", **values}


def _round(**values: Any) -> dict[str, Any]:
    return {"kind": "round", "stripped": {}, "violations": [], **values}


def test_the_lift_is_the_mean_gain_over_what_was_scored() -> None:
    ended = [(30, 20), (24, 24), (35, None), (None, 20)]
    rounds = [_round(score=score, single_shot=single) for score, single in ended]
    # (30 - 20 + 24 - 24) / 2; the others were not scored on both sides.
    assert compute(rounds).selector_lift.mean == pytest.approx(5.0)
    assert compute(rounds).selector_lift.of == 2
    assert compute([]).selector_lift.mean is None


def test_leverage_counts_adopted_questions_alone() -> None:
    rounds = [
        _round(adopted=True, uses_memory=True),
        _round(adopted=True, uses_memory=False),
        _round(adopted=False, uses_memory=True),
        _round(),
    ]
    assert compute(rounds).graph_leverage == Share(count=1, of=2)
    assert Share(count=0, of=0).value is None


def test_diversity_is_the_entropy_over_all_kept_candidates() -> None:
    rounds = [
        _round(layers=["L3", "L4"], stances=["steelman", "steelman"]),
        _round(layers=["L5", "L7"], stances=["steelman", "claim_skeptic"]),
    ]
    spread = compute(rounds).diversity
    # Four layers once each: 2 bits. Stances 3 : 1: 0.75 log2(4/3) + 0.25 log2(4) = 0.811.
    assert spread.layer_bits == pytest.approx(2.0)
    assert spread.of == 4
    assert spread.stance_bits == pytest.approx(0.8113, abs=1e-4)
    assert spread.stances == {"claim_skeptic": 1, "steelman": 3}


@given(st.lists(st.integers(min_value=0, max_value=10**6), max_size=8))
def test_entropy_is_between_nothing_and_an_even_spread(counts: list[int]) -> None:
    positive = sum(count > 0 for count in counts)
    assert -1e-9 <= entropy(counts) <= (log2(positive) if positive else 0) + 1e-9


def test_shares_of_turns_and_rounds() -> None:
    lines = [
        _part(0, 0.1, part="fixed"),
        _part(1, 1.0),
        _part(2, 2.0, question="no_key"),
        _part(2, 3.0),
        _part(2, 9.0, part="question", question="earned"),
        _round(shortlist=[0], degraded="timeout"),
        _round(shortlist=[0, 1], violations=["safety"]),
        _round(failed="invalid"),
    ]
    found = compute(lines)
    assert (found.turns, found.rounds) == (4, 3)
    assert found.non_escalation == Share(count=2, of=4)
    assert found.degradation == Share(count=1, of=2)
    assert found.boundary_violation == Share(count=1, of=3)
    assert found.side_questions == {"no_key": 1, "earned": 1}


def test_citations_are_counted_before_and_after_the_verifier() -> None:
    lines = [
        _part(1, 1.0, found={"valid": 3, "unknown_id": 2, "unbacked_history": 4}),
        _part(3, 1.0, found={"valid": 1}, left={"stale_id": 1, "misquote": 1}),
        _round(stripped={"stale_id": 1, "misquote": 1}),
    ]
    found = compute(lines).references
    assert (found.fabricated_before, found.fabricated_after, found.of) == (3, 1, 7)


def test_latency_is_by_level_and_leaves_the_side_question_out() -> None:
    lines = [*(_part(1, float(second)) for second in range(1, 21)), _part(2, 4.0), _part(2, 99.0, part="question")]
    found = compute(lines).latency
    # Nearest rank: the 19th of 20 values.
    assert (found[1].median, found[1].p95, found[1].of) == (10.5, 19.0, 20)
    assert (found[2].median, found[2].p95, found[2].of) == (4.0, 4.0, 1)
    assert sorted(found) == [1, 2]
