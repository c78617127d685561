"""The suite of two speakers reads the data's shape, and counts what is caught and what is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.runner.figures import Cells, summarise
from evals.runner.run import Options, run_plan, run_suites
from evals.suites.locomo_speakers import SUITE, WORDINGS, load, plan

TALK = {
    "speaker_a": "Ilse",
    "speaker_b": "Marek",
    "session_1_date_time": "9:00 am on 3 May, 2026",
    "session_1": [
        {"speaker": "Ilse", "dia_id": "D1:1", "text": "I painted the shed green. It took two days."},
        {"speaker": "Marek", "dia_id": "D1:2", "text": "My canoe has a crack in the bow."},
    ],
    "session_2": [{"speaker": "Ilse", "dia_id": "D2:1", "text": "The bees moved into the old chimney."}],
}
QUESTIONS = [
    ("What colour did Marek paint the shed?", ["D1:1"], "green"),
    ("What is wrong with Ilse's canoe?", ["D1:2"], "a crack in the bow"),
    ("Where did the bees of Marek move?", ["D2:1"], "the old chimney"),
    ("Where did the bees of Ilse move?", ["D2:1"], "the old chimney"),  # she said it: no case
    ("What did Ilse and Marek paint?", ["D1:1"], "the shed"),  # both are named: no case
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "7.json").write_text(json.dumps(TALK), "utf-8")
    rows = [
        {
            "conv": "7",
            "speaker_a": "Ilse",
            "speaker_b": "Marek",
            "question": question,
            "evidence": evidence,
            "category": 5,
            "adversarial_answer": answer,
        }
        for question, evidence, answer in QUESTIONS
    ]
    (tmp_path / "locomo_adversarial.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return tmp_path


def test_only_questions_that_name_the_other_speaker_are_cases(folder: Path) -> None:
    cases, others = load(folder)
    assert [(case.named, case.speaker) for case in cases] == [("Marek", "Ilse"), ("Ilse", "Marek"), ("Marek", "Ilse")]
    assert others == 2
    assert cases[0].quote == "I painted the shed green."
    assert all(len(set(case.wordings)) == 4 and set(case.wordings) <= set(WORDINGS) for case in cases)
    assert load(folder)[0] == cases


def test_wrong_attributions_are_caught_and_right_ones_stay(folder: Path) -> None:
    found = plan(load(folder)[0])
    cells = Cells(summarise(found, run_plan("locomo_speakers", found)))
    assert cells.counts("verifier", "caught, if wrong") == "12/12"
    assert cells.counts("verifier", "touched, though right") == "0/12"
    assert cells.counts("nothing", "caught, if wrong") == "0/12"


def test_the_result_says_no_word_of_the_data(folder: Path, tmp_path: Path) -> None:
    (found,) = run_suites([SUITE], tmp_path / "out", Options(data=folder), quiet=True)
    assert found.summary["cases"] == 12
    shown = (tmp_path / "out" / "rows.jsonl").read_text("utf-8")
    assert "shed" not in shown
    assert "canoe" not in shown
