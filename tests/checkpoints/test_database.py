from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Dialect, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import OperationalError
from sqlalchemy.schema import CreateIndex, CreateTable

from rqa_checkpoints import sqlite, tables
from rqa_checkpoints.database import Database
from rqa_checkpoints.errors import CheckpointError, HomeLockedError, HomeNotWritableError, StoreUnavailableError
from tests.support.memories import ANN, open_memory, take_turn


def test_a_commit_is_on_disk_when_it_returns(tmp_path: Path) -> None:
    opened = Database.open(tmp_path / "log.sqlite")
    with opened.writing() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2
        assert connection.execute(text("PRAGMA secure_delete")).scalar() == 1
    opened.close()


def test_a_writer_is_the_only_one_from_its_first_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_BUSY_MILLISECONDS", 50)
    one, two = Database.open(tmp_path / "log.sqlite"), Database.open(tmp_path / "log.sqlite")
    with one.writing(), pytest.raises(HomeLockedError, match="another process writes"), two.writing():
        pass
    with one.reading() as reader, two.writing() as writer:
        writer.execute(tables.blob.insert(), {"tenant": "t", "user": "u", "digest": "d", "seq": 1})
        assert reader.execute(tables.blob.select()).all() == []
    with one.reading() as reader:
        assert len(reader.execute(tables.blob.select()).all()) == 1
    one.close()
    two.close()


def test_a_full_disk_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        take_turn(memory, "I keep bees.", "They hum.", turn="t1")
        before = (memory.log.head(), memory.state_hash())
        with memory.log.reading() as view:
            pages = view.execute(text("PRAGMA page_count")).scalar_one()
            view.execute(text(f"PRAGMA max_page_count = {pages + 2}"))
        with pytest.raises(HomeNotWritableError, match="full"):
            memory.put_blob("x" * 200_000, scope=ANN)
        assert (memory.log.head(), memory.state_hash()) == before
        assert memory.verify_chain() is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_can_be_read(tmp_path: Path) -> None:
    with open_memory(tmp_path / "home") as memory:
        take_turn(memory, "I keep bees.", turn="t1")
    (tmp_path / "home").chmod(0o500)
    try:
        with pytest.raises(HomeNotWritableError):
            open_memory(tmp_path / "home")
        with open_memory(tmp_path / "home", read_only=True) as memory:
            assert [node.text for node in memory.list(scope=ANN)] == ["I keep bees."]
    finally:
        (tmp_path / "home").chmod(0o700)


def test_the_layout_is_one_that_postgresql_accepts() -> None:
    dialect: Dialect = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy gives it no annotation
    for table in tables.metadata.sorted_tables:
        assert "CREATE TABLE" in str(CreateTable(table).compile(dialect=dialect))
        for index in table.indexes:
            assert "CREATE" in str(CreateIndex(index).compile(dialect=dialect))
    assert "seq BIGINT" in str(CreateTable(tables.event).compile(dialect=dialect))
    assert '"user" TEXT' in str(CreateTable(tables.node).compile(dialect=dialect))


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("database is locked", HomeLockedError),
        ("attempt to write a readonly database", HomeNotWritableError),
        ("database or disk is full", HomeNotWritableError),
        ("connection refused", StoreUnavailableError),
    ],
)
def test_what_a_driver_says_becomes_words_for_people(words: str, kind: type[CheckpointError]) -> None:
    error = sqlite._translate(OperationalError("SELECT", {}, sqlite3.OperationalError(words)), "/home/x")
    assert type(error) is kind
    assert "'/home/x'" in error.message
    assert error.hint
