from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from rqa_checkpoints.audit import audit
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import MemoryNode, SourceClass, TurnPart
from tests.support.growth import assert_no_more_than
from tests.support.memories import ANN, AT, BOB, open_memory, plan, take_turn


@pytest.fixture
def memory() -> Iterator[ProvenanceMemory]:
    with open_memory() as opened:
        yield opened


def _item(memory: ProvenanceMemory, text: str, source: SourceClass, *, name: str, turn: str = "t1") -> MemoryNode:
    node = plan(memory, "x.", source=source, turn=turn)[0]
    return replace(node, id=f"n_{name}", handle=name, text=text)


def test_a_sound_memory_has_counts_and_no_findings(memory: ProvenanceMemory) -> None:
    take_turn(memory, "I keep bees. 蜂が好きです。", "They hum softly.", turn="t1")
    report = memory.audit(scope=ANN)
    assert (report.total, report.by_source) == (3, {"assistant": 1, "user": 2})
    assert [*report.exact_duplicates, *report.near_duplicates, *report.quarantined, *report.from_own_prompt] == []
    assert report.clean
    assert memory.audit(scope=BOB).total == 0


@pytest.mark.parametrize(
    ("one", "two", "near"),
    [
        ("The delay comes from the backup job.", "The delay comes from the backup jobs.", True),
        ("遅延の原因は夜間のバックアップ処理です。", "遅延の原因は夜間バックアップ処理です。", True),
        ("I keep bees.", "I KEEP bees!", False),
    ],
)
def test_duplicates_are_found_across_speakers(memory: ProvenanceMemory, one: str, two: str, near: bool) -> None:
    items = [
        _item(memory, one, SourceClass.user, name="a"),
        _item(memory, "Something else altogether.", SourceClass.user, name="b"),
        _item(memory, two, SourceClass.assistant, name="c"),
    ]
    report = audit(items, {})
    assert (report.near_duplicates if near else report.exact_duplicates) == (("n_a", "n_c"),)
    assert (report.exact_duplicates if near else report.near_duplicates) == ()


def test_a_models_copy_of_its_own_prompt_is_found_and_the_users_words_are_not(memory: ProvenanceMemory) -> None:
    prompts = {"t1": ["I keep bees in Lund. 蜂をルンドで飼っています。"]}
    items = [
        _item(memory, "I keep bees in Lund.", SourceClass.assistant, name="a"),
        _item(memory, "蜂をルンドで飼っています。", SourceClass.external, name="b"),
        _item(memory, "I keep bees in Lund.", SourceClass.user, name="c"),
        _item(memory, "I keep bees in Lund.", SourceClass.assistant, name="d", turn="t2"),
        _item(memory, "Bees like heather.", SourceClass.assistant, name="e"),
    ]
    report = audit(items, prompts)
    assert report.from_own_prompt == ("n_a", "n_b")
    assert not report.clean


def test_the_prompt_of_a_turn_is_its_message_and_what_its_report_names(memory: ProvenanceMemory) -> None:
    shown = memory.add("Heather honey is dark.", scope=ANN, source=SourceClass.user, author="ann")
    copied = plan(memory, "Heather honey is dark.", source=SourceClass.assistant, turn="t2")
    echoed = plan(memory, "What is heather honey like today", source=SourceClass.assistant, turn="t2")
    memory.commit(
        TurnPart(
            scope=ANN,
            thread="th",
            turn_id="t2",
            part="answer",
            recorded_at=AT,
            user_text="What is heather honey like today?",
            reply_text="Heather honey is dark.",
            nodes=(*copied, *echoed),
            report={"injected_not_cited": [shown.handle]},
        )
    )
    assert set(memory.audit(scope=ANN).from_own_prompt) == {copied[0].id, echoed[0].id}


def test_thousands_of_items_are_audited_without_comparing_all_pairs(memory: ProvenanceMemory) -> None:
    base = _item(memory, "x", SourceClass.user, name="a")

    def audited(count: int, verb: str) -> None:
        words = [f"{n * 7919 % 10007:05d}{n:04x}" for n in range(count)]
        items = [replace(base, id=f"n_{n}", text=f"{verb} {word} about {word[::-1]}") for n, word in enumerate(words)]
        twin = replace(base, id="n_twin", text=items[7].text)
        assert audit([*items, twin], {}).exact_duplicates == (("n_7", "n_twin"),)

    assert_no_more_than(20, lambda at: audited(375, f"few{at}"), lambda at: audited(3000, f"many{at}"))
