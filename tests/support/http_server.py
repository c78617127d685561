"""The real server on a real socket of this machine, over services that say what a test tells them to."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from rqa_checkpoints.provenance import Scope
from rqa_graph.opened import OpenHome
from rqa_graph.server.app import create_app
from rqa_graph.server.serving import listen
from rqa_graph.server.tokens import TOKENS_FILE, TokenFile
from rqa_graph.services import AppServices
from rqa_graph.settings import Settings
from rqa_graph.turn_saver import TurnSaver

__all__ = ["Served", "served"]


@dataclass(frozen=True, kw_only=True)
class Served:
    """A running server."""

    url: str
    home: OpenHome
    tokens: TokenFile

    def token(self, user: str, *, tenant: str = "local") -> str:
        """A new token for a person."""
        return self.tokens.add(f"{tenant}-{user}", Scope(tenant, user))

    def client(self, token: str = "", **headers: str) -> httpx.Client:
        """A plain client."""
        bearer = {"authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers={**bearer, **headers}, timeout=30)


@contextmanager
def served(services: AppServices, folder: Path, *, allowed: Mapping[str, Any] | None = None) -> Iterator[Served]:
    """Serve services until the block ends."""
    settings = Settings.load(home=folder, folder=folder, overrides={"server": dict(allowed or {})})
    tokens = TokenFile(folder / TOKENS_FILE, clock=services.clock)
    with TurnSaver.from_location(":memory:") as saver, listen("127.0.0.1", 0, tokens=tokens) as taken:
        home = OpenHome.over(settings, services, saver)
        server = uvicorn.Server(uvicorn.Config(create_app(home), log_config=None, access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]}, daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.005)
        try:
            yield Served(url=f"http://127.0.0.1:{taken.getsockname()[1]}", home=home, tokens=tokens)
        finally:
            server.should_exit = True
            thread.join(timeout=10)
            assert not thread.is_alive()
