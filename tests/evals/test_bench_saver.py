"""Promises of the saver's benchmark: its figures are worked out right, and it runs."""

from __future__ import annotations

import json

import pytest

from evals.bench.saver import main, summary


def test_summary_of_a_hundred_known_durations() -> None:
    # 1 to 100 ms. Median rank 100 // 2 = 50 (counted from 0): 51. Interval ranks 50 -+ 1.96 * 10 / 2 = 40.2 and 59.8,
    # outward 40 and 60: 41 and 61. 99th percentile: rank ceil(99) - 1 = 98: 99.
    figures = summary([number / 1000 for number in range(100, 0, -1)])
    assert figures == {"median": 51.0, "median_low": 41.0, "median_high": 61.0, "p99": 99.0}


def test_summary_of_one_duration() -> None:
    assert set(summary([0.002]).values()) == {2.0}


def test_it_measures_our_saver_beside_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--count", "3", "--value-bytes", "64"])
    result = json.loads(capsys.readouterr().out)
    assert (result["unit"], result["count"], result["value_bytes"], result["seed"]) == ("ms", 3, 64, 7)
    assert set(result["savers"]) == {"sqlite_file", "qdrant_edge", "qdrant_client_memory", "langgraph_memory"}
    for calls in result["savers"].values():
        assert all(0 < calls[call]["median"] <= calls[call]["p99"] for call in ("put", "get"))
