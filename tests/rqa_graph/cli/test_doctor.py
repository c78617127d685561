"""Every kind of problem is found, said in both languages with what mends it, and nothing is touched on the way."""

from __future__ import annotations

import socket
import sqlite3
import sys
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from rqa_checkpoints.home import Home
from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_graph import doctor
from rqa_graph.clock import utc_now
from rqa_graph.doctor import Finding, diagnose
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.messages import keys, say
from rqa_graph.settings import Settings
from tests.support.cli import Cli, clean_environment
from tests.support.model_servers import OllamaServer
from tests.support.ports import free_port

BUILTIN = {"models": {"chat": "builtin"}, "memory": {"embedder": "hash"}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with something in it."""
    clean_environment(monkeypatch)
    monkeypatch.chdir(tmp_path)
    with open_memory_of(Settings.load(home=tmp_path / "home", overrides=BUILTIN)) as memory:
        memory.add("My locker is 41.", scope=Scope("local", "ann"), source=SourceClass.user, author="ann")
    return tmp_path / "home"


def _look(home: Path, *, more: dict[str, Any] | None = None, **options: Any) -> dict[str, Finding]:
    settings = Settings.load(home=home, overrides={**BUILTIN, "server": {"port": free_port()}, **(more or {})})
    return {found.name: found for found in diagnose(settings, **{"clock": utc_now, **options})}


def _tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def _said(found: Finding) -> str:
    """Both sentences exist in both languages and take the finding's values."""
    texts = []
    for lang in ("en", "ja"):
        texts.append(say(found.key, lang, **dict(found.values)))
        if found.status != "ok":
            texts.append(say(f"{found.key}_fix", lang, **dict(found.values)))
    assert len(set(texts)) == len(texts)
    return "\n".join(texts)


def test_where_all_is_well_nothing_is_found_and_nothing_is_changed(home: Path) -> None:
    before = _tree(home)
    found = _look(home)
    assert {row.status for row in found.values()} == {"ok", "note"}
    assert [row.name for row in found.values() if row.status == "note"] == ["evaluator"]
    assert dict(found["log"].values)["events"] == 1
    assert all(_said(row) for row in found.values())
    assert _tree(home) == before


def test_a_model_that_is_named_and_absent(home: Path) -> None:
    with OllamaServer(models=("qwen3:8b",)) as server:
        found = _look(home, more={"models": {"chat": "ollama:nope", "ollama_url": server.url}})["model"]
    assert (found.found, found.exit) == ("absent", 5)
    assert "ollama pull nope" in _said(found)


@pytest.mark.parametrize(("longest", "seen"), [(8192, "short"), (131_072, "ok"), (0, "unknown")])
def test_the_context_that_a_model_is_made_for(home: Path, longest: int, seen: str) -> None:
    with OllamaServer(models=("qwen3:8b",)) as server:
        server.context_length = longest
        found = _look(home, more={"models": {"chat": "ollama:qwen3:8b", "ollama_url": server.url}})
    assert (found["model"].status, found["context"].found) == ("ok", seen)
    assert found["context"].exit == (5 if seen == "short" else 0)
    assert "qwen3:8b" in _said(found["context"]) or seen == "ok"


def test_an_embedder_that_is_not_there(home: Path) -> None:
    found = _look(home, more={"memory": {"embedder": "ollama:nope"}, "models": {"chat": "builtin"}})["embedder"]
    assert (found.found, found.exit) == ("sick", 5)
    assert "nope" in _said(found)


def test_who_holds_the_home(home: Path) -> None:
    with Home(home).acquire(clock=utc_now, command="rqa chat"):
        found = _look(home)["home"]
    assert (found.found, found.exit) == ("held", 6)
    assert "rqa chat" in _said(found)


def test_a_home_that_cannot_be_written(tmp_path: Path, home: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    found = _look(tmp_path / "file")["home"]
    assert (found.found, found.exit) == ("not_writable", 6)
    assert _said(found)


def test_a_full_disk_a_clock_that_went_back_and_a_port_that_is_taken(home: Path) -> None:
    full = _look(home, free_bytes=lambda _path: 1_000_000)["disk"]
    assert (full.found, full.exit) == ("full", 6)
    late = _look(home, clock=lambda: datetime.now(UTC) - timedelta(days=400))["clock"]
    assert (late.found, late.exit) == ("behind", 4)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        busy = _look(home, more={"server": {"port": port}})["port"]
        with Home(home).acquire(clock=utc_now, command="rqa serve"):
            own = _look(home, more={"server": {"port": port}})["port"]
    assert (busy.found, busy.exit, own.found) == ("taken", 2, "ok")
    assert all(_said(row) for row in (full, late, busy))


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        (b'{"status": "ok", "server": "rqa"}', "other_home"),
        (b'{"status": "ok"}', "taken"),
        (b"[]", "taken"),
        (b"\xff\xfe" * 9000, "taken"),
    ],
)
def test_a_server_of_another_home_is_told_from_another_program(home: Path, reply: bytes, found: str) -> None:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *_args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        row = _look(home, more={"server": {"port": server.server_address[1]}})["port"]
        server.shutdown()
    assert (row.found, row.status, row.exit) == ((found, "note", 0) if found == "other_home" else (found, "problem", 2))
    assert _said(row)


