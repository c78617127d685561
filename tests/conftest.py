"""Seeds are fixed and large counts wait for `--full`: the same run gives the same result, and the usual is quick."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.support import memories, postgres, zygote
from tests.support.grids import covering
from tests.support.opened import Opened

# Processes run beside each other, one a core. Two threads of the embedding model in each would wait for one another,
# spinning: measured beside other work, a query then costs six times the processor time.
os.environ.setdefault("OMP_NUM_THREADS", "1")

_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 * 1024**3
"""A home takes up to 150 MB where files have no holes; a dozen is there at once."""


def _holds_homes(folder: Path) -> bool:
    """True where the tests may write, and run the programs that they write."""
    usable = os.access(folder, os.W_OK) and not os.statvfs(folder).f_flag & os.ST_NOEXEC
    return usable and shutil.disk_usage(folder).free > _ROOM_BYTES


if "TMPDIR" not in os.environ and _holds_homes(_MEMORY):
    # Tests wait for a disk longer than they work: what a home writes is flushed to it, and no power fails here.
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)

_TESTS = Path(__file__).parent
_LONG = {"evals", "integration", "property", "test_examples.py", "test_readme.py"}
"""Folders and files whose tests take seconds; the many others take milliseconds each."""

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("full", derandomize=True, deadline=None, database=None, max_examples=2000)
settings.load_profile("fixed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch for the large counts."""
    parser.addoption("--full", action="store_true", help="run the tests marked `full` too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes long comes first, so that no process ends with it; large counts are skipped, with a word."""
    items.sort(key=lambda item: item.path.relative_to(_TESTS).parts[0] not in _LONG)
    if config.getoption("--full"):
        return
    skip = pytest.mark.skip(reason="large counts: run by `make test-full`")
    repeating = _repeating(items)
    for item in items:
        if item.get_closest_marker("full") or item.nodeid in repeating:
            item.add_marker(skip)


def _repeating(items: Sequence[pytest.Item]) -> set[str]:
    """The cases of thinned tests that show no two values together which others do not."""
    grids = defaultdict[tuple[object, str], list[pytest.Function]](list)
    for item in items:
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and item.get_closest_marker("thinned"):
            grids[item.parent, item.originalname].append(item)
    found: set[str] = set()
    for cases in grids.values():
        values = [{name: id(value) for name, value in case.callspec.params.items()} for case in cases]
        chosen = covering(values)
        found |= {case.nodeid for number, case in enumerate(cases) if number not in chosen}
    return found


def pytest_collection_finish() -> None:
    """What has been imported and collected stays to the end; the garbage collector need not look at it again."""
    gc.collect()
    gc.freeze()


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
    """A folder with an `rqa` and a `python` that start at once; it belongs on the path."""
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
