"""A home that is held, read-only, full or not a home: words, exit code 6, and memory as it was or fully written."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rqa_checkpoints.home import Home
from tests.support.cli import Cli, Ran

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
def held(home: Path, programs: Path) -> Iterator[int]:
    """Another process that chats in this home; gives its pid."""
    with subprocess.Popen(
        [programs / "rqa", "chat"],
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            until = time.monotonic() + 60
            while (holder := Home(home).holder()) is None:
                assert process.poll() is None, "the other process ended"
                assert time.monotonic() < until, "the other process never took the home"
                time.sleep(0.05)
            yield holder.pid
        finally:
            process.communicate(b"/quit\n", timeout=60)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_second_process_is_told_who_holds_the_home_and_may_read(cli: Cli, programs: Path, lang: str) -> None:
    handle = cli("memory", "list", "--json").json["items"][0]["handle"]
    with held(cli.home, programs) as pid, cli.unchanged():
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


def test_light_input_needs_no_home(cli: Cli, programs: Path) -> None:
    with held(cli.home, programs):
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


READ = """
import contextlib, ctypes, io, json, sys
from rqa_graph.cli.main import run
head, sets, libc = (ctypes.c_uint32 * 2)(0x20080522), (ctypes.c_uint32 * 6)(), ctypes.CDLL(None)
assert libc.capget(head, sets) == 0
sets[0] &= ~2
sets[1] &= ~2
assert libc.capset(head, sets) == 0
for words in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    print(json.dumps({"code": int(code), "out": out.getvalue(), "err": err.getvalue()}))
"""
"""Root may write anywhere, except without the capability 1, CAP_DAC_OVERRIDE; nobody else has it."""


def read_as_reader(python: Path, home: Path, *commands: list[str]) -> list[Ran]:
    """Run commands one after the other in a process that may write nothing in the home."""
    done = subprocess.run(
        [python, "-c", READ],
        input=json.dumps(commands),
        env=environment(home),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [Ran(**json.loads(line)) for line in done.stdout.splitlines()]


@pytest.fixture
def read_only(cli: Cli) -> Iterator[Path]:
    """A home in which something is remembered and nothing may be written."""
    paths = [cli.home, *cli.home.rglob("*")]
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield cli.home
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_a_read_only_home_can_be_read_and_refuses_what_writes(read_only: Path, programs: Path) -> None:
    before, ask, add, listed, recalled, after = read_as_reader(
        programs / "python",
        read_only,
        ["log", "verify", "--json"],
        ["ask", "My bicycle is blue.", "--json"],
        ["memory", "add", "x", "--json"],
        ["memory", "list"],
        ["memory", "recall", "locker", "--json"],
        ["log", "verify", "--json"],
    )
    assert before.code == 0
    for ran in (ask, add):
        assert (ran.code, ran.json["error"]["code"]) == (6, "home_not_writable"), ran.err
        assert str(read_only) in ran.json["error"]["message"]
    assert "41" in listed.out
    found = recalled.json
    assert (found["mode"], [item["text"] for item in found["items"]]) == ("lexical", ["My locker is number 41."])
    assert after.out == before.out


FULL = """
import ctypes, json, os, subprocess, sys
from pathlib import Path
from rqa_graph.cli.main import main

disk, out = map(Path, sys.argv[1:])
told = {}

def say(name, *words):
    command = os.fork()
    if not command:
        sys.argv, sys.stdout = ["rqa", *words, "--json"], (out / name).open("w", encoding="utf-8")
        main()
    told[name] = [os.waitstatus_to_exitcode(os.waitpid(command, 0)[1]), (out / name).read_text("utf-8")]

CLONE_NEWNS = 0x20000  # mounts of its own
assert ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0
subprocess.run(["mount", "--make-rprivate", "/"], check=True)
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", disk], check=True)
say("first", "ask", "My locker is number 41.")
say("before", "log", "verify")
subprocess.run(["dd", "if=/dev/zero", f"of={disk / 'fill'}", "bs=64k"], capture_output=True, check=False)
say("ask", "ask", "My hat is red.")
say("add", "memory", "add", "My hat is green.")
say("after", "log", "verify")
(disk / "fill").unlink()
say("later", "ask", "Where is my locker?")
print(json.dumps(told))
"""


def test_a_full_disk_is_said_and_memory_is_as_it_was(tmp_path: Path, programs: Path) -> None:
    disk, out = tmp_path / "disk", tmp_path / "out"
    disk.mkdir()
    out.mkdir()
    if not IS_ROOT or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted only by root, in a mount namespace")
    command: list[str | Path] = [programs / "python", "-c", FULL, disk, out]
    done = subprocess.run(
        command, env=environment(disk / "home"), capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    codes = {name: code for name, (code, _) in told.items()}
    found: dict[str, Any] = {name: json.loads(shown) for name, (_, shown) in told.items()}
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