def test_a_log_that_was_tampered_with_and_one_that_is_none(home: Path) -> None:
    with sqlite3.connect(home / "log.sqlite") as log:
        log.execute("update event set tenant = 'elsewhere'")
    broken = _look(home)["log"]
    assert (broken.found, broken.exit) == ("broken", 4)
    (home / "log.sqlite").write_bytes(b"no database at all" * 100)
    unreadable = _look(home)["log"]
    assert (unreadable.found, unreadable.exit) == ("unreadable", 6)
    assert all(_said(row) for row in (broken, unreadable))


def test_an_evaluator_that_nobody_approved(home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "evaluator_binding.yaml").write_text("model: another\n")
    found = _look(home)["evaluator"]
    assert (found.found, found.exit) == ("refused", 4)
    assert _said(found)


def test_a_package_of_another_version(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "requires", lambda _name: ["pydantic>=99", "nowhere-to-be-found", "x; extra == 'dev'"])
    found = _look(home)["versions"]
    assert (found.found, found.exit) == ("unmet", 4)
    assert "pydantic>=99" in _said(found)
    assert "nowhere-to-be-found (-)" in _said(found)
    monkeypatch.setattr(sys, "version_info", (3, 10, 2))
    assert _look(home)["versions"].found == "python"


def test_every_sentence_of_the_doctor_is_one_that_it_can_say() -> None:
    source = Path(doctor.__file__).read_text("utf-8")
    for key in keys():
        part, _, found = key.removesuffix("_fix").removeprefix("doctor.").partition(".")
        if key.startswith("doctor.") and found:
            assert f'"{part}"' in source, key
            assert found == "ok" or f'"{found}"' in source, key


@pytest.mark.parametrize(("lang", "word"), [("en", "A turn would run here."), ("ja", "このまま使えます。")])
def test_the_command_has_one_line_a_finding(cli: Cli, lang: str, word: str) -> None:
    cli.set(RQA_MEMORY__EMBEDDER="hash", RQA_SERVER__PORT=str(free_port()))
    shown = cli("doctor", "--lang", lang)
    assert (shown.code, shown.err) == (0, "")
    assert word in shown.out.splitlines()[-1]
    told = cli("doctor", "--json", "--lang", lang).json
    assert (told["ok"], told["problems"], told["notes"]) == (True, 0, 1)
    assert len(shown.out.splitlines()) == len(told["checks"]) + 1
    assert not cli.home.exists()
    failed = cli("doctor", "--model", "ollama:nope", "--json", "--lang", lang)
    assert (failed.code, failed.json["ok"], failed.json["problems"]) == (5, False, 1)
