"""A home that is held, read-only, full or not a home: words, exit code 6, and memory as it was or fully written."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rqa_checkpoints.home import Home
from tests.support.cli import Cli

RQA = (sys.executable, "-m", "rqa_graph")
IS_ROOT = os.geteuid() == 0


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """A home in which something is remembered and indexed."""
    runs = Cli(tmp_path / "home", monkeypatch, capsys)
    runs("memory", "add", "My locker is number 41.")
    runs("memory", "recall", "locker")
    return runs


def environment(home: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RQA_", "GROQ_"))}
    return kept | {"RQA_HOME": str(home), "RQA_MODELS__CHAT": "builtin", "LC_ALL": "C.UTF-8"}


@contextmanager
def held(home: Path) -> Iterator[int]:
    """Another process that chats in this home; gives its pid."""
    with subprocess.Popen(
        [*RQA, "chat"],
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            until = time.monotonic() + 60
            while (holder := Home(home).holder()) is None or holder.pid != process.pid:
                assert process.poll() is None, "the other process ended"
                assert time.monotonic() < until, "the other process never took the home"
                time.sleep(0.05)
            yield process.pid
        finally:
            process.communicate(b"/quit\n", timeout=60)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_second_process_is_told_who_holds_the_home_and_may_read(cli: Cli, lang: str) -> None:
    handle = cli("memory", "list", "--json").json["items"][0]["handle"]
    with held(cli.home) as pid, cli.unchanged():
        for command in (["ask", "My hat is red."], ["chat"], ["memory", "add", "x"], ["reindex"]):
            ran = cli(*command, "--json", "--lang", lang)
            assert (ran.code, ran.json["error"]["code"]) == (6, "home_locked"), command
            assert str(pid) in ran.json["error"]["message"]
            assert str(cli.home) in ran.json["error"]["message"]
            assert "--home" in ran.json["error"]["hint"]
        for command in (["memory", "list"], ["memory", "show", handle], ["graph", "show", handle]):
            assert "41" in cli(*command).out, command
        for command in (["memory", "audit"], ["graph", "stats"], ["graph", "search"], ["graph", "export"]):
            assert cli(*command).code == 0, command
        assert str(pid) in cli("check").out
        found = cli("memory", "recall", "locker", "--lang", lang)
        assert found.code == 0
        assert "41" in found.out
        assert {"en": "by words alone", "ja": "語の一致だけ"}[lang] in found.err
        assert cli("memory", "recall", "locker", "--json").json["mode"] == "lexical"
    assert cli("memory", "recall", "locker", "--json").json["mode"] == "hybrid", "it is free again"


def test_light_input_needs_no_home(cli: Cli) -> None:
    with held(cli.home):
        assert cli("ask", "hello").code == 0


def test_a_home_that_is_a_file_or_cannot_be_made_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a home", "utf-8")
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        for command in (["ask", "My hat is red."], ["memory", "add", "x"], ["chat", "My hat is red."], ["reindex"]):
            ran = cli(*command, "--home", str(place), "--json")
            assert (ran.code, ran.json["error"]["code"]) == (6, "home_not_writable"), command
            assert str(place) in ran.json["error"]["message"]
    assert (tmp_path / "file").read_text("utf-8") == "not a home"


def test_a_log_that_is_no_log_is_refused_and_left_as_it_is(cli: Cli) -> None:
    cli.home.joinpath("log.sqlite").write_bytes(b"something else entirely" * 100)
    for command in (["ask", "My hat is red."], ["memory", "list"], ["log", "verify"]):
        ran = cli(*command, "--json")
        assert (ran.code, ran.json["error"]["code"]) == (6, "format_mismatch"), command
        assert ran.json["error"]["hint"]
    assert cli.home.joinpath("log.sqlite").read_bytes().startswith(b"something else")


WITHOUT_OVERRIDE = ("setpriv", "--bounding-set=-dac_override") if IS_ROOT else ()
"""Root may write anywhere, except without this capability."""


def reader(home: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process that may write nothing in the home."""
    command = [*WITHOUT_OVERRIDE, *RQA, *args]
    return subprocess.run(
        command, env=environment(home), cwd="/", capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def read_only(cli: Cli) -> Iterator[Path]:
    """A home in which something is remembered and nothing may be written."""
    if IS_ROOT and (not shutil.which("setpriv") or subprocess.run([*WITHOUT_OVERRIDE, "true"], check=False).returncode):
        pytest.skip("root may write anywhere, and `setpriv` cannot take that right away")
    paths = [cli.home, *cli.home.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield cli.home
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_read_only_home_can_be_read_and_refuses_what_writes(read_only: Path) -> None:
    before = reader(read_only, "log", "verify", "--json")
    assert before.returncode == 0
    for command in (["ask", "My bicycle is blue."], ["memory", "add", "x"]):
        ran = reader(read_only, *command, "--json")
        assert ran.returncode == 6, ran.stderr
        error = json.loads(ran.stdout)["error"]
        assert error["code"] == "home_not_writable"
        assert str(read_only) in error["message"]
    assert "41" in reader(read_only, "memory", "list").stdout
    found = json.loads(reader(read_only, "memory", "recall", "locker", "--json").stdout)
    assert (found["mode"], [item["text"] for item in found["items"]]) == ("lexical", ["My locker is number 41."])
    assert reader(read_only, "log", "verify", "--json").stdout == before.stdout


FULL = """
set -e
mount -t tmpfs -o size=200m tmpfs "$1"
export RQA_HOME="$1/home"
say() { "${@:2}" >"$OUT/$1.out" 2>"$OUT/$1.err" && echo 0 >"$OUT/$1.rc" || echo $? >"$OUT/$1.rc"; }
rqa() { "$PYTHON" -m rqa_graph "$@"; }
say first rqa ask "My locker is number 41." --json
say before rqa log verify --json
dd if=/dev/zero of="$1/fill" bs=64k 2>/dev/null || true
say ask rqa ask "My hat is red." --json
say add rqa memory add "My hat is green." --json
say after rqa log verify --json
rm "$1/fill"
say later rqa ask "Where is my locker?" --json
"""


def test_a_full_disk_is_said_and_memory_is_as_it_was(tmp_path: Path) -> None:
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    out.mkdir()
    command = ["unshare", "-m", "bash", "-c", FULL, "full", str(disk)]
    variables = environment(disk / "home") | {"OUT": str(out), "PYTHON": sys.executable}
    if not IS_ROOT or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted only by root, in a mount namespace")
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    codes = {path.stem: int(path.read_text()) for path in out.glob("*.rc")}
    found: dict[str, Any] = {path.stem: json.loads(path.read_text("utf-8")) for path in out.glob("*.out")}
    assert codes == {"first": 0, "before": 0, "ask": 6, "add": 6, "after": 0, "later": 0}, "none is ended by a signal"
    for name in ("ask", "add"):
        assert found[name]["error"]["code"] == "home_not_writable"
        assert "full" in found[name]["error"]["message"]
        assert "--home" in found[name]["error"]["hint"]
    assert found["after"] == found["before"]
    assert "41" in found["later"]["text"], "with room again everything goes on"


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_turn_that_the_log_cannot_take_is_shown_and_not_remembered(cli: Cli, lang: str) -> None:
    with sqlite3.connect(cli.home / "log.sqlite") as database:
        database.execute(
            "CREATE TRIGGER no_room BEFORE INSERT ON event BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        )
    database.close()
    said = {"en": "My bicycle is blue.", "ja": "私の自転車は青いです。"}[lang]
    with cli.unchanged():
        shown = cli("ask", said, "--lang", lang)
        answer = cli("ask", said, "--lang", lang, "--json")
    assert (shown.code, answer.code) == (6, 6)
    assert shown.out.strip()
    assert {"en": "could not be written", "ja": "書き込めませんでした"}[lang] in shown.err
    assert answer.json["ok"] is False
    assert answer.json["memory"]["written"] == []
    assert cli("memory", "add", "x", "--json").json["error"]["code"] == "home_not_writable"


def test_a_disk_that_fills_up_in_a_conversation_is_said_before_it_ends_the_process(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("ask", "My bicycle is blue.")
    questions = itertools.count()

    def usage(_path: Path) -> SimpleNamespace:
        return SimpleNamespace(total=2**40, free=2**39 if next(questions) < 4 else 1000)

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", usage)
        ran = cli("chat", "--json", stdin="My hat is red.\nMy coat is green.\n")
    assert ran.code == 6
    assert {row["error"]["code"] for row in ran.rows if row["error"]} == {"home_not_writable"}
    assert len(ran.rows) == 2, "the conversation itself went on"
    cli.state()
    assert cli("ask", "My coat is green.").code == 0
