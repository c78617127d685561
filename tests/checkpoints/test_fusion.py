"""What is near by meaning, and when does meaning say nothing?"""

from __future__ import annotations

import pytest

from rqa_checkpoints.fusion import Hit, Scale, fuse
from rqa_checkpoints.index.base import Found, Scored


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
