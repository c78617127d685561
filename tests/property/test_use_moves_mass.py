"""G1-G8 of a whole memory: mass moves by use alone, never by echo, and the log holds every move."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_checkpoints.breakdown import Observability
from rqa_checkpoints.errors import UnknownNodeError
from rqa_checkpoints.mass import MAX_MASS, UNUSED, How
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import MemoryNode, SourceClass, TurnPart
from rqa_checkpoints.queries import NodeFilter
from tests.support.memories import ANN, AT, BOB, Clock, Ids, open_memory, take_turn

USER, ASSISTANT, EXTERNAL = SourceClass.user, SourceClass.assistant, SourceClass.external
GUESS = "You probably have sleep apnea."
EVERYTHING = NodeFilter(hidden=None)


def _masses(memory: ProvenanceMemory) -> dict[str, float]:
    return {node.text: node.mass for node in memory.list(scope=ANN, where=EVERYTHING, limit=1000)}


def _named(memory: ProvenanceMemory, text: str) -> MemoryNode:
    return next(node for node in memory.list(scope=ANN, where=EVERYTHING, limit=1000) if node.text == text)


def _ranks(memory: ProvenanceMemory, query: str) -> list[tuple[str, float]]:
    found = memory.recall(query, scope=ANN, at=AT, session="look")
    return [(item.node.id, item.score) for item in found.items]


def test_a_the_assistant_gains_nothing_by_recalling_and_citing_its_own_note() -> None:
    with open_memory() as memory:
        take_turn(memory, "I sleep badly and wake up tired.", GUESS, turn="t0")
        take_turn(memory, "The doctor spoke of sleep.", turn="t1")
        guess, before = _named(memory, GUESS), _ranks(memory, "Do I have sleep apnea?")
        for number in range(100):
            planned = memory.recall("sleep apnea", scope=ANN, actor=ASSISTANT, session=f"s{number}")
            assert guess.id in {item.node.id for item in planned.items}
            assert guess.id not in (planned.training_delta.mass_changes if planned.training_delta else {})
            result = take_turn(memory, "", "Sleep matters.", turn=f"e{number}", thread=f"s{number}", cited=[guess.id])
            assert result.training_delta is not None
            assert result.training_delta.mass_changes == {}
        memory.forget(_named(memory, "Sleep matters.").id, scope=ANN)
        assert set(_masses(memory).values()) == {UNUSED}
        assert _ranks(memory, "Do I have sleep apnea?") == before


def test_b_a_confirmation_raises_the_new_item_of_the_user_by_the_exact_value() -> None:
    with open_memory() as memory:
        take_turn(memory, "I sleep badly.", GUESS, turn="t0")
        result = take_turn(memory, "Yes, I have sleep apnea.", turn="t1")
        confirmed = _named(memory, "Yes, I have sleep apnea.")
        # 1.0 * 2**0 * (1 - 1/50) on the new item; nothing on the guess.
        assert result.training_delta is not None
        assert result.training_delta.mass_changes == {confirmed.id: 0.98}
        assert result.training_delta.applied
        assert confirmed.mass == UNUSED + 0.98
        assert confirmed.last_used == AT
        assert _named(memory, GUESS).mass == UNUSED


def test_c_twenty_notes_of_the_assistant_weigh_no_more_than_one() -> None:
    with open_memory() as memory:
        parent: list[str] = []
        for number in range(20):
            note = memory.add(
                f"Note {number}: perhaps the sister moves in month {number}.",
                scope=ANN,
                source=ASSISTANT,
                author="m",
                derived_from=parent,
            )
            parent = [note.id]
            memory.use([note.id], scope=ANN, actor=ASSISTANT, session=f"s{number}")
            memory.use([note.id], scope=ANN, actor=USER, how=How.repeated, session=f"s{number}")
        assert sum(mass - UNUSED for mass in _masses(memory).values()) == 0


def test_d_looking_changes_nothing() -> None:
    with open_memory() as memory:
        take_turn(memory, "My sister keeps bees in Lund. I work nights.", "Bees need calm places.", turn="t1")
        before = (memory.state_hash(), memory.log.head())
        for number in range(60):
            for query in (f"bees {number}", "蜂", "my sister"):
                memory.recall(query, scope=ANN, explain=True)
                memory.recall(query, scope=ANN, actor=ASSISTANT, session="s")
            memory.dormant(scope=ANN, idle_days=0, seed=number)
        assert (memory.state_hash(), memory.log.head()) == before


def test_what_a_turn_plans_is_what_its_transaction_applies() -> None:
    with open_memory() as memory:
        take_turn(memory, "My sister keeps bees in Lund. I work nights in Malmö.", turn="t1")
        book = memory.add("Bees sleep in winter.", scope=ANN, source=EXTERNAL, author="book", locator="book")
        memory.use([book.id], scope=ANN, actor=USER)
        for day in range(1, 4):
            at = (datetime.fromisoformat(AT) + timedelta(days=day)).isoformat()
            found = memory.recall("Where are the bees of my sister?", scope=ANN, actor=ASSISTANT, session="th", at=at)
            assert found.training_delta is not None
            planned = found.training_delta.mass_changes
            assert not found.training_delta.applied
            used = sorted(planned)[:2]
            part = _part(memory, f"d{day}", at=at, cited=used)
            assert used
            assert part == {name: planned[name] for name in used}


def _part(memory: ProvenanceMemory, turn: str, *, at: str, cited: list[str]) -> dict[str, float]:
    result = memory.commit(
        TurnPart(
            scope=ANN,
            thread="th",
            turn_id=turn,
            part="answer",
            recorded_at=at,
            user_text=f"Where are they, {turn}?",
            reply_text="In Lund.",
            cited=tuple(cited),
        )
    )
    assert result.training_delta is not None
    return dict(result.training_delta.mass_changes)


def test_a_person_who_cites_or_says_again_lets_the_item_gain_and_a_question_asserts_nothing() -> None:
    with open_memory() as memory:
        take_turn(memory, "I keep bees in Lund.", turn="t1", thread="a")
        bees = _named(memory, "I keep bees in Lund.")
        take_turn(memory, "I keep bees in Lund.", turn="t2", thread="b")
        assert _named(memory, "I keep bees in Lund.").mass == UNUSED + 0.49
        take_turn(memory, f"What is [m:{bees.handle}] about?", turn="t3", thread="c")
        take_turn(memory, f"And ［m:{bees.handle.upper()}］?", turn="t4", thread="d")
        mass = _named(memory, "I keep bees in Lund.").mass
        assert mass == UNUSED + 0.49 + 0.5 * (1 - (UNUSED + 0.49) / 50)
        take_turn(memory, "Where do I keep bees?", turn="t5", thread="e")
        take_turn(memory, "Where do I keep bees?", turn="t6", thread="f")
        assert _named(memory, "Where do I keep bees?").mass == UNUSED
        again = memory.add("I keep bees in Lund.", scope=ANN, source=USER, author="ann")
        assert again.id == bees.id


def test_another_persons_items_are_unknown_and_a_contradicted_one_gains_nothing() -> None:
    with open_memory() as memory:
        take_turn(memory, "I keep bees in Lund.", turn="t1")
        bees = _named(memory, "I keep bees in Lund.")
        moved = memory.add("I gave my bees away.", scope=ANN, source=USER, author="ann")
        memory.relate(moved.id, bees.id, "contradicts", scope=ANN)
        assert memory.use([bees.id], scope=ANN, actor=USER).mass_changes == {}
        memory.forget(moved.id, scope=ANN)
        assert set(memory.use([bees.id], scope=ANN, actor=USER).mass_changes) == {bees.id}
        with pytest.raises(UnknownNodeError):
            memory.use([bees.id], scope=BOB, actor=USER)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["use", "turn", "forget", "relate"]),
        st.integers(0, 9),
        st.sampled_from([USER, ASSISTANT]),
        st.sampled_from(list(How)),
        st.sampled_from("ab"),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None)
@given(STEPS)
def test_whatever_is_used_the_bounds_hold_and_a_replay_agrees(
    steps: list[tuple[str, int, SourceClass, How, str]],
) -> None:
    with open_memory() as memory:
        take_turn(memory, "I keep bees. I work nights.", GUESS, turn="t0")
        for number in range(3):
            memory.add(f"Chapter {number} is about bees.", scope=ANN, source=EXTERNAL, author="b", locator="book")
        for number, (verb, pick, actor, how, session) in enumerate(steps):
            nodes = memory.list(scope=ANN, limit=1000)
            if not nodes:
                break
            node = nodes[pick % len(nodes)]
            if verb == "use":
                memory.use([node.id, nodes[0].id], scope=ANN, actor=actor, how=how, session=session)
            elif verb == "turn":
                take_turn(memory, node.text, GUESS, turn=f"s{number}", thread=session, cited=[node.id])
            elif verb == "forget":
                memory.forget(node.id, scope=ANN)
            elif verb == "relate" and node.id != nodes[0].id:
                memory.relate(node.id, nodes[0].id, "supersedes", scope=ANN)
        for node in memory.list(scope=ANN, where=EVERYTHING, limit=1000):
            assert UNUSED <= node.mass <= MAX_MASS
            if ASSISTANT in node.origin and node.source is ASSISTANT:
                assert node.mass == UNUSED
        book = [n.mass - UNUSED for n in memory.list(scope=ANN, where=EVERYTHING, limit=1000) if n.locator]
        assert sum(book) <= MAX_MASS - UNUSED
        assert memory.state_hash() == memory.log.replayed_hash()
        assert memory.verify_chain() is None


def test_mass_leaves_with_an_export_and_the_assistants_own_claim_none() -> None:
    with open_memory() as memory, open_memory(ids="x") as other:
        take_turn(memory, "I keep bees in Lund.", GUESS, turn="t1")
        bees = _named(memory, "I keep bees in Lund.")
        memory.use([bees.id], scope=ANN, actor=USER, how=How.confirmed)
        rows = memory.export(scope=ANN)
        for row in rows:
            if row.get("source") == "assistant":
                row |= {"mass": 40.0, "last_used": AT}
        other.import_export(rows, scope=ANN)
        assert _masses(other) == {"I keep bees in Lund.": UNUSED + 0.98, GUESS: UNUSED}
        assert other.state_hash() == other.log.replayed_hash()


def test_with_training_off_nothing_is_planned_and_nothing_moves() -> None:
    off = Observability(training=False, breakdown=False, routing=False, brief=True)
    with ProvenanceMemory.open(":memory:", clock=Clock(), ids=Ids(), embedder="hash", observability=off) as memory:
        take_turn(
            memory, "I keep bees in Lund, and in the evening I read\nabout them for hours and hours on end.", turn="t1"
        )
        for turn in ("t2", "t3"):
            result = take_turn(memory, "I keep bees in Lund.", turn=turn, thread=turn)
            assert result.training_delta is None
        found = memory.recall("bees in Lund", scope=ANN, actor=USER)
        assert (found.training_delta, found.routing_hint) == (None, None)
        assert all(item.breakdown is None and len(item.node.text) <= 80 for item in found.items)
        assert set(_masses(memory).values()) == {UNUSED}
        assert memory.use([found.items[0].node.id], scope=ANN, actor=USER).mass_changes == {}


def test_clock_of_a_turn_is_its_own() -> None:
    with open_memory() as memory:
        take_turn(memory, "I keep bees in Lund.", turn="t1")
        found = memory.recall("bees", scope=ANN, at="2027-03-01T09:00:00+00:00")
        assert found.items[0].breakdown is not None
        assert 0.85 < found.items[0].breakdown.decay_factor < 0.8501
