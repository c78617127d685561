"""The measure of questions: its inputs, its counts worked by hand, its blind sheet, and what the engine must reach."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evals import blind
from evals.agreement import kappa, spearman
from evals.blind import AXES, ON_FRAMES, OURS, score, sheet
from evals.runner.errors import MissingDataError
from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.suite import RESULTS, read_rows, write_rows
from evals.suites.questions import ENGINE, FRAMES, TEMPLATE, Given, load, plan, template
from rqa_nodes.echo import verify_fields
from rqa_nodes.models import builtin, complete
from rqa_nodes.prompts import render
from rqa_nodes.reflect.schema import validate_analysis

LEAST_LAYER_BITS = 1.9
LEAST_STANCE_BITS = 1.5


def engine(given: Given) -> str:
    return complete(builtin(), render(given.parts), deadline_s=10)


@pytest.fixture(scope="module")
def cells() -> Cells:
    found = plan(load(), {ENGINE: engine, TEMPLATE: template})
    return Cells(summarise(found, run_plan("questions", found)))


def test_each_language_has_thirty_inputs_to_question_and_thirty_to_leave_alone() -> None:
    for given in load().values():
        assert [row.form for row in given] == ["deep"] * 30 + ["simple"] * 30
        assert len({row.text for row in given}) == 60
        assert len({row.domain for row in given}) >= 8


@pytest.mark.parametrize("name", ["English", "Japanese"])
def test_the_engine_reaches_its_goals(cells: Cells, name: str) -> None:
    where = {"form": "deep", "set": name}
    for figure in ("valid", "three layers, two stances"):
        assert cells.counts(ENGINE, figure, **where) == "30/30"
    assert cells.figure(ENGINE, "varied enough", **where)["hits"] >= 29
    assert cells.value(ENGINE, "kept an input", **where) >= 4.5
    own = cells.figure(ENGINE, "in words of the input", **where)
    assert own["hits"] == own["of"]
    assert cells.value(ENGINE, "layers, bits", **where) >= LEAST_LAYER_BITS
    assert cells.value(ENGINE, "stances, bits", **where) >= LEAST_STANCE_BITS


@pytest.mark.parametrize("name", ["English", "Japanese"])
def test_a_plain_input_is_left_alone_by_router_and_engine(cells: Cells, name: str) -> None:
    for arm in ("router", ENGINE):
        assert cells.counts(arm, "left alone", form="simple", set=name) == "30/30"


def test_the_engine_writes_the_schema_itself() -> None:
    """Not only after the tolerant parser."""
    for given in (row for rows in load().values() for row in rows):
        validate_analysis(json.loads(engine(given)))


def test_what_the_engine_writes_passes_the_verifier_unchanged() -> None:
    for given in (row for rows in load().values() for row in rows):
        analysis = json.loads(engine(given))
        checked, _ = verify_fields(analysis, injected=[], transcript=[("user", given.text)], lang=given.lang)
        assert checked == analysis, given.id


def test_a_template_asks_nothing_in_the_words_of_the_input(cells: Cells) -> None:
    for name in ("English", "Japanese"):
        own = cells.figure(TEMPLATE, "in words of the input", form="deep", set=name)
        assert own["hits"] < own["of"] / 10


def test_frames_are_read_from_a_folder_and_other_files_in_it_are_passed_over(tmp_path: Path) -> None:
    prompts = {"prompts": [{"id": "f1", "frame": "Tea is always better."}, {"id": "f2", "frame": "茶は必ず良い。"}]}
    (tmp_path / "frames.json").write_text(json.dumps(prompts), "utf-8")
    (tmp_path / "other.json").write_text("[1]", "utf-8")
    assert [(row.id, row.lang) for row in load(tmp_path)["frames"]] == [("f1", "en"), ("f2", "ja")]


def test_an_arm_that_returns_no_analysis_is_counted_as_invalid() -> None:
    found = plan({"English": load()["English"][:3]}, {"silent": lambda _: ""})
    cells = Cells(summarise(found, run_plan("questions", found)))
    assert cells.counts("silent", "valid") == "0/3"
    assert cells.value("silent", "kept an input") == cells.value("silent", "layers, bits") == 0


# Two inputs, two arms; the rater prefers arm "x" on the first and is undecided on the second.
QUESTIONS = {("i1", "x"): "Why oak?", ("i1", "y"): "Really?", ("i2", "x"): "When?", ("i2", "y"): ""}


def rated(path: Path, rater: str, rows: Sequence[dict[str, Any]], **totals: int) -> Path:
    by_arm = [{"rater": rater}, *({"id": row["id"], **dict.fromkeys(AXES, totals[row["arm"]])} for row in rows)]
    write_rows(path, by_arm)
    return path


def test_a_sheet_hides_the_arm_and_its_order_says_nothing() -> None:
    items, key = sheet({"i1": "Oak.", "i2": "Soon."}, QUESTIONS)
    assert all(set(item) == {"id", "input", "question"} for item in items)
    assert [item["id"] for item in items] == ["b001", "b002", "b003"]
    assert sorted((row["input_id"], row["arm"]) for row in key) == sorted(QUESTIONS)
    assert [row for row in key if not row["id"]] == [{"id": "", "input_id": "i2", "lang": "en", "arm": "y"}]
    assert sheet({"i1": "Oak.", "i2": "Soon."}, dict(reversed(QUESTIONS.items()))) == (items, key)


def test_ratings_are_summed_by_arm_and_raters_compared(tmp_path: Path) -> None:
    _, key = sheet({"i1": "Oak.", "i2": "Soon."}, QUESTIONS)
    write_rows(tmp_path / "two_key.jsonl", key)
    asked = [row for row in key if row["id"]]
    ratings = [rated(tmp_path / f"{name}.jsonl", name, asked, x=8, y=2) for name in ("one", "two")]
    found = score(tmp_path / "two_key.jsonl", ratings)
    assert found["suite"] == "two"
    assert found["raters"] == ["one", "two"]
    # Arm x: 8 on four axes is 32, best of both inputs; arm y: 2 on four axes is 8, one question missing.
    x, y = found["rows"]["en"]["x"], found["rows"]["en"]["y"]
    assert (x["questions"], x["by_rater"][0]["total"], x["by_rater"][0]["best_of_input"]) == (2, 32, 2)
    assert (y["questions"], y["without_question"], y["by_rater"][1]["total"]) == (1, 1, 8)
    assert found["agreement"][0]["spearman_of_totals"] == 1.0


@pytest.mark.parametrize("wrong", [{"depth": 11}, {"depth": True}, {"depth": "7"}, {"id": "b999"}])
def test_a_rating_out_of_range_or_of_no_question_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    _, key = sheet({"i1": "Oak."}, {("i1", "x"): "Why?"})
    write_rows(tmp_path / "key.jsonl", key)
    write_rows(tmp_path / "r.jsonl", [{"id": "b001", **dict.fromkeys(AXES, 5), **wrong}])
    with pytest.raises(ValueError, match=r"r\.jsonl"):
        score(tmp_path / "key.jsonl", [tmp_path / "r.jsonl"])


def test_agreement_measures_by_hand() -> None:
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    # Ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5).
    assert spearman([1, 2, 2, 5], [1, 2, 3, 4]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert spearman([1, 1], [1, 2]) == 0.0
    # Seen (0 + 4) / 2 = 2; by chance the mean over all pairs of {0, 4} and {0, 2}: (0 + 4 + 16 + 4) / 4 = 6.
    assert kappa([0, 4], [0, 2]) == pytest.approx(1 - 2 / 6)
    assert kappa([5, 5], [5, 5]) == 1.0


def test_the_command_writes_a_sheet_without_another_model(tmp_path: Path) -> None:
    assert blind.main(["sheet", str(tmp_path / "sheet.jsonl")]) == 0
    items = (tmp_path / "sheet.jsonl").read_text("utf-8").splitlines()
    key = [json.loads(line) for line in (tmp_path / "sheet_key.jsonl").read_text("utf-8").splitlines()]
    assert len(items) == len(key) == 120
    assert {row["arm"] for row in key} == {ENGINE, TEMPLATE}


def test_the_command_writes_a_sheet_of_frames_that_are_not_ours(tmp_path: Path) -> None:
    prompts = {"prompts": [{"id": "f1", "frame": "Tea is always better."}, {"id": "f2", "frame": "茶は必ず良い。"}]}
    folder = tmp_path / "data" / "reference"
    folder.mkdir(parents=True)
    (folder / "live_alternatives.json").write_text(json.dumps(prompts), "utf-8")
    assert blind.main(["sheet", str(tmp_path / "sheet.jsonl"), "--data", str(tmp_path / "data")]) == 0
    items = read_rows(tmp_path / "sheet.jsonl")
    key = read_rows(tmp_path / "sheet_key.jsonl")
    assert {row["input"] for row in items} == {"Tea is always better.", "茶は必ず良い。"}
    assert sorted((row["input_id"], row["lang"], row["arm"]) for row in key) == [
        (name, lang, arm) for name, lang in (("f1", "en"), ("f2", "ja")) for arm in (ENGINE, TEMPLATE)
    ]


def test_a_folder_without_frames_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=FRAMES.replace("*", r"\*")):
        blind.main(["sheet", str(tmp_path / "sheet.jsonl"), "--data", str(tmp_path)])


@pytest.mark.parametrize("name", [OURS, ON_FRAMES])
def test_the_committed_scores_are_those_of_the_committed_key(name: str) -> None:
    kept = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["result"]
    ratings = [RESULTS / f"{name}_rater_{rater}.jsonl" for rater in "ab"]
    assert score(RESULTS / f"{name}_key.jsonl", ratings) == kept


def test_a_sheet_of_frames_is_not_kept() -> None:
    assert (RESULTS / f"{OURS}_sheet.jsonl").is_file()
    assert not (RESULTS / f"{ON_FRAMES}_sheet.jsonl").exists()
