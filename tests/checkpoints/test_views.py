"""The memory as a whole: from one side, and a little off the path."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rqa_checkpoints.errors import RuleBrokenError
from rqa_checkpoints.exploring import draw
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, SourceClass
from rqa_checkpoints.reflecting import Side, heaviest_share
from tests.support.examples import share
from tests.support.memories import ANN, BOB, open_memory, plan

USER, ASSISTANT = SourceClass.user, SourceClass.assistant


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


def _said(memory: ProvenanceMemory, text: str, **more: object) -> str:
    return memory.add(text, scope=ANN, source=USER, author="ann", **more).id  # type: ignore[arg-type]  # test shorthand


def test_each_side_lists_what_the_person_declared_and_nothing_of_the_assistants(memory: ProvenanceMemory) -> None:
    memory.persona.declare(Kind.value, "健康を第一に考える。", scope=ANN)
    memory.persona.declare(Kind.intention, "I want to run.", scope=ANN)
    memory.persona.declare(Kind.commitment, "I run on Sundays.", scope=ANN)
    tasks = [memory.tasks.commit(f"Step {n}.", scope=ANN) for n in "abcd"]
    memory.tasks.start(tasks[1].id, scope=ANN)
    memory.tasks.complete(tasks[2].id, "Done.", scope=ANN)
    memory.tasks.abandon(tasks[3].id, "No time.", scope=ANN)
    _said(memory, "Ilse keeps the tide tables.", tags=["relationship:Ilse"])
    for kind in (Kind.value, Kind.intention, Kind.commitment, Kind.task):
        memory.add(f"You surely want a {kind.value}.", scope=ANN, source=ASSISTANT, author="m", kind=kind)
    expected = {
        Side.values: ["健康を第一に考える。"],
        Side.intentions: ["I want to run."],
        Side.commitments: ["I run on Sundays."],
        Side.tasks_todo: ["Step a."],
        Side.tasks_doing: ["Step b."],
        Side.tasks_completed: ["Step c."],
        Side.tasks_abandoned: ["Step d."],
        Side.relationships: ["Ilse keeps the tide tables."],
    }
    before = memory.state_hash()
    for side, texts in expected.items():
        assert [node.text for node in memory.reflect(side, scope=ANN).items] == texts, side
        assert memory.reflect(side, scope=BOB).total == 0
    summary = memory.reflect(Side.summary, scope=ANN)
    assert summary.counts == dict.fromkeys(map(str, expected), 1) | {
        "contradictions": 0,
        "dormant": 0,
        "duplicates": 0,
    }
    assert summary.total == 14
    assert memory.state_hash() == before


def test_contradictions_and_duplicates_are_pairs(memory: ProvenanceMemory) -> None:
    one, two = _said(memory, "I keep bees."), _said(memory, "I keep no bees.")
    three, four = _said(memory, "The backup job is late."), _said(memory, "The backup job is late!")
    guess = memory.add("The backup job is late.", scope=ANN, source=ASSISTANT, author="m")
    memory.relate(two, one, "contradicts", scope=ANN)
    memory.deny(guess.id, scope=ANN)
    told = memory.reflect(Side.contradictions, scope=ANN)
    assert [(a.text, b.text) for a, b in told.pairs] == [
        ("No.", "The backup job is late."),
        ("I keep no bees.", "I keep bees."),
    ]
    assert [(a.id, b.id) for a, b in memory.reflect(Side.duplicates, scope=ANN).pairs] == [(three, four)]
    memory.merge(three, [four], scope=ANN)
    assert memory.reflect(Side.duplicates, scope=ANN).total == 0
    assert memory.reflect(Side.contradictions, scope=ANN, limit=1).total == 2


def test_an_exploration_can_be_had_again_changes_nothing_and_reaches_what_is_related(memory: ProvenanceMemory) -> None:
    for n in range(20):
        _said(memory, f"The hive number {n} hums.")
    far = _said(memory, "Zeppelin.")
    memory.relate(memory.recall("hive hums", scope=ANN, top_k=1).items[0].node.id, far, "mentions", scope=ANN)
    before = memory.state_hash()
    draws = [memory.explore("hive hums", scope=ANN, limit=5, diversity=1.0, seed=seed) for seed in range(12)]
    assert draws[0] == memory.explore("hive hums", scope=ANN, limit=5, diversity=1.0, seed=0)
    assert len({tuple(node.id for node in one.items) for one in draws}) > 6
    assert any(far == node.id for one in draws for node in one.items)
    straight = memory.explore("hive hums", scope=ANN, limit=5, diversity=0.0, seed=9)
    assert straight.items == tuple(item.node for item in memory.recall("hive hums", scope=ANN, top_k=20).items[:5])
    assert memory.state_hash() == before
    with pytest.raises(RuleBrokenError, match="diversity"):
        memory.explore("x", scope=ANN, diversity=1.5)


@share(50)
@given(st.integers(0, 6), st.integers(0, 15), st.floats(0, 1), st.integers())
def test_a_draw_is_a_choice_without_repetition(size: int, limit: int, diversity: float, seed: int) -> None:
    with open_memory() as memory:
        pool = [plan(memory, f"Item {n}.", turn=f"t{n}")[0] for n in range(size)]
    drawn = draw(pool, limit=limit, diversity=diversity, seed=seed)
    assert len(drawn) == min(limit, size) == len({node.id for node in drawn})
    assert {node.id for node in drawn} <= {node.id for node in pool}
    assert draw(pool, limit=limit, diversity=0.0, seed=seed) == pool[:limit]


@given(st.lists(st.floats(1, 50), max_size=400))
def test_the_heaviest_hold_a_part_of_what_was_added(masses: list[float]) -> None:
    share = heaviest_share(masses)
    assert 0 <= share <= 1 + 1e-9
    top = sorted(masses, reverse=True)[: max(1, len(masses) // 100)]
    added = sum(mass - 1 for mass in masses)
    assert share * added == pytest.approx(sum(mass - 1 for mass in top) if added else 0)


def test_no_use_is_no_weight() -> None:
    assert heaviest_share([]) == heaviest_share([1.0] * 200) == 0
    assert heaviest_share([1.0] * 199 + [50.0]) == 1
