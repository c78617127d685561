from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, delete, func, inspect, select, text, update

from rqa_checkpoints import tables
from rqa_checkpoints.errors import FormatMismatchError, HomeNotWritableError
from rqa_checkpoints.provenance import SourceClass
from tests.support.memories import ANN, BOB, open_log, open_memory, take_turn, tamper

pytestmark = pytest.mark.log_contract

EVENT, CONTENT, NODE = tables.event, tables.content, tables.node


def _filled(path: Path) -> None:
    with open_memory(path) as memory:
        take_turn(memory, "I keep bees. Are they loud?", "Bees hum softly.", turn="t1")
        take_turn(memory, "蜂を飼っています。", "静かな音です。", turn="t2")
        memory.put_blob("a long text", scope=ANN)
        memory.forget(memory.list(scope=ANN)[0].handle, scope=ANN)


def _rows(statement: Any) -> Callable[[Connection], int]:
    return lambda connection: connection.execute(statement).rowcount


def _other_words(connection: Connection) -> int:
    """Put other words where these were."""
    changed = 0
    for seq, words in connection.execute(select(CONTENT.c.seq, CONTENT.c.private)).all():
        if b"bees" in words:
            other = words.replace(b"bees", b"wasps")
            changed += connection.execute(update(CONTENT).where(CONTENT.c.seq == seq).values(private=other)).rowcount
    return changed


def test_what_is_written_is_there_after_reopening(tmp_path: Path) -> None:
    _filled(tmp_path)
    with open_memory(tmp_path) as memory:
        assert memory.verify_chain() is None
        assert memory.log.head().seq == memory.log.events()[-1].seq == len(memory.log.events())
        assert memory.counts(scope=ANN)["total"] == {"visible": 4, "hidden": 1}


def test_the_state_is_what_the_events_add_up_to(tmp_path: Path) -> None:
    _filled(tmp_path)
    with open_memory(tmp_path) as memory:
        assert memory.state_hash() == memory.log.replayed_hash()
        before = memory.state_hash()
        take_turn(memory, "One more.", turn="t3")
        assert memory.state_hash() == memory.log.replayed_hash() != before


def test_the_same_calls_with_the_same_clock_and_ids_give_the_same_log(tmp_path: Path) -> None:
    for name in ("one", "two"):
        _filled(tmp_path / name)
    with open_memory(tmp_path / "one") as one, open_memory(tmp_path / "two") as two:
        assert one.state_hash() == two.state_hash()
        assert one.log.head() == two.log.head()


_BODY = func.replace(EVENT.c.body, "user", "assistant")
_LAST = select(func.max(EVENT.c.seq)).scalar_subquery()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_other_words, id="words"),
        pytest.param(_rows(update(EVENT).where(EVENT.c.op == "node").values(body=_BODY)), id="class"),
        pytest.param(_rows(delete(EVENT).where(EVENT.c.seq == 2)), id="event"),
        pytest.param(_rows(delete(EVENT).where(EVENT.c.seq == _LAST)), id="end"),
        pytest.param(_rows(delete(CONTENT).where(CONTENT.c.seq == 1)), id="no words"),
        pytest.param(_rows(update(EVENT).where(EVENT.c.seq == 1).values(user="bob")), id="owner"),
        pytest.param(_rows(update(EVENT).where(EVENT.c.seq == 3).values(at="2020-01-01T00:00:00.000+00:00")), id="at"),
    ],
)
def test_tampering_with_the_truth_breaks_the_chain(tmp_path: Path, change: Callable[[Connection], int]) -> None:
    _filled(tmp_path)
    tamper(tmp_path, change)
    with open_memory(tmp_path, read_only=True) as memory:
        assert memory.verify_chain() is not None


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_rows(update(NODE).where(NODE.c.source == "assistant").values(source="user")), id="source"),
        pytest.param(_rows(update(NODE).values(seen=9)), id="seen"),
        pytest.param(_rows(delete(tables.seen)), id="threads"),
        pytest.param(_rows(update(tables.part).values(outcome="x")), id="outcome"),
    ],
)
def test_tampering_with_what_was_derived_is_seen_by_the_replay(
    tmp_path: Path, change: Callable[[Connection], int]
) -> None:
    _filled(tmp_path)
    tamper(tmp_path, change)
    with open_memory(tmp_path, read_only=True) as memory:
        assert memory.verify_chain() is None
        assert memory.state_hash() != memory.log.replayed_hash()


