"""Promises of the benches of size: they run, they compare, and what they draw is the same each time."""

from __future__ import annotations

import json

import pytest

from evals import synthetic
from evals.bench import checkpoints, scale
from evals.bench.scale import NearCentres


def test_recall_is_measured_in_both_shapes_beside_each_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    scale.main(["--nodes", "100", "--searches", "3", "--writes", "2", "--baseline-searches", "2"])
    printed = json.loads(capsys.readouterr().out)
    for shape in ("one", "hundred"):
        found = printed["results"][shape]
        for name in ("recall_before", "recall_after", "bare_edge_hybrid_before", "bare_edge_hybrid_after", "write"):
            assert 0 < found[name]["median"] <= found[name]["p99"]
        assert found["write"]["seen_at_once"] == "1/1"
        assert 10 < found["anonymous_mb"] < 500
    assert set(printed["results"]["baselines"]) == {"qdrant_client_local", "langgraph_in_memory_store", "trigram_scan"}


def test_a_turn_leaves_less_than_30_kb_of_checkpoints(capsys: pytest.CaptureFixture[str]) -> None:
    checkpoints.main(["--turns", "4"])
    printed = json.loads(capsys.readouterr().out)
    found = printed["results"]
    assert (printed["limit"], printed["turns_over_limit"]) == (30_000, 0)
    assert 0 < found["bare_chat_turn"]["largest"] < found["turn"]["largest"] < 30_000
    assert found["turn_of_the_last_tenth"]["median"] <= found["turn"]["p99"] <= found["turn"]["largest"]


def test_the_offline_run_is_the_same_code_at_any_size(capsys: pytest.CaptureFixture[str]) -> None:
    synthetic.main(["--nodes", "600", "--persons", "2", "--searches", "3"])
    found = json.loads(capsys.readouterr().out)["result"]["results"]
    assert 0 < found["before"]["median"] <= found["before"]["p99"]
    assert found["built"] is False


def test_neighbours_follow_from_their_texts() -> None:
    one, two = NearCentres(), NearCentres()
    assert one.embed_query("loom") == two.embed_documents(["loom"])[0] != two.embed_query("織物")
    assert sum(value * value for value in one.embed_query("loom")) == pytest.approx(1)
