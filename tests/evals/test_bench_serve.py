"""Promises of the server's benchmark: clients really talk at once, nothing crosses over, and it says so."""

from __future__ import annotations

import json

import pytest

from evals.bench.serve import main


def test_it_measures_the_server_beside_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--streams", "20", "--seconds", "5", "--starts", "1"])
    result = json.loads(capsys.readouterr().out)
    assert (result["unit"], result["streams"], result["seconds"], result["starts"]) == ("ms", 20, 5, 1)
    ready = result["ready"]
    assert 0 < ready["rqa_serve"]["median"] < ready["rqa_serve_first_reply"]["median"]
    assert ready["bare_fastapi"]["median"] > 0
    assert set(result["servers"]) == {"rqa_serve", "bare_fastapi_stream"}
    for figures in result["servers"].values():
        assert figures["whole"] >= 20
        assert (figures["failed"], figures["crossed"]) == (0, 0)
        assert 0 < figures["first_words"]["median"] <= figures["first_words"]["p95"] <= figures["first_words"]["p99"]
