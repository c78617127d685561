"""The corpus linter finds what production would not accept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from training.lint import content_hash, lint_corpus, main

SEED = Path(__file__).parents[2] / "training" / "seed.jsonl"
Row = dict[str, Any]


def _rows() -> list[Row]:
    return [json.loads(line) for line in SEED.read_text("utf-8").splitlines()]


def _with(row: Row, change: Callable[[Any], None]) -> Row:
    analysis = json.loads(row["assistant"])
    change(analysis)
    return {**row, "assistant": json.dumps(analysis, ensure_ascii=False)}


def test_the_seed_corpus_is_clean_and_has_both_languages() -> None:
    report = lint_corpus(_rows())
    assert report.faults == ()
    assert report.counts["en"] == report.counts["ja"] == 3


def _fabricate(analysis: Any) -> None:
    analysis["feature_map"]["tensions_memory_cross"] = [
        {"tension": "In May it was twenty", "memory_ref": "zzzzz9", "recorded_at": "2026-05-01", "confidence": "high"}
    ]


def _repeat(analysis: Any) -> None:
    analysis["question_candidates"] = [analysis["question_candidates"][0]] * 3


def _tamper(analysis: Any) -> None:
    analysis["self_update_proposal"] = {
        "allowed_area": "evaluator_criteria",
        "update_type": "relax",
        "observation": "scores are low",
        "proposed_adjustment": "lower the threshold",
        "rollback": "none",
    }


@pytest.mark.parametrize("row", [0, 1], ids=["en", "ja"])
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (_fabricate, "verifier: unknown_id"),
        (_repeat, "diversity: few_candidates"),
        (_tamper, "governor: objective_tampering"),
    ],
)
def test_an_example_that_production_rejects_is_named(row: int, change: Callable[[Any], None], fault: str) -> None:
    rows = _rows()
    rows[row] = _with(rows[row], change)
    assert any(found.startswith(f"{rows[row]['id']}: {fault}") for found in lint_corpus(rows).faults)


def test_prose_instead_of_an_object_is_a_parser_fault() -> None:
    rows = _rows()
    rows[0] = {**rows[0], "assistant": "Sure, here are some questions."}
    assert lint_corpus(rows).faults == (f"{rows[0]['id']}: parser: not_an_object",)


def test_repeated_and_held_out_examples_are_found() -> None:
    rows = _rows()
    assert "corpus: the same example twice" in lint_corpus([*rows, rows[0]]).faults
    assert "corpus: an example of the held-out set" in lint_corpus(rows, holdout={content_hash(rows[3])}).faults


def test_the_command_counts_and_fails_on_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SEED)]) == 0
    bad = tmp_path / "bad.jsonl"
    bad.write_text(json.dumps({"id": "x"}) + "\n", "utf-8")
    assert main([str(bad)]) == 4
    assert "row 1: lacks lang" in capsys.readouterr().out
