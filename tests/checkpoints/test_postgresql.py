"""The log on a real PostgreSQL server: what only a server can do wrong. The rest is marked `log_contract`."""

from __future__ import annotations

import json
import logging
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from rqa_checkpoints import postgresql, tables
from rqa_checkpoints.database import Database
from rqa_checkpoints.erasing import pending_erasures, plan_node, write_receipt
from rqa_checkpoints.errors import (
    CheckpointError,
    FormatMismatchError,
    HomeLockedError,
    HomeNotWritableError,
    StoreUnavailableError,
)
from rqa_checkpoints.log import EventLog
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import SourceClass
from tests.support.memories import ANN, BOB, Clock, Ids, open_memory, take_turn
from tests.support.postgres import PASSWORD, Server
from tests.support.residue import traces

SECRET = {"en": "I keep nineteen hives behind the mill at Lund.", "ja": "私は北浜で織物の店を十九年しています。"}


@pytest.fixture
def address(postgres_server: Server) -> str:
    return postgres_server.new_database()


def _open(address: str, home: Path | str = ":memory:", *, read_only: bool = False) -> ProvenanceMemory:
    return ProvenanceMemory.open(home, clock=Clock(), ids=Ids(), embedder="hash", log=address, read_only=read_only)


def _name(address: str) -> str:
    return address.rsplit("/", 1)[1]


def _refusal(call: Callable[[], Any]) -> CheckpointError:
    """The error that a call ends with; no part of it, nor of its traceback, may hold the password."""
    with pytest.raises(CheckpointError) as refused:
        call().close()
    # Without the source lines, which hold the password of the test.
    told = "".join(map(str, [refused.value, refused.value.__cause__, refused.value.hint]))
    assert "s3cret" not in told
    assert refused.value.hint
    return refused.value


class TestAnAddress:
    def test_of_a_server_that_is_away_is_refused_with_the_address_and_no_password(self) -> None:
        error = _refusal(lambda: _open("postgresql://ann:s3cret@127.0.0.1:9/log"))
        assert isinstance(error, StoreUnavailableError)
        assert "'postgresql://127.0.0.1:9/log' does not answer" in error.message

    @pytest.mark.parametrize("password", ["s3cret-wrong", ""])
    def test_with_a_wrong_password_says_so(self, postgres_server: Server, password: str) -> None:
        error = _refusal(lambda: _open(postgres_server.address(password=password)))
        assert "refuses the user or the password" in error.message

    def test_of_a_database_that_is_not_there_names_it(self, postgres_server: Server) -> None:
        error = _refusal(lambda: _open(postgres_server.address("nowhere")))
        assert isinstance(error, StoreUnavailableError)
        assert "nowhere" in error.message

    @pytest.mark.parametrize("rest", ["ann:s3cret@x@127.0.0.1/log", "ann:s3cret@h:p/log"])
    def test_whose_password_is_not_escaped_is_refused_before_anything_is_sent(self, rest: str) -> None:
        assert "%40" in _refusal(lambda: _open(f"postgresql://{rest}")).hint

    def test_of_another_kind_is_refused(self) -> None:
        assert "'mysql'" in _refusal(lambda: _open("mysql://ann:s3cret@127.0.0.1/log")).message

    def test_is_shown_without_user_and_password(self, address: str) -> None:
        with _open(address) as memory:
            assert memory.log.place == f"postgresql://127.0.0.1:{address.split(':')[-1]}"

    def test_without_the_driver_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def missing(*_given: Any, **_named: Any) -> Any:
            raise ModuleNotFoundError("No module named 'psycopg'")

        monkeypatch.setattr(postgresql, "create_engine", missing)
        assert "rqa-graph[postgres]" in _refusal(lambda: _open("postgresql://ann:s3cret@127.0.0.1/log")).hint


