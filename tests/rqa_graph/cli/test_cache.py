"""`rqa cache` and `rqa ledger`: what is shown is proven, and what is stopped is stopped at once."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rqa_graph.caching import open_cache
from rqa_graph.clock import new_id
from rqa_graph.settings import Settings
from tests.support.caches import draft, write
from tests.support.cli import Cli

OPEN, CLOSE = "How do I open the sluice gate?", "How do I close the sluice gate?"


def _filled(cli: Cli) -> str:
    """One entry in the domain "facts" of the shipped policies, in phase 2."""
    settings = Settings.load(home=cli.home)
    now = datetime.now(UTC)
    with open_cache(settings, clock=lambda: now, ids=new_id, read_only=False) as cache:
        cache.store.set_phase(2, tenant="local", domain="facts", locale="en", by="mio", reason="test")
        return write(cache, draft(at=now))


@pytest.mark.parametrize(("lang", "words"), [("en", "never given"), ("ja", "返されることはありません")])
def test_opposite_questions_share_no_answer(cli: Cli, lang: str, words: str) -> None:
    rows = cli.home.parent / "pairs.jsonl"
    rows.write_text(
        "".join(
            json.dumps(row, ensure_ascii=False) + "\n"
            for row in (
                {"id": "x", "a": OPEN, "b": CLOSE, "lang": "en"},
                {"id": "y", "a": "富士山の高さは？", "b": "富士山の標高を教えて", "lang": "ja"},
                {"id": "z", "a": 3, "b": CLOSE},
                {"id": "w", "a": OPEN, "b": CLOSE, "lang": "xx"},
            )
        )
    )
    found = cli("cache", "compare", "--batch", str(rows), "--lang", lang)
    assert found.code == 2
    assert [row.get("decision") for row in found.rows] == ["context", "direct", None, None]
    assert found.rows[0]["differs"] == ["content", "opposite"]
    assert 0.9 <= found.rows[1]["similarity"] <= 1
    shown = cli("cache", "compare", OPEN, CLOSE, "--lang", "en") if lang == "en" else None
    assert shown is None or words in shown.out


def test_an_entry_is_listed_shown_and_proven_offline(cli: Cli, tmp_path: Path) -> None:
    assert "no entry" in cli("cache", "list", "--lang", "en").out
    entry = _filled(cli)
    assert [row["id"] for row in cli("cache", "list", "--json").json["entries"]] == [entry]
    assert "3,776" in cli("cache", "show", entry).out
    receipt, key = tmp_path / "receipt.json", tmp_path / "key.json"
    receipt.write_text(cli("cache", "show", entry, "--receipt").out)
    key.write_text(cli("ledger", "key", "--json").out)
    elsewhere = ("--home", str(tmp_path / "elsewhere"))
    held = cli("ledger", "verify", "--receipt", str(receipt), "--key", str(key), "--json", *elsewhere)
    assert (held.code, held.json["entry"]) == (0, entry)
    changed = json.loads(receipt.read_text())
    changed["payload"]["answer"] = "4,000 metres."
    receipt.write_text(json.dumps(changed))
    broken = cli("ledger", "verify", "--receipt", str(receipt), "--key", str(key), "--lang", "ja", *elsewhere)
    assert broken.code == 4
    assert "payload" in broken.err
    key.write_text("[]")
    assert cli("ledger", "verify", "--receipt", str(receipt), "--key", str(key)).code == 6
    receipt.write_text("no JSON")
    assert cli("ledger", "verify", "--receipt", str(receipt)).code == 2
    assert cli("cache", "show", "no such").code == 2


def test_a_changed_column_is_reported_and_ends_with_4(cli: Cli) -> None:
    _filled(cli)
    assert cli("ledger", "verify").code == 0
    with sqlite3.connect(cli.home / "log.sqlite") as database:
        database.execute("UPDATE cache_entry SET gi = 1000")
    database.close()
    found = cli("ledger", "verify", "--json")
    assert found.code == 4
    assert [row["what"] for row in found.json["faults"]] == ["row:cache_entry"]


def test_a_phase_goes_up_only_where_its_gates_hold(cli: Cli) -> None:
    cli("memory", "add", "My hat is red.")
    rows = cli("cache", "gates", "--domain", "docs", "--json").json["rows"]
    assert [(row["locale"], row["phase"], row["gates"][0]["holds"]) for row in rows] == [
        ("en", 0, False),
        ("ja", 0, False),
    ]
    refused = cli("cache", "phase", "docs", "en", "1")
    assert refused.code == 4
    assert "questions 0" in refused.err
    assert cli("cache", "phase", "docs", "en", "3", "--override", "one household").code == 0
    assert cli("cache", "gates", "--domain", "docs", "--locale", "en", "--json").json["rows"][0]["phase"] == 3
    assert cli("cache", "kill").code == 0
    assert cli("cache", "gates", "--domain", "docs", "--locale", "en", "--json").json["rows"][0]["phase"] == 1
    assert cli("cache", "phase", "gossip", "en", "1").code == 2


def test_a_kill_is_taken_back_and_one_of_nothing_is_refused(cli: Cli) -> None:
    _filled(cli)

    def phase() -> int:
        row = cli("cache", "gates", "--domain", "facts", "--locale", "en", "--json").json["rows"][0]
        return int(row["phase"])

    assert cli("cache", "kill", "--domain", "fact").code == 2
    assert phase() == 2
    assert cli("cache", "kill").code == 0
    assert phase() == 1
    assert cli("cache", "phase", "*", "*", "4").code == 4
    assert cli("cache", "phase", "*", "*", "4", "--override", "all clear").code == 0
    assert phase() == 2


def test_an_audit_is_counted(cli: Cli) -> None:
    entry = _filled(cli)
    assert cli("cache", "audit", entry, "perhaps").code == 2
    assert cli("cache", "audit", entry, "wrong").code == 0
    cli("cache", "phase", "facts", "en", "1")
    gates = cli("cache", "gates", "--domain", "facts", "--locale", "en", "--json").json["rows"][0]["gates"]
    assert {gate["name"]: gate["found"] for gate in gates} == {"audited": 1, "wrong": 1}


def test_a_new_key_leaves_what_the_old_one_signed(cli: Cli) -> None:
    _filled(cli)
    first = cli("ledger", "key", "--json").json
    second = cli("ledger", "key", "--rotate", "--json").json
    assert second["current"] != first["current"]
    assert set(first["keys"]) < set(second["keys"])
    assert cli("ledger", "verify").code == 0
