"""`rqa log verify`: whether anything was changed after it was written."""

from __future__ import annotations

import sqlite3

import pytest

from tests.support.cli import Cli


@pytest.mark.parametrize(("lang", "words"), [("en", "is intact"), ("ja", "無傷です")])
def test_a_log_that_nobody_touched_is_intact(cli: Cli, lang: str, words: str) -> None:
    cli("memory", "add", "My locker is number 41.")
    shown = cli("log", "verify", "--lang", lang)
    assert shown.code == 0
    assert words in shown.out
    found = cli("log", "verify", "--json").json
    assert (found["events"], found["first_broken"]) == (1, None)
    assert found["state_hash"] in shown.out


def test_every_change_makes_another_state(cli: Cli) -> None:
    states = [cli.state()]
    handle = cli("memory", "add", "My locker is number 41.", "--json").json["handle"]
    states.append(cli.state())
    cli("memory", "forget", handle)
    states.append(cli.state())
    assert len(set(states)) == 3
    cli("memory", "recall", "locker")
    assert cli.state() == states[-1], "recall changes nothing"


@pytest.mark.parametrize(("lang", "words"), [("en", "broken at event 1"), ("ja", "1 件目で壊れています")])
def test_a_changed_word_is_found_and_ends_with_4(cli: Cli, lang: str, words: str) -> None:
    cli("memory", "add", "My locker is number 41.")
    cli("memory", "add", "My hat is red.")
    database = sqlite3.connect(cli.home / "log.sqlite")
    with database:
        database.execute("UPDATE content SET private = replace(CAST(private AS TEXT), '41', '42') WHERE seq = 1")
    database.close()
    shown = cli("log", "verify", "--lang", lang)
    assert shown.code == 4
    assert words in shown.out
    found = cli("log", "verify", "--json")
    assert (found.code, found.json["ok"], found.json["first_broken"], found.json["state_hash"]) == (4, False, 1, "")