class TestADatabase:
    def test_of_another_format_is_refused_and_left_as_it_is(self, postgres_server: Server, address: str) -> None:
        _open(address).close()
        postgres_server.execute("UPDATE meta SET value = '99'", _name(address))
        for read_only in (False, True):
            error = _refusal(lambda: _open(address, read_only=read_only))  # noqa: B023  # called at once
            assert "has format '99', this program reads" in error.message

    @pytest.mark.parametrize("table", ["node", "meta"])
    def test_with_tables_of_somebody_else_is_refused_and_left_as_it_is(
        self, postgres_server: Server, address: str, table: str
    ) -> None:
        postgres_server.execute(f"CREATE TABLE {table} (theirs text)", _name(address))
        error = _refusal(lambda: _open(address))
        assert isinstance(error, FormatMismatchError)
        found = postgres_server.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", _name(address))
        assert found == [(1,)]

    def test_that_cannot_hold_every_text_is_refused(self, postgres_server: Server) -> None:
        latin = postgres_server.new_database(more="ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        assert "LATIN1" in _refusal(lambda: _open(latin)).message

    def test_that_may_not_be_written_is_refused_in_words(self, postgres_server: Server, address: str) -> None:
        postgres_server.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        guest = address.replace("rqa:", "guest:").replace(address.split(":")[2].split("@")[0], "guest")
        assert isinstance(_refusal(lambda: _open(guest)), HomeNotWritableError)

    def test_that_is_new_is_an_empty_log_for_a_reader_and_stays_new(
        self, postgres_server: Server, address: str
    ) -> None:
        with _open(address, read_only=True) as memory:
            assert memory.list(scope=ANN) == []
        assert postgres_server.execute("SELECT to_regclass('meta')", _name(address)) == [(None,)]

    def test_that_two_processes_make_at_once_is_made_once(self, address: str) -> None:
        failures: list[BaseException] = []

        def make() -> None:
            try:
                Database.open(address).close()
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []

    def test_orders_text_as_sqlite_does_whatever_its_language(self, postgres_server: Server) -> None:
        more = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' TEMPLATE template0"
        with _open(postgres_server.new_database(more=more)) as memory:
            for user in ("b", "A", "a", "~", "é", "あ"):
                memory.add(f"I am {user} x.", scope=type(ANN)("local", user), source=SourceClass.user, author=user)
            assert memory.state_hash() == memory.log.replayed_hash()
            node = memory.list(scope=type(ANN)("local", "a"))[0]
            assert memory.lookup(node.handle[:5], scope=node.scope) == "prefix"

    def test_has_no_column_whose_order_or_length_is_the_servers(self, postgres_server: Server, address: str) -> None:
        _open(address).close()
        found = postgres_server.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
            " AND data_type IN ('text', 'character varying') AND (collation_name IS DISTINCT FROM 'C'"
            " OR character_maximum_length IS NOT NULL)",
            _name(address),
        )
        assert found == []


def test_a_commit_waits_for_the_disk_even_where_the_servers_default_does_not(
    postgres_server: Server, address: str
) -> None:
    postgres_server.execute(f"ALTER DATABASE {_name(address)} SET synchronous_commit = off")
    database = Database.open(address)
    with database.writing() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
    with database.reading() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "off"
        assert connection.execute(text("SHOW transaction_isolation")).scalar() == "repeatable read"
        assert connection.execute(text("SHOW transaction_read_only")).scalar() == "on"
    database.close()


def test_a_writer_is_the_only_one_from_its_first_statement(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "_BUSY_MILLISECONDS", 50)
    one, two = Database.open(address), Database.open(address)
    with one.writing(), pytest.raises(HomeLockedError, match="another process writes"), two.writing():
        pass
    with one.reading() as reader, two.writing() as writer:
        assert reader.execute(tables.blob.select()).all() == []
        writer.execute(tables.blob.insert(), {"tenant": "t", "user": "u", "digest": "d", "seq": 1})
        assert reader.execute(tables.blob.select()).all() == []
    with one.reading() as reader:
        assert len(reader.execute(tables.blob.select()).all()) == 1
    one.close()
    two.close()


def test_threads_of_one_process_stand_in_line_however_long_it_is(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "_BUSY_MILLISECONDS", 1)
    database, first = Database.open(address), threading.Event()

    def write(digest: str) -> None:
        first.wait()
        with database.writing() as writer:
            writer.execute(tables.blob.insert(), {"tenant": "t", "user": "u", "digest": digest, "seq": 1})

    with ThreadPoolExecutor(4) as pool:
        with database.writing():
            waiting = [pool.submit(write, str(number)) for number in range(4)]
            first.set()
            wait(waiting, timeout=0.1)  # a hundred times what a stranger would be given
            assert not any(one.done() for one in waiting)
        for one in waiting:
            one.result()
    with database.reading() as reader:
        assert len(reader.execute(tables.blob.select()).all()) == 4
    database.close()


def _lived(memory: ProvenanceMemory) -> None:
    take_turn(memory, "I keep bees. Are they loud?", "Bees hum softly.", turn="t1")
    take_turn(memory, "蜂を飼っています。", "静かな音です。", turn="t2", scope=BOB)
    memory.put_blob("a long text", scope=ANN)
    memory.add("He said: I keep bees.", scope=ANN, source=SourceClass.external, author="x", tags=["b", "a"])
    first = memory.list(scope=ANN)[0]
    memory.forget(first.handle, scope=ANN)
    memory.restore(first.handle, scope=ANN)


def test_the_same_calls_give_the_same_log_as_with_sqlite(address: str) -> None:
    """One chain, one state, one export, whichever engine holds it."""
    with open_memory() as file, _open(address) as server:
        for memory in (file, server):
            _lived(memory)
        assert server.log.head() == file.log.head()
        assert server.log.events() == file.log.events()
        assert server.state_hash() == file.state_hash() == server.log.replayed_hash()
        rows = [[{**row, "at": ""} for row in memory.export(scope=ANN)] for memory in (file, server)]
        assert rows[0] == rows[1]


