"""The command line of the training tools: what it prints, and how it ends."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.training.support import PAIRS, SEED
from training.cli import build_app, run


def test_prepare_writes_a_corpus_that_lint_accepts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prepare", "--out", str(tmp_path)]) == 0
    assert "faults: 0" in capsys.readouterr().out
    assert run(["lint", str(tmp_path / "train.jsonl"), "--holdout", str(tmp_path / "holdout.jsonl")]) == 0
    assert run(["lint", str(tmp_path / "pairs.jsonl")]) == 0
    assert run(["lint", str(PAIRS)]) == 0


def test_a_fault_is_named_and_ends_with_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {**json.loads(SEED.read_text("utf-8").split("\n")[0]), "assistant": "no"}
    (tmp_path / "bad.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    assert run(["lint", str(tmp_path / "bad.jsonl")]) == 4
    assert f"{row['id']}: parser: not_an_object" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lint", "gone.jsonl"], "gone.jsonl"),
        (["lint"], "Missing argument"),
        (["fly"], "No such command"),
        (["prepare"], "Missing option"),
    ],
)
def test_what_cannot_be_used_is_said_without_a_traceback(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said


def test_every_command_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    rows = build_app().registered_commands
    names = [command.name or (command.callback and command.callback.__name__) for command in rows]
    assert len(names) == 8
    assert run([]) == 0
    overview = capsys.readouterr().out
    for name in filter(None, names):
        assert name in overview
        assert run([name, "--help"]) == 0
        assert f"Example: python -m training {name}" in capsys.readouterr().out


def test_training_without_the_extra_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if importlib.util.find_spec("torch"):
        pytest.skip("torch is installed here")
    assert run(["prepare", "--out", str(tmp_path)]) == 0
    for command, file in (("sft", "train.jsonl"), ("dpo", "pairs.jsonl")):
        assert run([command, str(tmp_path / file), "--out", str(tmp_path / "out"), "--smoke"]) == 2
        assert "rqa-graph[training]" in capsys.readouterr().err
