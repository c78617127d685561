"""A thinned grid still shows every pair of values, and always by the same cases."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.grids import covering


def _grid(*sizes: int) -> list[dict[str, int]]:
    return [dict(zip("abcd", indices, strict=False)) for indices in product(*map(range, sizes))]


@given(sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_what_stands_together_in_the_grid_stands_together_in_a_chosen_case(sizes: list[int]) -> None:
    grid = _grid(*sizes)
    chosen = [grid[number] for number in covering(grid)]
    size = min(2, len(sizes))
    shown, all_ = ({pair for case in cases for pair in combinations(case.items(), size)} for cases in (chosen, grid))
    assert shown == all_


@pytest.mark.parametrize(("sizes", "number"), [((5, 2, 2), 10), ((2, 2), 4), ((7,), 7), ((4, 2, 2), 8)])
def test_no_more_cases_than_it_takes(sizes: tuple[int, ...], number: int) -> None:
    # As many as the two largest parameters have together.
    assert len(covering(_grid(*sizes))) == number
