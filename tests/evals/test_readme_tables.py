"""The tables of the README say what the result files say."""

from __future__ import annotations

import json
from pathlib import Path

from evals.readme import tables


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


def test_guard_items_are_grouped_and_counted(tmp_path: Path) -> None:
    def arms(right: int, of: int) -> dict[str, dict[str, int]]:
        return {"verifier": {"right": right, "of": of}, "bracketed marker check": {"right": 0, "of": of}}

    rows = {"en": {"ref_unknown": arms(3, 4), "ref_stale": arms(1, 1), "plain": arms(10, 10)}}
    result = {
        "suite": "guard",
        "parts": {"heldout": {"items": 15, "rows": rows}, "development": {"items": 0, "rows": {}}},
    }
    found = {"command": "python -m evals.guard --write", "revision": "abc", "result": result}
    (tmp_path / "guard.json").write_text(json.dumps(found), "utf-8")
    lines = tables(tmp_path).splitlines()
    assert lines[2].startswith("15 held-out items")
    # Wilson for 4 of 5: 37.6 to 96.4 %.
    assert "| references that were never given, removed | 4/5 (37.6-96.4 %) | - | - | 0/5 |" in lines
    assert "| plain texts, untouched | 10/10 (72.2-100.0 %) | - | - | 0/10 |" in lines
