"""`rqa route`: decisions without answers, one or many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rqa_graph.cli.main import run


def test_a_decision_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", "Why do we cache?", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "schema": "rqa.route/1",
        "ok": True,
        "error": None,
        "level": 2,
        "mode": "guided",
        "reason": "open_question",
        "budget": "quick",
        "side_question": True,
        "lang": "en",
    }


@pytest.mark.parametrize(
    ("text", "lang", "words"),
    [("Why do we cache?", "en", "level 2 (guided)"), ("なぜキャッシュするのか", "ja", "レベル 2（guided）")],
)
def test_a_decision_in_words(text: str, lang: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["route", text, "--lang", lang]) == 0
    assert words in capsys.readouterr().out


def test_the_panel_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    run(["route", "tea", "--instrument", "--json"])
    assert json.loads(capsys.readouterr().out)["level"] == 3


def test_a_batch_answers_every_row_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"id": "a", "text": "hello"},
        {"id": "b", "text": "この仕様をレビューして", "documents": True},
        {"text": "Review this spec", "instrument": True},
        {"id": "d", "text": "", "documents": ["x"]},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert run(["route", "--batch", str(path)]) == 0
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(a["id"], a["level"]) for a in answers] == [("a", 0), ("b", 3), (3, 0), ("d", 3)]


def test_a_bad_row_is_answered_with_its_error_and_the_rest_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1}\n{"id": 2, "text": ""}\n{"id": 3, "text": "thanks"}\n', "utf-8")
    assert run(["route", "--batch", str(path)]) == 2
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(a["id"], a["ok"]) for a in answers] == [(1, False), (2, False), (3, True)]
    assert [a["error"]["code"] for a in answers[:2]] == ["bad_row", "empty_input"]


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "4 labelled: 2 as labelled, 3 within one level; light inputs at level 3: 1"),
        ("ja", "ラベル付き4件: 一致2件、一段以内3件、軽い入力がレベル3になったもの1件"),
    ],
)
def test_labelled_rows_are_compared_and_counted(
    lang: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"id": "a", "text": "こんにちは", "level": 0, "mode": "fixed"},
        {"id": "b", "text": "What is the capital of Peru?", "level": 1},
        {"id": "c", "text": "Why do we cache?", "level": 1},
        {"id": "d", "text": "notes/plan.md を見て", "level": 1},
        {"id": "e", "text": "no label"},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert run(["route", "--batch", str(path), "--lang", lang]) == 0
    shown = capsys.readouterr()
    answers = [json.loads(line) for line in shown.out.splitlines()]
    assert [answer.get("agrees") for answer in answers] == [True, True, False, False, None]
    assert shown.err.strip() == words


@pytest.mark.parametrize("level", [4, -1, "two", [1], True])
def test_a_label_that_is_no_level_is_refused(level: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"text": "hello", "level": level}), "utf-8")
    assert run(["route", "--batch", str(path)]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "bad_row"
