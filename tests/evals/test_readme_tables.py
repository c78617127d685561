"""The tables of the README say what the result files say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.readme import tables
from evals.runner.command import shipped_suites
from evals.runner.setup import WEAK
from evals.suite import RESULTS


def test_a_row_names_its_place_and_has_median_and_p99(tmp_path: Path) -> None:
    result = {
        "bench": "saver",
        "unit": "ms",
        "count": 100,
        "savers": {"sqlite_file": {"put": {"median": 2.282, "p99": 107.4486}, "get": {"median": 0.07, "p99": 0.2}}},
    }
    found = {
        "command": "python -m evals.bench.saver",
        "revision": "abc",
        "machine": "x86_64, 2 cores",
        "result": result,
    }
    (tmp_path / "saver.json").write_text(json.dumps(found), "utf-8")
    assert tables(tmp_path).splitlines() == [
        "`python -m evals.bench.saver` at abc (x86_64, 2 cores): count 100.",
        "",
        "| | median, ms | p99, ms |",
        "|---|---|---|",
        "| sqlite file, put | 2.28 | 107.45 |",
        "| sqlite file, get | 0.07 | 0.20 |",
    ]


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*_smollm2.json")), ids=lambda path: path.stem)
def test_what_the_small_model_shows_is_said_to_be_that_of_a_weak_one(path: Path) -> None:
    suite = path.stem.removesuffix("_smollm2")
    found = json.loads(path.read_text("utf-8"))
    readme = shipped_suites()[suite].readme
    assert readme is not None
    assert WEAK in readme(found, {})
