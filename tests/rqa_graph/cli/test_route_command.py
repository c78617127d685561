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
