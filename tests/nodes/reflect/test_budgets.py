"""What a reflection may use is fixed before the model speaks."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from rqa_nodes.errors import BudgetError
from rqa_nodes.reflect.budgets import Budgets

SHIPPED: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parents[3] / "config" / "budgets.yaml").read_text(encoding="utf-8")
)


def _changed(path: str, value: Any) -> dict[str, Any]:
    mapping = copy.deepcopy(SHIPPED)
    *parents, last = path.split(".")
    part = mapping
    for name in parents:
        part = part[name]
    part[last] = value
    return mapping


@pytest.mark.parametrize(
    ("name", "candidates", "rounds", "fragments", "regenerations"),
    [("quick", 3, 1, 2, 0), ("standard", 4, 2, 4, 1), ("full", 6, 3, 8, 1), ("side", 3, 1, 3, 0)],
)
def test_the_shipped_budgets_are_those_of_the_specification(
    name: str, candidates: int, rounds: int, fragments: int, regenerations: int
) -> None:
    budget = Budgets.from_mapping(SHIPPED).named(name)
    assert (budget.candidates, budget.rounds, budget.fragments, budget.regenerations) == (
        candidates,
        rounds,
        fragments,
        regenerations,
    )
    assert budget.shortlist == 3


def test_the_shipped_thresholds_and_the_time_of_a_side_reflection_are_those_of_the_specification() -> None:
    budgets = Budgets.from_mapping(SHIPPED)
    limits = budgets.thresholds
    assert (limits.total, limits.depth, limits.sharpness, limits.actionability, limits.deep_enough) == (30, 8, 8, 7, 30)
    assert budgets.side.seconds == 30


def test_k_and_depth_override_k_and_rounds_and_nothing_else() -> None:
    before = Budgets.from_mapping(SHIPPED).named("full")
    after = before.overridden(candidates=2, rounds=5)
    assert (after.candidates, after.rounds, after.shortlist) == (2, 5, 2)
    assert (after.fragments, after.regenerations, after.seconds) == (
        before.fragments,
        before.regenerations,
        before.seconds,
    )
    assert before.overridden() == before


@pytest.mark.parametrize("given", [{"candidates": 0}, {"candidates": 13}, {"rounds": 0}, {"rounds": 6}, {"rounds": -1}])
def test_an_override_out_of_range_is_refused_with_the_range(given: dict[str, int]) -> None:
    with pytest.raises(BudgetError, match="expected a whole number from 1 to"):
        Budgets.from_mapping(SHIPPED).named("full").overridden(**given)


def test_an_unknown_name_gets_the_smallest_budget() -> None:
    budgets = Budgets.from_mapping(SHIPPED)
    assert budgets.named("limitless") == budgets.named("quick")
    assert budgets.named("") == budgets.named("quick")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("budgets", None),
        ("budgets.side", None),
        ("budgets.quick", {}),
        ("budgets.quick.rounds", 99),
        ("budgets.quick.rounds", "2"),
        ("budgets.quick.rounds", True),
        ("budgets.full.candidates", 6.5),
        ("budgets.full.roundz", 3),
        ("side_question", "always"),
        ("side_question.total", 41),
        ("side_question.deph", 8),
        ("deep_enough.total", -1),
    ],
)
def test_a_wrong_setting_is_refused_by_name(path: str, value: Any) -> None:
    with pytest.raises(BudgetError) as refused:
        Budgets.from_mapping(_changed(path, value))
    assert any(name in refused.value.message for name in (*path.split("."), "quick"))
