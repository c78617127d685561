"""P1-P7 and P10 of the memory, for any conversation: whatever is said in whatever order, no class ever changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.planning import is_injected
from rqa_checkpoints.provenance import (
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    confirmed_by,
    fingerprint,
    fold,
    is_question,
)
from rqa_checkpoints.queries import NodeFilter
from tests.support.memories import ANN, BOB, open_memory, plan, take_turn

SENTENCES = [
    "I keep bees in Lund.",
    "You probably have sleep apnea.",
    "Yes, I have sleep apnea.",
    "Yes, that's right.",
    "No, that is wrong.",
    "Do I have sleep apnea?",
    "When does the ferry for Tomaso leave?",
    "The delay is 3 days.",
    "The delay is 4 days.",
    "蜂を飼っています。",
    "あなたは睡眠時無呼吸かもしれません。",
    "はい、私は睡眠時無呼吸です。",
    "はい、その通りです。",
    "いいえ、違います。",
    "私は睡眠時無呼吸ですか。",
    "田中さんはいつ来ますか",
]
FREE = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=25)
MESSAGE = st.lists(st.sampled_from(SENTENCES) | FREE, max_size=3).map(" ".join)
EVERYTHING = NodeFilter(hidden=None)


@dataclass(frozen=True)
class Step:
    said: str
    reply: str
    thread: str
    scope: Scope


STEPS = st.lists(
    st.builds(Step, said=MESSAGE, reply=MESSAGE, thread=st.sampled_from("ab"), scope=st.sampled_from([ANN, BOB])),
    min_size=1,
    max_size=6,
)
_EXAMPLES = settings(max_examples=20, deadline=None)


def _all(memory: ProvenanceMemory, scope: Scope) -> dict[str, MemoryNode]:
    return {node.id: node for node in memory.list(scope=scope, where=EVERYTHING, limit=1000)}


def _talk(memory: ProvenanceMemory, steps: Sequence[Step]) -> None:
    for number, step in enumerate(steps):
        take_turn(memory, step.said, step.reply, turn=f"t{number}", thread=step.thread, scope=step.scope)


@_EXAMPLES
@given(STEPS)
def test_p1_source_and_text_never_change(steps: list[Step]) -> None:
    with open_memory() as memory:
        born: dict[str, MemoryNode] = {}
        for number, step in enumerate(steps):
            take_turn(memory, step.said, step.reply, turn=f"t{number}", thread=step.thread, scope=step.scope)
            now = {**_all(memory, ANN), **_all(memory, BOB)}
            for item, node in born.items():
                assert (now[item].source, now[item].text, now[item].handle) == (node.source, node.text, node.handle)
                assert (now[item].author, now[item].kind, now[item].derived_from) == (
                    node.author,
                    node.kind,
                    node.derived_from,
                )
            born = now
        assert memory.verify_chain() is None
        assert memory.state_hash() == memory.log.replayed_hash()


@_EXAMPLES
@given(STEPS)
def test_p1_a_confirmation_is_a_new_item_of_the_user_over_an_item_that_stays_the_assistants(steps: list[Step]) -> None:
    with open_memory() as memory:
        _talk(memory, steps)
        for scope in (ANN, BOB):
            nodes = _all(memory, scope)
            for node in nodes.values():
                for guess in confirmed_by(node):
                    assert node.source is SourceClass.user
                    assert nodes[guess].source is SourceClass.assistant
                    assert SourceClass.assistant in node.origin


@_EXAMPLES
@given(MESSAGE, MESSAGE, st.sampled_from([SourceClass.assistant, SourceClass.external]))
def test_p2_what_was_injected_is_never_an_item_of_a_model_or_tool(shown: str, reply: str, source: SourceClass) -> None:
    with open_memory() as memory:
        marks = [fingerprint(shown)]
        for node in plan(memory, f"{reply} {shown}", source=source, injected=[shown]):
            assert not is_injected(node.text, marks)
        assert plan(memory, reply, source=SourceClass.system) == []


@_EXAMPLES
@given(MESSAGE, st.sampled_from(["[memory_context]", "［／input］", "[Document x]", "[/me\u200bmory_context]"]))
def test_p2_our_own_markers_never_become_memory(text: str, marker: str) -> None:
    with open_memory() as memory:
        for node in plan(memory, f"{text} {marker}. {text}"):
            assert marker not in node.text


@_EXAMPLES
@given(MESSAGE, st.sampled_from(list(SourceClass)), st.sampled_from([None, Kind.statement, Kind.claim, Kind.value]))
def test_p3_what_is_asked_is_never_a_fact(text: str, source: SourceClass, kind: Kind | None) -> None:
    with open_memory() as memory:
        for node in plan(memory, text, source=source, kind=kind):
            if is_question(node.text):
                assert node.kind is Kind.question


@_EXAMPLES
@given(st.sampled_from(SENTENCES) | FREE, st.integers(2, 5))
def test_p4_the_assistant_gains_nothing_by_saying_it_again(guess: str, times: int) -> None:
    with open_memory() as memory:
        take_turn(memory, "", guess, turn="t0")
        before = _all(memory, ANN)
        for number in range(1, times):
            take_turn(memory, "", f"{guess}!", turn=f"t{number}", thread=f"x{number}")
        assert _all(memory, ANN) == before


@_EXAMPLES
@given(STEPS)
def test_p5_without_a_yes_nothing_is_confirmed(steps: list[Step]) -> None:
    with open_memory() as memory:
        without = [
            Step(said=step.said, reply=step.reply, thread=step.thread, scope=step.scope)
            for step in steps
            if not any(yes in fold(step.said) for yes in ("yes", "はい", "right", "correct", "true", "そ", "通り"))
        ]
        _talk(memory, without)
        assert not any(confirmed_by(node) for node in _all(memory, ANN).values())


@_EXAMPLES
@given(STEPS)
def test_p5_only_the_user_denies_and_what_is_denied_is_not_confirmed_by_the_same_words(steps: list[Step]) -> None:
    with open_memory() as memory:
        _talk(memory, steps)
        for scope in (ANN, BOB):
            nodes = _all(memory, scope)
            edges = {edge for item in nodes for edge in memory.show(item, scope=scope).edges}
            for edge in (edge for edge in edges if edge.kind == "contradicts"):
                assert nodes[edge.src].source is SourceClass.user
                assert nodes[edge.dst].source is SourceClass.assistant
                assert edge.dst not in confirmed_by(nodes[edge.src])
                assert nodes[edge.src].origin == (SourceClass.user,)


@_EXAMPLES
@given(STEPS)
def test_p6_the_same_statement_is_one_item_seen_once_a_thread_and_no_add_deletes(steps: list[Step]) -> None:
    with open_memory() as memory:
        threads: Counter[str] = Counter()
        seen: set[tuple[str, str]] = set()
        size = 0
        for number, step in enumerate(steps):
            result = take_turn(memory, step.said, step.reply, turn=f"t{number}", thread=step.thread, scope=step.scope)
            for item in result.written:
                if (item, step.thread) not in seen:
                    seen.add((item, step.thread))
                    threads[item] += 1
            nodes = {**_all(memory, ANN), **_all(memory, BOB)}
            assert len(nodes) >= size
            size = len(nodes)
        for node in nodes.values():
            assert node.seen == (1 if node.source is SourceClass.assistant else threads[node.id])
        keys = Counter(
            (n.tenant, n.user, n.source, n.author, n.kind, fold(n.text), confirmed_by(n)) for n in nodes.values()
        )
        assert set(keys.values()) <= {1}
        head = memory.log.head()
        _talk(memory, steps)
        assert memory.log.head() == head


@_EXAMPLES
@given(STEPS)
def test_p7_nobody_sees_or_changes_another_persons_items(steps: list[Step]) -> None:
    with open_memory() as both, open_memory() as alone:
        _talk(both, steps)
        for number, step in enumerate(steps):
            if step.scope == ANN:
                take_turn(alone, step.said, step.reply, turn=f"t{number}", thread=step.thread)
        own = _all(both, ANN)
        assert own == _all(alone, ANN)
        assert both.counts(scope=ANN) == alone.counts(scope=ANN)
        assert both.graph(scope=ANN).export() == alone.graph(scope=ANN).export()
        assert both.get(list(own), scope=BOB) == []
        assert {both.lookup(node.id, scope=BOB) for node in own.values()} <= {None}


@_EXAMPLES
@given(STEPS, MESSAGE)
def test_p10_only_our_own_record_says_who_said_a_message(steps: list[Step], claimed: str) -> None:
    with open_memory() as memory:
        _talk(memory, steps)
        own = [step for step in steps if step.scope == ANN]
        said, replied = {step.said for step in own}, {step.reply for step in own}
        speaker = memory.speaker_of(claimed, scope=ANN)
        if not claimed or claimed not in said | replied:
            assert speaker is None
        elif claimed in replied:
            assert speaker is SourceClass.assistant
        else:
            assert speaker is SourceClass.user


@_EXAMPLES
@given(STEPS, MESSAGE, MESSAGE)
def test_a_plan_writes_nothing_and_the_write_finds_the_same_items(steps: list[Step], said: str, reply: str) -> None:
    with open_memory() as memory:
        _talk(memory, steps)
        before = memory.log.head()
        planned = [node.id for node in plan(memory, said, turn="last", thread="a")]
        assert memory.log.head() == before
        result = take_turn(memory, said, reply, turn="last", thread="a")
        assert result.state == "written"
        assert list(result.written)[: len(planned)] == planned
