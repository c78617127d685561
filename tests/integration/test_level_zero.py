"""Light input: the shortcut of the command line and the graph give the same answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rqa_graph.cli.ask import AskRequest
from rqa_graph.cli.common import Common
from rqa_graph.cli.main import run
from rqa_graph.cli.session import open_turns
from rqa_graph.cli.turn import run_one, turn_fields

LIGHT = ("hello", "こんにちは", "Review this spec", "この仕様をレビューして", "Who are you?", "あなたは誰ですか")


def test_the_shortcut_and_the_graph_answer_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RQA_HOME", str(tmp_path / "home"))
    common = Common(as_json=True)
    with open_turns(common, model="builtin") as session:
        for text in LIGHT:
            turn = run_one(session, AskRequest(text=text), common, common.output("ask"), thread=text)
            assert run(["ask", text, "--json"]) == 0
            short = json.loads(capsys.readouterr().out)
            own = {"schema": "rqa.ask/1", "ok": True, "error": None, "thread": "", "turn": ""}
            assert short == turn_fields(turn) | own
