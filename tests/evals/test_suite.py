"""What all suites share: rows, halves, and results that say how to repeat them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals import suite
from evals.suite import command_of, half, read_rows, report, write_rows


def test_rows_end_at_newlines_alone(tmp_path: Path) -> None:
    rows = [{"text": "one\u2028line\x85here"}, {"text": "織機"}]
    write_rows(tmp_path / "rows.jsonl", rows)
    assert read_rows(tmp_path / "rows.jsonl") == rows


def test_each_half_has_about_half_of_the_items_and_keeps_them() -> None:
    halves = [half(f"item {number}") for number in range(1000)]
    assert 450 < halves.count("tune") < 550
    assert halves == [half(f"item {number}") for number in range(1000)]


def test_a_command_names_no_folder_of_this_machine() -> None:
    arguments = ["--url", "http://127.0.0.1:1/v1", "--file", "/home/ann/more.json"]
    assert command_of("probes", arguments) == "python -m evals.probes --url http://127.0.0.1:1/v1 --file more.json"


def test_a_result_is_printed_or_written_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite, "RESULTS", tmp_path)
    monkeypatch.setattr(suite, "revision", lambda: "abc")
    result = {"suite": "tea", "said": "茶\ud800"}
    found = {"command": "c", "revision": "abc", "model": "m", "result": result}
    report(result, command="c", write=False, model="m")
    assert json.loads(capsys.readouterr().out) == found
    assert list(tmp_path.iterdir()) == []
    report(result, command="c", write=True, model="m")
    assert json.loads((tmp_path / "tea.json").read_text("utf-8")) == found
    assert capsys.readouterr().out == ""