def test_no_words_lie_outside_the_erasable_table(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        take_turn(memory, "My sister Ottoline keeps bees.", "Ottoline sounds kind.", turn="t1")
        memory.add("Ottoline's tea", scope=ANN, source=SourceClass.external, author="reader", locator="ottoline.md")
        memory.put_blob("Ottoline, at length", scope=ANN)
    log = open_log(tmp_path, read_only=True)
    with log.reading() as view:
        found = {
            table
            for table in inspect(view).get_table_names()
            for row in view.execute(text(f'SELECT * FROM "{table}"'))
            if b"ottoline" in b"|".join(v if isinstance(v, bytes) else str(v).encode() for v in row).lower()
        }
    log.close()
    assert found == {"content"}


def test_a_block_that_raises_leaves_nothing(tmp_path: Path) -> None:
    log = open_log(tmp_path)

    def half() -> None:
        with log.writing() as writer:
            writer.append("blob", ANN, {}, {"digest": "d", "text": "t"})
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        half()
    assert log.events() == []
    assert log.head().seq == 0
    log.close()


def test_changes_name_each_item_once_at_its_last_change(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        take_turn(memory, "I keep bees.", "Good.", turn="t1")
        take_turn(memory, "I keep bees.", turn="t9", scope=BOB)
        bees = memory.list(scope=ANN)[-1]
        log, last = memory.log, memory.log.last_seq()
        assert [change.op for change in log.changes_after(0, limit=10)] == ["put", "put", "put"]
        assert len(log.changes_after(0, limit=2)) == 2
        assert {change.node.user for change in log.changes_after(0, limit=10, scope=BOB)} == {"bob"}
        memory.forget(bees.handle, scope=ANN)
        assert [(c.op, c.node.id) for c in log.changes_after(last, limit=10)] == [("drop", bees.id)]
        assert [c.node.id for c in log.changes_after(0, limit=10)][-1] == bees.id
        memory.restore(bees.handle, scope=ANN)
        assert [c.op for c in log.changes_after(last, limit=10)] == ["put"]
        assert log.changes_after(log.last_seq(), limit=10) == []


def test_a_log_of_another_format_is_refused_with_both_versions_named(tmp_path: Path) -> None:
    _filled(tmp_path)
    tamper(tmp_path, _rows(update(tables.meta).where(tables.meta.c.name == "format").values(value="99")))
    with pytest.raises(FormatMismatchError, match=f"format '99', this program reads '{tables.FORMAT}'"):
        open_memory(tmp_path)


def test_a_file_that_is_no_log_is_refused(tmp_path: Path, log_engine: str) -> None:
    if log_engine != "sqlite":
        pytest.skip("a server is no file")
    (tmp_path / "log.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 50)
    for read_only in (False, True):
        with pytest.raises(FormatMismatchError, match="is no log"):
            open_memory(tmp_path, read_only=read_only)


def test_reading_an_absent_log_is_an_empty_log_and_makes_no_file(tmp_path: Path) -> None:
    with open_memory(tmp_path / "none", read_only=True) as memory:
        assert memory.list(scope=ANN) == []
        assert memory.verify_chain() is None
    assert not (tmp_path / "none").exists()


def test_a_log_opened_for_reading_refuses_to_write(tmp_path: Path) -> None:
    _filled(tmp_path)
    with open_memory(tmp_path, read_only=True) as memory, pytest.raises(HomeNotWritableError, match="for reading"):
        memory.put_blob("x", scope=ANN)


@pytest.mark.parametrize("place", ["file", ":memory:"])
def test_writers_and_readers_of_many_threads_do_not_disturb_each_other(tmp_path: Path, place: str) -> None:
    log = open_log(tmp_path if place == "file" else place)
    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(20):
                with log.writing() as writer:
                    writer.append("blob", ANN, {}, {"digest": f"{name}{number}", "text": "t"})
                log.head()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(log.events()) == 80
    assert log.verify_chain() is None
    log.close()
