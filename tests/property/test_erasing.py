"""Whatever is erased from whatever was lived: the chain holds, a replay agrees, and nothing of anybody else moves."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.chain import spans_of
from rqa_checkpoints.provenance import SourceClass, fold
from rqa_graph.erasing import Eraser
from tests.support.examples import share
from tests.support.memories import ANN, BOB, Clock, open_memory, take_turn

_SAID = [
    *("I keep bees near Lund.", "Bees sleep in winter, and I keep bees near Lund.", "Yes.", "Why do bees dance?"),
    *("私は大阪で織物の店をしています。", "はい。", "蜂は冬に眠ります。"),
]
_TURNS = st.lists(
    st.tuples(st.sampled_from(_SAID), st.sampled_from(["", *_SAID]), st.integers(0, 2)), min_size=1, max_size=4
)


@share(20)
@given(_TURNS, st.lists(st.integers(0, 30), min_size=1, max_size=2), st.booleans())
def test_an_erasure_leaves_a_whole_chain_and_no_item_with_the_words(
    turns: list[tuple[str, str, int]], picks: list[int], everything: bool
) -> None:
    with open_memory() as memory:
        for number, (said, reply, thread) in enumerate(turns):
            for scope in (ANN, BOB):
                take_turn(
                    memory, said, reply, turn=f"{scope.user}{number}", thread=f"{scope.user}{thread}", scope=scope
                )
        before = [memory.list(scope=BOB, limit=1000), memory.turns(scope=BOB, limit=1000)]
        eraser = Eraser(memory, home=Path("/nonexistent"), threads=None, clock=Clock())
        for pick in picks:
            mine = memory.list(scope=ANN, limit=1000)
            if mine:
                node = mine[pick % len(mine)]
                eraser.erase(eraser.plan_person(ANN) if everything else eraser.plan_item(node.id, scope=ANN))
                assert _left(memory, node.text) == []
            assert memory.is_intact()
            assert memory.verify_chain() is None
            assert memory.state_hash() == memory.log.replayed_hash()
            memory.add("And on it goes.", scope=ANN, source=SourceClass.user, author="ann")
        assert [memory.list(scope=BOB, limit=1000), memory.turns(scope=BOB, limit=1000)] == before


def _left(memory: Any, text: str) -> list[str]:
    """What of the person still says it: long words anywhere, short ones as a whole."""
    words = fold(text).strip(".?。？")
    said = [node.text for node in memory.list(scope=ANN, limit=1000)]
    said += [one for part in memory.turns(scope=ANN, limit=1000) for one in (part.user_text, part.reply_text)]
    same = [one for one in said if fold(one).strip(".?。？") == words]
    return same + [one for one in said if len(words) > 8 and words in fold(one)]


@given(st.sets(st.integers(1, 60)))
def test_runs_of_numbers_are_those_numbers(seqs: set[int]) -> None:
    spans = spans_of(seqs)
    assert [one for first, last in spans for one in range(first, last + 1)] == sorted(seqs)
    assert all(left[1] + 1 < right[0] for left, right in pairwise(spans))


@share(20)
@given(_TURNS, st.integers(0, 30))
def test_words_that_go_without_an_erasure_break_the_chain(turns: list[tuple[str, str, int]], pick: int) -> None:
    with open_memory() as memory:
        for number, (said, reply, _thread) in enumerate(turns):
            take_turn(memory, said, reply, turn=f"t{number}")
        events = [event.seq for event in memory.log.events() if event.private is not None]
        gone = events[pick % len(events)]
        with memory.log.writing() as writer:
            writer.connection.exec_driver_sql(f"DELETE FROM content WHERE seq = {gone}")
        assert memory.verify_chain() == gone
