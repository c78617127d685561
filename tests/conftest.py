"""Seeds are fixed and large counts wait for `--full`: the same run gives the same result, and the usual is quick."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support.opened import Opened

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("full", derandomize=True, deadline=None, database=None, max_examples=2000)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch for the large counts."""
    parser.addoption("--full", action="store_true", help="run the tests marked `full` too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip, with a word, what only `make test-full` runs."""
    if config.getoption("--full"):
        return
    skip = pytest.mark.skip(reason="large counts: run by `make test-full`")
    for item in items:
        if item.get_closest_marker("full"):
            item.add_marker(skip)


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    """Opens scripted services, each over a home of its own, and closes them after the test."""
    from tests.support.graphs import scripted_services  # tests without a graph need not pay for its imports

    kept: list[Any] = []

    def open_them(*args: Any, **options: Any) -> Any:
        kept.append(scripted_services(tmp_path / f"home{len(kept)}", *args, **{"embedder": "hash", **options}))
        return kept[-1]

    yield open_them
    for services in kept:
        services.close()
