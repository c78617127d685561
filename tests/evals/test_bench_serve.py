"""Promises of the server's benchmark: clients really talk at once, nothing crosses over, and it says so."""

from __future__ import annotations

import json

import pytest

from evals.bench.serve import main


def test_it_measures_the_server_beside_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--streams", "3", "--seconds", "1"])
    result = json.loads(capsys.readouterr().out)
    assert (result["unit"], result["streams"]) == ("ms", 3)
    assert set(result["servers"]) == {"rqa_serve", "bare_fastapi_stream"}
    for figures in result["servers"].values():
        assert figures["whole"] >= 3
        assert (figures["failed"], figures["crossed"]) == (0, 0)
        assert 0 < figures["first_words"]["median"] <= figures["first_words"]["p95"] <= figures["first_words"]["p99"]
