"""Promises of the picture of a graph: everything has a place in it, the same one each time, and groups stand apart."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_graph.graph_picture import spread

_NAMES = [f"n{number}" for number in range(12)]
_EDGES = st.lists(st.tuples(st.sampled_from([*_NAMES, "elsewhere"]), st.sampled_from(_NAMES)), max_size=14)


@settings(max_examples=25)
@given(st.lists(st.sampled_from(_NAMES), unique=True), _EDGES)
def test_every_item_has_a_place_of_its_own_inside_and_the_same_again(
    names: list[str], edges: list[tuple[str, str]]
) -> None:
    made = spread(names, edges)
    assert set(made.places) == set(names)
    for place in made.places.values():
        assert 0 < place.x < made.width
        assert 0 < place.y < made.height
    for one, two in combinations(made.places.values(), 2):
        assert one != two
    assert spread(names, edges) == made


def test_groups_stand_apart_and_what_is_loose_below() -> None:
    names = [f"a{n}" for n in range(5)] + [f"b{n}" for n in range(3)] + ["loose"]
    edges = [*nx.utils.pairwise(names[:5]), *nx.utils.pairwise(names[5:8])]
    made = spread(names, edges).places
    assert max(made[name].x for name in names[:5]) < min(made[name].x for name in names[5:8])
    assert made["loose"].y > max(made[name].y for name in names[:8])


def test_nothing_makes_an_empty_picture() -> None:
    assert (spread([], [("a", "b")]).width, spread([], []).places) == (0, {})
