"""What is near by meaning, and when does meaning say nothing?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.fusion import Hit, Scale, fuse
from rqa_checkpoints.index.base import Found, Scored, best_chunks


def _found(chunks: int) -> Found:
    """Chunks c0, c1, ... from near to far, and one that shares words: the last."""
    dense = tuple(Scored(f"c{n}", 0.9 - n / 1000) for n in range(chunks))
    return Found(dense=dense, sparse=(Scored(f"c{chunks - 1}", 12.0),))


def test_an_item_is_near_if_it_is_no_farther_than_half_of_the_fifty_nearest() -> None:
    hits = {hit.id: hit.near for hit in fuse(_found(60), limit=60)}
    assert [hits[f"c{n}"] for n in (0, 24, 25, 59)] == [True, True, False, False]


def test_among_fewer_than_fifty_nothing_is_far() -> None:
    assert all(hit.near for hit in fuse(_found(49), limit=60))


def test_what_only_words_found_is_not_near() -> None:
    found = Found(dense=_found(60).dense, sparse=(Scored("other", 12.0),))
    assert not next(hit for hit in fuse(found, limit=70) if hit.id == "other").near


@pytest.mark.parametrize("found", [_found(60), Found(sparse=(Scored("c", 1.0),))])
def test_an_item_without_a_vector_is_judged_by_its_words(found: Found) -> None:
    [hit] = Scale.of(found).order([Hit(id="new", score=0.0, lexical=1.0)])
    assert hit.near


_SCORES = st.dictionaries(st.sampled_from([f"c{n}" for n in range(9)]), st.sampled_from([0.0, 0.25, 0.5, 0.875, 12.0]))


@given(dense=_SCORES, sparse=_SCORES, limit=st.integers(1, 12))
def test_many_items_are_ranked_as_each_would_be(dense: dict[str, float], sparse: dict[str, float], limit: int) -> None:
    found = Found(dense=best_chunks([*dense.items()]), sparse=best_chunks([*sparse.items()]))
    scale = Scale.of(found)
    each = {
        id_: scale.nearness(dense.get(id_, scale.far), sparse.get(id_, 0.0)) for id_ in dense.keys() | sparse.keys()
    }
    ranked = sorted(each.items(), key=lambda row: (-row[1], row[0]))[:limit]
    assert [(hit.id, hit.score) for hit in fuse(found, limit=limit)] == ranked
