"""The retrieval suite counts evidence among the first items, and its arms rank as they are called."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from evals.intervals import bootstrap
from evals.runner.errors import MissingDataError
from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.runner.setup import Setup
from evals.suites.retrieval import SUITE, Collection, Question, locomo, ours, plan, rankers
from rqa_checkpoints.embedding import HashEmbedder

_NOTES = {
    "a": "The loom broke in October.",
    "b": "Ines sings in a choir on Thursdays.",
    "c": "去年の秋に京都で織物の展示会を開いた。",
}


def test_a_question_in_the_words_of_a_note_finds_it_and_half_of_the_evidence_counts_half() -> None:
    notes = {**_NOTES, **{f"x{n}": f"Nothing of interest happened on day {n}." for n in range(30)}}
    questions = [
        Question("When did the loom break?", frozenset({"a"}), "whole"),
        Question("織物の展示会はどこで開きましたか？", frozenset({"c"}), "whole"),
        Question("Who sings in a choir?", frozenset({"b", "gone"}), "half"),
    ]
    with ExitStack() as stack:
        made = plan({"ours": [Collection(notes=notes, questions=questions)]}, HashEmbedder(), stack, arms=rankers())
        result = summarise(made, run_plan("retrieval", made))
    cells = Cells(result)
    assert (result["facts"]["notes"], result["cases"]) == ({"ours": 33}, 3)
    arms = ["dense", "lexical", "rank fusion", "hybrid", "hybrid + gravity", "trigrams", "reference"]
    assert [arm.name for arm in made.arms] == arms
    for arm in ("lexical", "hybrid"):
        assert cells.value(arm, "recall@5", set="ours") == pytest.approx(2.5 / 3, abs=1e-4)
        assert [cells.value(arm, "recall@5", set="ours", kind=kind) for kind in ("half", "whole")] == [0.5, 1]
    assert [cells.figure("dense", "recall@5", set="ours", kind=kind)["n"] for kind in ("half", "whole")] == [1, 2]
    assert SUITE.readme is not None
    lines = SUITE.readme({"command": "c", "revision": "r", "result": result}, {}).splitlines()
    assert f"| | questions | {' | '.join(arms)} |" in lines
    assert any(line.startswith("| half | 1 | ") and "0.500 (0.500-0.500)" in line for line in lines)


def test_our_own_set_names_notes_that_are_there() -> None:
    found = ours()
    assert (len(found.notes), len(found.questions)) == (458, 336)
    assert all(question.evidence and question.evidence <= found.notes.keys() for question in found.questions)
    assert len({question.text for question in found.questions}) == 336
    assert len({question.kind for question in found.questions}) == 7


def test_a_folder_without_conversations_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="locomo"):
        SUITE.open(Setup(suite="retrieval", data=tmp_path))


def test_a_conversation_is_read_with_its_speakers_and_without_unanswerable_questions(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    talk = {
        "speaker_a": "Ada",
        "session_1_date_time": "noon",
        "session_1": [
            {"speaker": "Ada", "dia_id": "D1:1", "text": "The loom broke."},
            {"speaker": "Bo", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a loom"},
        ],
        "qa": [
            {"question": "What broke?", "evidence": ["D1:1; D1:2"], "category": 1},
            {"question": "What did Bo break?", "evidence": ["D1:1"], "category": 5},
            {"question": "What was never said?", "evidence": ["D9:9"], "category": 2},
        ],
    }
    (tmp_path / "locomo" / "7.json").write_text(json.dumps(talk), "utf-8")
    (found,) = locomo(tmp_path)
    assert found.notes == {"D1:1": "Ada: The loom broke.", "D1:2": "Bo: Look. [a loom]"}
    assert found.questions == [Question("What broke?", frozenset({"D1:1", "D1:2"}))]


def test_the_interval_of_a_mean_holds_the_mean_and_narrows() -> None:
    few, many = bootstrap([0.0, 1.0] * 10, seed=1), bootstrap([0.0, 1.0] * 1000, seed=1)
    assert few[0] < many[0] < 0.5 < many[1] < few[1]
    assert bootstrap([1.0, 1.0], seed=1) == (1.0, 1.0)