def test_a_memory_moves_from_a_file_to_a_server_and_back(address: str) -> None:
    with open_memory() as file, _open(address) as server, open_memory() as back:
        _lived(file)
        for source, target in ((file, server), (server, back)):
            rows = json.loads(json.dumps(source.export(scope=ANN)))
            counts = target.import_export(rows, scope=ANN)
            assert sum(counts[source] for source in SourceClass) == len(file.list(scope=ANN))
        assert back.list(scope=ANN) == file.list(scope=ANN)
        assert back.verify_chain() is server.verify_chain() is None


def test_a_server_that_goes_and_comes_back_loses_nothing_and_is_met_again(
    postgres_server: Server, address: str
) -> None:
    with _open(address) as memory:
        take_turn(memory, "I keep bees.", "They hum.", turn="t1")
        postgres_server.stop()
        try:
            with pytest.raises(StoreUnavailableError, match="does not answer") as away:
                take_turn(memory, "I keep cats.", "They purr.", turn="t2")
        finally:
            postgres_server.start()
        assert PASSWORD not in str(away.value)
        assert take_turn(memory, "I keep cats.", "They purr.", turn="t2").state == "written"
        assert take_turn(memory, "I keep bees.", "They hum.", turn="t1").state == "repeated"
        assert memory.verify_chain() is None


def test_nothing_secret_is_logged(address: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), _open(address) as memory:
        take_turn(memory, SECRET["en"], turn="t1")
        with pytest.raises(CheckpointError) as refused, memory.log.writing() as writer:
            writer.connection.execute(tables.content.insert(), {"seq": 1, "private": SECRET["en"].encode()})
    told = caplog.text + "".join(traceback.format_exception(refused.value))
    assert "s3cret" not in told
    assert "nineteen hives" not in told


@pytest.fixture
def erased(postgres_server: Server, address: str, request: pytest.FixtureRequest) -> tuple[str, str, Path]:
    """A secret was said and its tables were analysed; then the log erased it. (address, secret, folder of the data)"""
    secret = SECRET[request.param]
    with _open(address) as memory:
        take_turn(memory, secret, "Noted.", turn="t1")
        for number in range(40):
            take_turn(memory, f"I painted fence {number}.", turn=f"u{number}")
        postgres_server.execute("ANALYZE", _name(address))
        postgres_server.execute("CHECKPOINT")
        oid = postgres_server.execute("SELECT oid FROM pg_database WHERE datname = current_database()", _name(address))
        folder = postgres_server.data / "base" / str(oid[0][0])
        assert traces(folder, secret.strip(".。")), "the search itself must be able to find something"
        [node] = [one for one in memory.list(scope=ANN, limit=100) if one.text == secret]
        with memory.log.reading() as view:
            plan = plan_node(view, node)
        memory.erase([plan], subject="node", name=node.handle, threads=[])
    return address, secret, folder


@pytest.mark.parametrize("erased", ["en", "ja"], indirect=True)
def test_no_byte_of_what_was_erased_is_left_in_the_tables_and_the_write_ahead_log_keeps_it(
    erased: tuple[str, str, Path], postgres_server: Server
) -> None:
    address, secret, folder = erased
    log = EventLog.open(address, clock=Clock(), ids=Ids("more"))
    log.scrub()
    with log.reading() as view:
        [pending] = pending_erasures(view)
    with log.writing() as writer:
        write_receipt(writer, pending, {"cleared": {}})
    postgres_server.execute("CHECKPOINT")
    assert traces(folder, secret.strip(".。")) == []
    assert traces(folder, "I painted fence 7") != []
    # What the receipt says that we cannot reach is really there.
    assert traces(postgres_server.data / "pg_wal", secret.strip(".。")) != []
    assert log.verify_chain() is None
    assert log.state_hash() == log.replayed_hash()
    log.close()


@pytest.mark.parametrize("erased", ["en"], indirect=True)
def test_who_still_sees_what_was_erased_holds_the_erasure_up(
    erased: tuple[str, str, Path], postgres_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, secret, folder = erased
    monkeypatch.setattr(postgresql, "_BUSY_MILLISECONDS", 100)
    reader, log = Database.open(address), EventLog.open(address, clock=Clock(), ids=Ids("more"))
    with log.writing() as writer:
        writer.append("blob", ANN, {}, {"digest": "d", "text": "t"})
    with reader.reading() as view:
        view.execute(tables.meta.select()).all()
        with log.writing() as writer:
            writer.append("blob", ANN, {}, {"digest": "e", "text": "t"})
        with pytest.raises(HomeLockedError, match="another process reads"):
            log.scrub()
    log.scrub()
    postgres_server.execute("CHECKPOINT")
    assert traces(folder, secret.strip(".。")) == []
    log.close()
    reader.close()
