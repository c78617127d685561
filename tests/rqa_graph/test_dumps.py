"""Dumps of other memories: read by their shape, audited, and taken over with a class for every text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rqa_graph.cli.main import run
from rqa_graph.dump_audit import audit_dump
from rqa_graph.dumps import DumpRow, read_dump
from rqa_graph.errors import RowError

_CHATGPT = [
    {
        "title": "Bees",
        "mapping": {
            "a": {"message": None},
            "b": {
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1750000000.5,
                    "content": {"parts": ["I keep bees near Lund."]},
                }
            },
            "c": {
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["I keep bees near Lund.", {"x": 1}]}}
            },
        },
    }
]
_DUMPS: dict[str, tuple[Any, list[tuple[str, str]]]] = {
    "mem0": (
        {
            "results": [
                {"id": "1", "memory": "Keeps bees"},
                {"id": "2", "memory": "蜂を飼う", "metadata": {"role": "user"}},
            ]
        },
        [("Keeps bees", "unknown"), ("蜂を飼う", "user")],
    ),
    "langgraph": (
        [{"namespace": ["m", "ann"], "key": "k", "value": {"kind": "Memory", "content": {"content": "Likes tea"}}}],
        [("Likes tea", "unknown")],
    ),
    "qdrant": (
        {"result": {"points": [{"id": 7, "payload": {"page_content": "A page", "metadata": {"source": "tool"}}}]}},
        [("A page", "external")],
    ),
    "chatgpt": (_CHATGPT, [("I keep bees near Lund.", "user"), ("I keep bees near Lund.", "assistant")]),
    "jsonl": (
        [{"text": "雨です", "source": "human"}, {"content": "No one"}],
        [("雨です", "user"), ("No one", "unknown")],
    ),
}


@pytest.mark.parametrize("name", _DUMPS)
def test_each_format_is_known_by_its_shape(name: str) -> None:
    value, rows = _DUMPS[name]
    found, read = read_dump(json.dumps(value, ensure_ascii=False))
    assert found == name
    assert [(row.text, row.source) for row in read] == rows


def test_json_lines_are_read_line_by_line() -> None:
    assert [row.text for row in read_dump('{"text": "a b"}\n\n{"text": "c d"}\n')[1]] == ["a b", "c d"]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_a_break_within_a_text_ends_no_line(mark: str) -> None:
    lines = [json.dumps({"text": f"{text}{mark}more"}, ensure_ascii=False) for text in ("a note", "メモ")]
    assert [row.text for row in read_dump("\n".join(lines))[1]] == [f"a note{mark}more", f"メモ{mark}more"]


@pytest.mark.parametrize("text", ["no json", '{"text": "a"}\n{"text": ', "[" * 100_000])
def test_what_is_no_dump_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(RowError):
        read_dump(text)


@pytest.mark.parametrize("text", ["[]", "{}", "3", "null", '[[1], "x", null]', '{"result": {"points": 5}}'])
def test_shapes_that_nobody_expects_hold_no_rows_or_texts(text: str) -> None:
    assert all(row.text.strip() for row in read_dump(text)[1])


def _row(text: str, source: str = "user", thread: str = "", name: str = "") -> DumpRow:
    return DumpRow(text=text, source=source, id=name, author="", date="", thread=thread)


def test_an_audit_finds_what_nobody_said() -> None:
    rows = [
        _row("I keep bees near Lund.", thread="t", name="a1"),
        _row("I keep bees near Lund.", "assistant", thread="t"),
        _row("As stored in [m:zzzzz9], it rains."),
        _row("[memory_context] - bees [/memory_context]"),
        _row("誰かが言った", "unknown"),
    ]
    found = audit_dump(rows)
    assert found.by_source == {"assistant": 1, "unknown": 1, "user": 3}
    assert found.from_own_prompt == (1,)
    assert found.with_markers == (3,)
    assert [place for place, _ in found.unknown_ids] == [2]
    assert found.exact_duplicates == 1
    assert not found.clean


def test_an_honest_dump_is_clean() -> None:
    assert audit_dump([_row("I keep bees near Lund."), _row("雨が降っています。", "external")]).clean


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "dump.json"
    rows = [
        {"id": "1", "memory": "I keep bees near Lund.", "role": "user"},
        {"id": "2", "memory": "おそらく冬が嫌いです。"},
        {"id": "3", "memory": "You are a helpful assistant.", "role": "system"},
        {"id": "4", "memory": "[memory_context] x [/memory_context]", "role": "user"},
    ]
    path.write_text(json.dumps({"results": rows}, ensure_ascii=False), "utf-8")
    return path


def test_an_import_gives_every_text_a_class_and_can_be_repeated(
    dump: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = ["--home", str(tmp_path / "home"), "--json"]
    wanted = {"user": 1, "assistant": 1, "refused": 2}
    assert run(["import", str(dump), "--dry-run", *home]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == wanted
    assert not (tmp_path / "home" / "log.sqlite").exists(), "a dry run writes nothing"
    for _ in range(2):
        assert run(["import", str(dump), *home]) == 0
        assert json.loads(capsys.readouterr().out)["counts"] == wanted
    assert run(["memory", "list", *home]) == 0
    items = {item["text"]: item["source"] for item in json.loads(capsys.readouterr().out)["items"]}
    assert items == {"I keep bees near Lund.": "user", "おそらく冬が嫌いです。": "assistant"}


def test_an_audit_of_a_dump_exits_with_three_where_something_is_wrong(
    dump: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", str(dump)]) == 3
    assert "read as mem0" in capsys.readouterr().out
    assert run(["audit", str(dump.parent / "none.json")]) == 2
    assert run(["audit", str(dump), "--format", "sqlite"]) == 2
