"""A thinned grid still shows every value, or every pair of values, and always by the same cases."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.grids import covering


def _grid(*sizes: int) -> list[dict[str, int]]:
    return [dict(zip("abcd", indices, strict=False)) for indices in product(*map(range, sizes))]


@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4), strength=st.integers(1, 2))
def test_what_stands_together_in_the_grid_stands_together_in_a_chosen_case(sizes: list[int], strength: int) -> None:
    grid = _grid(*sizes)
    chosen = [grid[number] for number in covering(grid, strength)]
    size = min(strength, len(sizes))
    shown, all_ = ({pair for case in cases for pair in combinations(case.items(), size)} for cases in (chosen, grid))
    assert shown == all_


@pytest.mark.parametrize(
    ("sizes", "strength", "number"), [((5, 2, 2), 1, 5), ((5, 2, 2), 2, 10), ((2, 2), 1, 2), ((7,), 1, 7), ((7,), 2, 7)]
)
def test_no_more_cases_than_it_takes(sizes: tuple[int, ...], strength: int, number: int) -> None:
    # As many as the largest parameter has values; with pairs, as the two largest have together.
    assert len(covering(_grid(*sizes), strength)) == number


def test_values_that_are_shown_once_are_shown_in_different_company() -> None:
    cases = _grid(4, 2, 2)
    chosen = [cases[number] for number in covering(cases)]
    assert {(case["b"], case["c"]) for case in chosen} == {(0, 0), (0, 1), (1, 0), (1, 1)}
