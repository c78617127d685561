"""Does the saver keep LangGraph's own contract for checkpointers, on both engines?

The suite prints "FULL" for whatever it detected, so detection itself is asserted, capability by capability; and since
it calls the async methods only, `tests/checkpoints/test_saver.py` holds the sync twins to the same results.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from langgraph.checkpoint.conformance.report import CapabilityReport

from rqa_checkpoints.saver import QdrantSaver

TESTS = {
    Capability.PUT: 17,
    Capability.PUT_WRITES: 10,
    Capability.GET_TUPLE: 10,
    Capability.LIST: 16,
    Capability.DELETE_THREAD: 5,
    Capability.DELETE_FOR_RUNS: 7,
    Capability.COPY_THREAD: 8,
    Capability.PRUNE: 8,
}
"""How many tests release 0.0.2 has for each: 58 for the base, 23 for the rest."""


async def report_on(location: str) -> CapabilityReport:
    numbers = count()

    @checkpointer_test(name=f"QdrantSaver {location}")
    async def make() -> AsyncIterator[QdrantSaver]:
        """A fresh one for each capability: a folder or a collection of its own."""
        number = next(numbers)
        server = location.startswith("http")
        place = location if server or location == ":memory:" else f"{location}/{number}"
        async with QdrantSaver.from_location(place, collection=f"conformance_{os.getpid()}_{number}") as saver:
            yield saver

    return await validate(make)


def assert_full(report: CapabilityReport) -> None:
    assert {name for name, result in report.results.items() if result.detected} == {item.value for item in Capability}
    for capability, expected in TESTS.items():
        result = report.results[capability.value]
        assert result.failures == []
        assert result.tests_passed == expected, capability


def test_the_counts_cover_every_capability() -> None:
    assert set(TESTS) == set(Capability)
    assert sum(TESTS.values()) == 81


async def test_embedded_saver_passes_all_eight_capabilities(tmp_path: Path) -> None:
    assert_full(await report_on(str(tmp_path)))


async def test_client_saver_passes_all_eight_capabilities() -> None:
    assert_full(await report_on(":memory:"))


@pytest.mark.skipif("RQA_TEST_QDRANT_URL" not in os.environ, reason="RQA_TEST_QDRANT_URL names no server")
@pytest.mark.enable_socket
async def test_server_saver_passes_all_eight_capabilities() -> None:
    assert_full(await report_on(os.environ["RQA_TEST_QDRANT_URL"]))
