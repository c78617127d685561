"""Seeds are fixed and large counts wait for `--full`: the same run gives the same result, and the usual is quick."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support import memories, postgres, zygote
from tests.support.opened import Opened

_ROOT = Path(__file__).parents[1]

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


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `log_contract` on both engines of the log."""
    if metafunc.definition.get_closest_marker("log_contract"):
        metafunc.parametrize("log_engine", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A real server for the whole run, where its programs are installed."""
    if postgres.programs() is None:
        pytest.skip("no PostgreSQL server is installed here")
    with postgres.running() as server:
        yield server


@pytest.fixture(scope="session")
def log_addresses(postgres_server: postgres.Server) -> postgres.Addresses:
    """Empty databases of that server."""
    return postgres.Addresses(postgres_server)


@pytest.fixture(autouse=True)
def log_engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the logs lie that `tests.support.memories` opens: files, or databases of a PostgreSQL server."""
    engine: str = getattr(request, "param", "sqlite")
    if engine == "sqlite":
        yield engine
        return
    addresses: postgres.Addresses = request.getfixturevalue("log_addresses")
    with addresses.lent() as place_of:
        memories.log_places.append(place_of)
        try:
            yield engine
        finally:
            memories.close_all()
            memories.log_places.pop()


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with an `rqa` that starts at once; it belongs on the path."""
    with zygote.running(tmp_path_factory.mktemp("zygote")) as folder:
        yield folder


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """How often a series of kills kills."""
    return 200 if request.config.getoption("--full") else 20


@pytest.fixture
def asked(request: pytest.FixtureRequest) -> int:
    """How many of fifty questions are deliberated on: each costs as much as a turn."""
    return 50 if request.config.getoption("--full") else 4


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """After a run with the large counts: leave what was run, on which revision, and how it ended."""
    if not config.getoption("--full"):
        return
    outcomes = {name: len(terminalreporter.stats.get(name, [])) for name in ("passed", "failed", "error", "skipped")}
    found = {
        "command": f"pytest {' '.join(config.invocation_params.args)}",
        "revision": _revision(),
        "exit": int(exitstatus),
        "hypothesis_examples_a_property": settings.default.max_examples if settings.default else 0,
        "kills_a_series": 200,
        "outcomes": outcomes,
    }
    (_ROOT / "evals" / "results" / "test_full.json").write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")


def _revision() -> str:
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    return subprocess.run(command, cwd=_ROOT, check=False, capture_output=True, text=True).stdout.strip()


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
