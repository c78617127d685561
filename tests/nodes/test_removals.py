"""Removed words wait for their commit: once, bounded, and never another turn's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from rqa_nodes.removals import RemovalStash


def test_what_was_kept_is_taken_once() -> None:
    stash = RemovalStash()
    stash.keep("t1/answer", [{"text": "gone"}])
    assert stash.take("t1/answer") == ({"text": "gone"},)
    assert stash.take("t1/answer") == ()


def test_the_rounds_of_a_part_come_with_it_in_the_order_of_keeping() -> None:
    stash = RemovalStash()
    for key in ("t1/answer/1", "t1/answer/1/rationale", "t1/answer/2"):
        stash.keep(key, [{"text": key}])
    assert [row["text"] for row in stash.take("t1/answer")] == ["t1/answer/1", "t1/answer/1/rationale", "t1/answer/2"]


def test_a_round_that_runs_again_replaces_its_words() -> None:
    stash = RemovalStash()
    stash.keep("t1/question/1", [{"text": "first"}])
    stash.keep("t1/question/1", [{"text": "again"}])
    assert stash.take("t1/question") == ({"text": "again"},)


@pytest.mark.parametrize("other", ["t1/question", "t10/answer", "t1/answers", "t", "t1/answe"])
def test_another_part_or_turn_gets_nothing(other: str) -> None:
    stash = RemovalStash()
    stash.keep("t1/answer/1", [{"text": "gone"}])
    assert stash.take(other) == ()
    assert stash.take("t1/answer") != ()


def test_the_oldest_give_way() -> None:
    stash = RemovalStash()
    for number in range(300):
        stash.keep(f"t{number}/answer", [{"text": str(number)}])
    assert stash.take("t0/answer") == ()
    assert stash.take("t299/answer") == ({"text": "299"},)


def test_many_turns_at_once_each_get_their_own() -> None:
    stash = RemovalStash()

    def turn(number: int) -> bool:
        stash.keep(f"t{number}/answer", [{"text": str(number)}])
        return stash.take(f"t{number}/answer") == ({"text": str(number)},)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(turn, range(200)))
