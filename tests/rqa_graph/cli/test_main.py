"""The frame of the command line: results, errors, exit codes and languages."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from rqa_graph.cli.main import _COMMANDS, run
from rqa_graph.resources import config_text
from rqa_graph.turns import TurnResult

ENVELOPE = {"schema", "ok", "error"}
TURN_FIELDS = {field.name for field in fields(TurnResult)}


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RQA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


def _json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    value: dict[str, Any] = json.loads(out)
    return value


@pytest.mark.parametrize(
    ("text", "lang", "mode"),
    [
        ("hello", "en", "fixed"),
        ("こんにちは", "ja", "fixed"),
        ("Review this spec", "en", "clarify"),
        ("この仕様をレビューして", "ja", "clarify"),
    ],
)
def test_light_input_is_answered_in_its_language(
    text: str, lang: str, mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ask", text, "--json"]) == 0
    answer = _json(capsys)
    assert set(answer) == ENVELOPE | TURN_FIELDS
    assert (answer["schema"], answer["ok"], answer["error"]) == ("rqa.ask/1", True, None)
    assert (answer["level"], answer["lang"], answer["mode"]) == (0, lang, mode)
    assert answer["text"]
    assert answer["memory"] == {"injected": [], "cited": [], "written": []}
    assert run(["ask", text]) == 0
    assert capsys.readouterr().out == answer["text"] + "\n"


@pytest.mark.parametrize("text", ["hello", "こんにちは"])
def test_the_short_way_and_the_usual_way_say_the_same(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["ask", text, "--json"])
    short = _json(capsys)
    run(["--json", "ask", "--brief", "--k", "3", text])
    assert _json(capsys) == short


def test_light_input_writes_nothing(tmp_path: Path) -> None:
    run(["ask", "hello"])
    run(["ask", "--brief", "hello"])
    assert not (tmp_path / "home").exists()


def test_the_table_of_the_home_is_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "home" / "config"
    folder.mkdir(parents=True)
    (folder / "router.yaml").write_text(config_text("router").replace("You are welcome.", "My pleasure."), "utf-8")
    run(["ask", "thanks"])
    assert capsys.readouterr().out == "My pleasure.\n"
    (folder / "router.yaml").write_text("rules: [", "utf-8")
    assert run(["ask", "thanks"]) == 2
    assert "router.yaml" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["ask", ""], "empty_input"),
        (["ask", "a\0b"], "not_text"),
        (["ask", "a\udce3"], "not_text"),
        (["ask", "x" * 2_000_000], "too_large"),
        (["ask"], "usage"),
        (["ask", "hello", "--k", "0"], "usage"),
        (["ask", "hello", "--depth", "9"], "usage"),
        (["ask", "hello", "--lang", "xx"], "usage"),
        (["ask", "hello", "--nope"], "usage"),
        (["nope"], "usage"),
        (["verify", "--mode", "loud"], "usage"),
        (["route", "--batch", "nowhere.jsonl"], "missing_file"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "ja"])
def test_bad_input_ends_with_2_and_words(
    args: list[str], code: str, lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*args, "--json"] if "--lang" in args else [*args, "--json", "--lang", lang]
    assert run(given) == 2
    captured = capsys.readouterr()
    answer = json.loads(captured.out)
    assert answer["ok"] is False
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]
    assert answer["error"]["hint"] in captured.err
    assert "Traceback" not in captured.err


def test_messages_follow_the_locale(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    run(["ask", ""])
    assert "入力が空です" in capsys.readouterr().err
    run(["ask", "", "--lang", "en"])
    assert "empty" in capsys.readouterr().err


def test_an_error_without_json_leaves_standard_output_empty(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", ""]) == 2
    assert capsys.readouterr().out == ""


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for name, summary in _COMMANDS.items():
        assert f"  {name}  " in text
        assert summary[:30] in text


@pytest.mark.parametrize("name", list(_COMMANDS))
def test_the_help_of_a_command_begins_as_listed_and_ends_with_an_example(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert _COMMANDS[name] in text
    assert f"rqa {name}" in text.split("Example:")[1]


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "Usage: rqa" in capsys.readouterr().out


def test_a_common_option_may_stand_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--user", "ask", "--json", "route", "hello"]) == 0
    assert _json(capsys)["reason"] == "greeting"


def test_the_traceback_is_shown_only_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_home: Path) -> None:
        raise RuntimeError("a pipe burst")

    monkeypatch.setattr("rqa_graph.cli.route.open_router", fail)
    assert run(["route", "hi"]) == 1
    assert "Traceback" not in capsys.readouterr().err
    assert run(["route", "hi", "--debug"]) == 1
    assert "a pipe burst" in capsys.readouterr().err.split("Traceback")[1]


def test_an_interrupt_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_home: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rqa_graph.cli.route.open_router", interrupt)
    assert run(["route", "hi"]) == 130


def test_python_dash_m_is_the_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rqa_graph", "ask", "こんにちは", "--json"],
        capture_output=True,
        check=True,
        env={"PATH": "", "HOME": str(tmp_path), "LC_ALL": "C"},
    )
    assert json.loads(done.stdout)["lang"] == "ja"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "hello"}\n' * 2000, "utf-8")
    command = [sys.executable, "-m", "rqa_graph", "route", "--batch", str(rows)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert (process.wait(30), process.stderr.read()) == (0, b"")
