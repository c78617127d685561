"""A server whose model says nothing of its own, and a client of it; a file whose model speaks has its own server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.http_server import Served, served
from tests.support.opened import Opened


@pytest.fixture
def server(opened: Opened, tmp_path: Path) -> Iterator[Served]:
    with served(opened(), tmp_path) as found:
        yield found


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as found:
        yield found
