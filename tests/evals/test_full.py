"""The long run leaves what ran and how it ended, whatever fails on the way, and fails itself if anything did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.full import STEPS, counts, main, run_steps

ROOT = Path(__file__).parents[2]
_TESTS = """
import pytest

def test_holds(): pass
def test_fails(): assert 0
def test_waits(): pytest.skip("no server")

@pytest.fixture
def broken(): raise OSError

def test_cannot_begin(broken): pass
"""


def test_a_step_that_fails_is_counted_and_the_next_one_runs(tmp_path: Path) -> None:
    tests = tmp_path / "test_four.py"
    tests.write_text(_TESTS, "utf-8")
    steps = {
        "tests": ("pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", "-c", "/dev/null", str(tests)),
        "next": ("this",),
    }
    assert not run_steps(steps, jobs=0, result=tmp_path / "result.json")
    found = json.loads((tmp_path / "result.json").read_text("utf-8"))
    assert {name: step["exit"] for name, step in found["steps"].items()} == {"tests": 1, "next": 0}
    first, second = found["steps"].values()
    assert (first["passed"], first["failed"], first["skipped"]) == (1, 2, 1)
    assert second["command"] == "python -m this"
    assert first["seconds"] > 0
    assert second["seconds"] >= 0


def test_a_step_that_is_run_alone_leaves_what_is_known_of_the_others(tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    result.write_text(json.dumps({"steps": {"fuzz": {"revision": "before", "exit": 1}, "next": {"exit": 1}}}), "utf-8")
    assert run_steps({"next": ("this",)}, jobs=1, result=result)
    steps = json.loads(result.read_text("utf-8"))["steps"]
    assert steps["fuzz"] == {"revision": "before", "exit": 1}
    assert steps["next"]["exit"] == 0
    assert steps["next"]["revision"]


def test_every_step_names_tests_that_are_there() -> None:
    named = [word for step in STEPS.values() for word in step if word.endswith(".py")]
    assert named
    assert all((ROOT / word).is_file() for word in named)


def test_a_report_without_tests_counts_none(tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text("<testsuites/>", "utf-8")
    assert counts(tmp_path / "junit.xml") == {"passed": 0, "failed": 0, "skipped": 0}


def test_an_unknown_step_is_refused_with_the_names_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fuzzz"])
    shown = capsys.readouterr().err
    assert all(name in shown for name in STEPS)
