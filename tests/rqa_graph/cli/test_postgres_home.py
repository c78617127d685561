"""A home whose log lies on a PostgreSQL server, as a person uses it: by one variable."""

from __future__ import annotations

import pytest

from rqa_graph.errors import ConfigError
from rqa_graph.settings import Settings
from tests.support.cli import Cli
from tests.support.postgres import Server
from tests.support.residue import traces


@pytest.fixture
def address(postgres_server: Server) -> str:
    return postgres_server.new_database()


@pytest.fixture
def shared(cli: Cli, address: str) -> Cli:
    cli.set(RQA_LOG_URL=address, RQA_MEMORY__EMBEDDER="hash")
    return cli


@pytest.mark.parametrize(
    ("lang", "said", "asked", "found"),
    [
        ("en", "I keep bees near Lund.", "What do you know about my bees?", "Lund"),
        ("ja", "私は大阪で織物の店をしています。", "私の店について何を知っていますか？", "大阪"),
    ],
)
def test_turns_are_remembered_there_and_not_in_the_home(
    shared: Cli, lang: str, said: str, asked: str, found: str
) -> None:
    assert shared("memory", "list", "--lang", lang).code == 0, "an empty database is an empty memory"
    assert shared("ask", said, "--lang", lang).code == 0
    assert found in shared("ask", asked, "--lang", lang).out
    assert not (shared.home / "log.sqlite").exists()
    assert shared.state()[0] > 0


def test_another_home_on_the_same_log_knows_what_was_said(shared: Cli) -> None:
    shared("memory", "add", "I keep bees near Lund.")
    other = str(shared.home.with_name("other"))
    assert "Lund" in shared("memory", "recall", "bees", "--home", other).out
    shared("memory", "add", "The bees sleep in winter.", "--home", other)
    assert "winter" in shared("memory", "recall", "bees sleep").out


def test_an_erasure_says_in_its_receipt_what_a_server_keeps(shared: Cli) -> None:
    shared("memory", "add", "I keep nineteen hives.")
    handle = shared("memory", "list", "--json").json["items"][0]["handle"]
    told = shared("memory", "erase", handle, "--yes", "--json").json["receipt"]
    assert {"postgresql", "other_homes"} <= set(told["unreachable"])
    shared("memory", "add", "I keep nineteen boats.")
    handle = shared("memory", "list", "--json").json["items"][0]["handle"]
    assert "write-ahead log" in shared("memory", "erase", handle, "--yes").out
    assert shared.state()[0] > 0


def test_another_home_follows_an_erasure_when_it_is_next_opened(shared: Cli) -> None:
    secret, other = "I keep nineteen hives behind the mill.", shared.home.with_name("other")
    shared("ask", secret, "--home", str(other))
    shared("memory", "add", "I restore boats.", "--home", str(other))
    assert traces(other / "checkpoints", secret.strip(".")) != []
    [item] = [one for one in shared("memory", "list", "--json").json["items"] if one["text"] == secret]
    assert shared("memory", "erase", item["handle"], "--yes").code == 0
    (other / "index" / "left").touch()
    assert "boats" in shared("memory", "recall", "boats", "--home", str(other)).out
    assert traces(other, secret.strip(".")) == []
    assert not (other / "index" / "left").exists(), "the index was not built anew"
    (other / "index" / "left").touch()
    shared("memory", "recall", "boats", "--home", str(other))
    assert (other / "index" / "left").exists(), "it was built anew once more, for nothing"


def test_a_backup_of_a_server_is_the_servers(shared: Cli) -> None:
    shared("memory", "add", "I keep bees.")
    refused = shared("backup", str(shared.home.with_name("b.tar.gz")))
    assert (refused.code, "pg_dump" in refused.err) == (2, True)


@pytest.mark.parametrize("command", [("ask", "Hello, what is it?"), ("memory", "list"), ("check",)])
@pytest.mark.parametrize("place", ["ann:s3cret@127.0.0.1:9/log", "ann:s3cret/x@127.0.0.1:9/log"])
def test_a_server_that_is_away_is_named_and_the_password_is_not(cli: Cli, command: tuple[str, ...], place: str) -> None:
    cli.set(RQA_LOG_URL=f"postgresql://{place}", RQA_MEMORY__EMBEDDER="hash")
    told = cli(*command)
    assert told.code == (0 if command == ("check",) else 6)
    assert "s3cret" not in told.out + told.err
    assert "postgresql://" in told.out + told.err


@pytest.mark.parametrize("name", ["RQA_LOG_URL", "RQA_CHECKPOINTER", "RQA_MEMORY__LOG"])
def test_a_place_that_is_none_is_refused_without_what_it_may_hold(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "mysql://ann:s3cret@db/log")
    with pytest.raises(ConfigError) as refused:
        Settings.load(home=cli.home)
    assert "postgresql://user:password@host" in refused.value.message
    assert "s3cret" not in refused.value.message


def test_an_address_is_shown_without_its_password_and_not_in_a_repr(shared: Cli, address: str) -> None:
    told = shared("check")
    assert f"postgresql://{address.rsplit('@', 1)[1]}" in told.out
    assert "s3cret" not in told.out
    assert "s3cret" not in repr(Settings.load(home=shared.home))


def test_threads_lie_there_too_and_go_on_in_another_process(shared: Cli, address: str, postgres_server: Server) -> None:
    shared.set(RQA_CHECKPOINTER=address.replace("postgresql", "postgres"))
    database = address.rsplit("/", 1)[1]
    first = shared("ask", "I keep bees near Lund.", "--json").json
    assert first["ok"], first["error"]
    assert not (shared.home / "checkpoints").exists()
    kept = postgres_server.execute(f"SELECT count(*) FROM checkpoints WHERE thread_id = '{first['thread']}'", database)
    assert kept[0][0] > 2
    assert shared("ask", "What do you know about my bees?", "--json").json["report"]["counts"] == {"valid": 1}
    told = postgres_server.execute(
        "SELECT metadata->'cited' FROM checkpoints WHERE metadata ? 'cited' ORDER BY checkpoint_id DESC LIMIT 1",
        database,
    )
    assert [one["source"] for one in told[0][0]] == ["user"]
    handle = next(one["handle"] for one in first["memory"]["written"] if one["source"] == "user")
    receipt = shared("memory", "erase", handle, "--yes", "--json").json["receipt"]
    assert receipt["cleared"]["threads"] == 2
    assert receipt["cleared"]["checkpoint_points"] > 2
    refused = shared("backup", str(shared.home.with_name("b.tar.gz")))
    assert refused.code == 2


def test_checkpoints_alone_on_a_server_are_not_backed_up_without_a_word(cli: Cli, address: str) -> None:
    cli.set(RQA_CHECKPOINTER=address, RQA_MEMORY__EMBEDDER="hash")
    assert cli("ask", "I keep bees near Lund.").code == 0
    for lang, words in (("en", "The checkpoints lie at postgresql://127.0.0.1"), ("ja", "チェックポイントは")):
        refused = cli("backup", str(cli.home.with_name("b.tar.gz")), "--lang", lang)
        assert (refused.code, words in refused.err) == (2, True)
        assert "s3cret" not in refused.err
