"""`rqa verify`: any reply, checked against files."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from evals.suites.guard import load
from rqa_graph import VerificationReport, verify
from rqa_graph.cli.main import run


def _pipe(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def _file(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("reply", "clean"),
    [
        ("The leak is old [m:zzzzzz].", "The leak is old."),
        ("水漏れは古いものです[m:zzzzzz]。", "水漏れは古いものです。"),
    ],
)
def test_a_reference_that_was_never_given_is_removed(
    reply: str, clean: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pipe(monkeypatch, reply)
    assert run(["verify"]) == 3
    captured = capsys.readouterr()
    assert captured.out == clean + "\n"
    assert "zzzzzz" not in captured.err
    assert captured.err.count("\n") == 1


def test_a_reference_that_was_given_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = _file(tmp_path / "m.jsonl", {"handle": "k3v9xq", "source": "user", "text": "The roof leaks."})
    _pipe(monkeypatch, "You said that the roof leaks [m:k3v9xq].")
    assert run(["verify", "--memory", memory, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["schema"] == "rqa.verify/1"
    assert answer["cited"] == ["k3v9xq"]
    assert {"text", "verdicts", "cited", "counts"} <= set(answer)


def test_a_known_reference_that_was_not_given_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = _file(tmp_path / "k.jsonl", {"handle": "k3v9xq", "id": "n_1"})
    _pipe(monkeypatch, "The roof leaks [m:k3v9xq].")
    assert run(["verify", "--known", known, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["counts"] == {"stale_id": 1}


@pytest.mark.parametrize(
    ("options", "written"),
    [
        ([], []),
        (["--written"], True),
        (["--written", "--mode", "strict"], True),
        (["--written", "n_1, n_2"], ["n_1", "n_2"]),
    ],
)
def test_what_was_written_is_told_with_or_without_ids(
    options: list[str], written: list[str] | bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, Any] = {}

    def record(text: str, **facts: Any) -> VerificationReport:
        told.update(facts)
        return verify(text, **facts)

    monkeypatch.setattr("rqa_nodes.echo.verify", record)
    _pipe(monkeypatch, "It rains.")
    assert run(["verify", *options]) == 0
    assert told["written"] == written


def test_what_the_assistant_said_establishes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = _file(
        tmp_path / "t.jsonl",
        {"role": "user", "text": "The cellar is wet."},
        {"role": "assistant", "text": "Perhaps the gutter is blocked."},
        {"role": "user", "text": "What now?"},
    )
    _pipe(monkeypatch, "As we established, the gutter is blocked.")
    assert run(["verify", "--transcript", talk]) == 3
    assert "we established" not in capsys.readouterr().out


def test_report_mode_leaves_the_text_and_still_says_what_it_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _pipe(monkeypatch, "The roof leaks [m:zzzzzz].")
    assert run(["verify", "--mode", "report"]) == 3
    captured = capsys.readouterr()
    assert captured.out == "The roof leaks [m:zzzzzz].\n"
    assert "unknown id" in captured.err
    _pipe(monkeypatch, "The roof leaks [m:zzzzzz].")
    assert run(["verify", "--mode", "annotate"]) == 3
    _pipe(monkeypatch, "The roof leaks.")
    assert run(["verify", "--mode", "report"]) == 0


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"handle": "k3v9xq", "text": "x"}, "source"),
        ({"handle": "k3v9xq", "source": "friend", "text": "x"}, "friend"),
        ({"handle": 7, "source": "user", "text": "x"}, "handle"),
    ],
)
def test_a_memory_row_that_is_wrong_is_named(
    row: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    memory = _file(tmp_path / "m.jsonl", {"handle": "aaaaaa", "source": "user", "text": "y"}, row)
    _pipe(monkeypatch, "Fine.")
    assert run(["verify", "--memory", memory, "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert "Line 2" in err
    assert words in err


def test_a_batch_answers_in_order_and_a_bad_row_does_not_end_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _file(
        tmp_path / "b.jsonl",
        {"id": "a", "reply": "It rains."},
        {"id": "b", "reply": "It rains [m:zzzzzz].", "memory": [], "written": True, "documents": ["It rains."]},
        {"id": "c"},
        {"id": "d", "reply": "雨です[m:zzzzzz]。", "lang": "ja"},
        {
            "id": "e",
            "reply": "",
            "transcript": [{"role": "user", "text": "hi"}],
            "known": ["n_9", {"handle": "aaaaaa"}],
        },
    )
    assert run(["verify", "--batch", path]) == 2
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(a["id"], a["ok"]) for a in answers] == [("a", True), ("b", True), ("c", False), ("d", True), ("e", True)]
    assert [a.get("text") for a in answers] == ["It rains.", "It rains.", None, "雨です。", ""]


def test_a_batch_in_which_something_was_removed_ends_with_3(tmp_path: Path) -> None:
    assert run(["verify", "--batch", _file(tmp_path / "b.jsonl", {"reply": "It rains [m:zzzzzz]."})]) == 3
    assert run(["verify", "--batch", _file(tmp_path / "b.jsonl", {"reply": "It rains."})]) == 0


@pytest.mark.parametrize(
    ("reply", "before", "rule"),
    [
        ("As we established, you hate winter.\n", "As we established", "unbacked_history"),
        ("以前確認した通り、冬が嫌いです。\n", "以前確認した通り", "unbacked_history"),
    ],
)
def test_explain_shows_each_change_with_the_words_before(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, reply: str, before: str, rule: str
) -> None:
    _pipe(monkeypatch, reply)
    assert run(["verify", "--explain"]) == 3
    shown = capsys.readouterr().out.splitlines()
    assert before not in shown[0]
    assert any(line.startswith(rule) and before in line for line in shown[1:])


def test_explain_speaks_japanese(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _pipe(monkeypatch, "先ほど確認した通り、冬が嫌いです[m:zzzzz9]。記録しました。\n")
    assert run(["verify", "--explain", "--lang", "ja"]) == 3
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines() if "\t" in line]
    assert len(rows) == 4
    assert not any(char.isascii() and char.isalpha() for row in rows[1:] for cell in row[2:] for char in cell)


def test_explain_shows_what_mode_report_leaves(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _pipe(monkeypatch, "As we agreed, ship it.\n")
    assert run(["verify", "--explain", "--mode", "report", "--lang", "en"]) == 3
    assert "As we agreed\tkept\tno message, item or document carries it" in capsys.readouterr().out


def test_one_command_turns_a_false_strip_into_a_corpus_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = "As we established in 1998, the club plays on Sundays."
    _pipe(monkeypatch, f"{text}\n")
    assert run(["verify", "--corpus-row"]) == 0
    row = json.loads(capsys.readouterr().out)
    (tmp_path / "plain.en.jsonl").write_text(json.dumps(row), "utf-8")
    (item,) = load(tmp_path)
    assert item.plain
    assert item.row["text"] == text
