"""On which address does the server listen, and when does it refuse to?"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Final

import uvicorn

from rqa_checkpoints.home import Home
from rqa_graph.errors import UsageFaultError
from rqa_graph.opened import OpenHome
from rqa_graph.server.app import create_app
from rqa_graph.server.gate import is_loopback
from rqa_graph.server.tokens import TokenFile

__all__ = ["ADDRESS_FILE", "address_of", "announced", "listen", "serve"]

ADDRESS_FILE: Final = "serving.json"
"""In a home that is served: where. Believed only while the process that wrote it holds the home."""

_CLOSING_SECONDS = 5
"""How long running replies may take when the server is told to stop."""

_LOADED_LATER: Final = ("rqa_graph.server.mcp_tools", "rqa_graph.curating")
"""What some request needs first, and no answer to "is it there?"."""


def listen(host: str, port: int, *, tokens: TokenFile) -> socket.socket:
    """Take the address.

    Raises:
        UsageFaultError: The address is not this machine's own and there are no tokens, or it cannot be taken.
    """
    if not is_loopback(host) and not tokens.all():
        raise UsageFaultError("server.no_tokens", host=host)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise UsageFaultError("server.address", host=host, port=port, reason=error.strerror or str(error)) from error


@contextmanager
def announced(home: Path, url: str) -> Iterator[None]:
    """Leave word in a home where it is served, for as long as it is."""
    path = home / ADDRESS_FILE
    path.write_text(json.dumps({"pid": os.getpid(), "url": url}), "utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def address_of(home: Path) -> str | None:
    """Where the process that holds a home serves it; None if nobody does."""
    holder = Home(home).holder()
    try:
        found = json.loads((home / ADDRESS_FILE).read_text("utf-8"))
        return str(found["url"]) if holder and holder.pid == found["pid"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if self.started:
            self._when_started()


def serve(home: OpenHome, taken: socket.socket, *, ready: Callable[[], None]) -> None:
    """Answer requests until the process is told to stop (Ctrl-C, SIGTERM). `ready` is called once it answers.

    What answers turns is loaded after that, so that the first turn need not; what keeps it from being loaded ends the
    server and is raised.
    """
    config = uvicorn.Config(
        create_app(home),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
    )
    loaded = Future[None]()

    def load() -> None:
        try:
            _ = home.graph, home.review
            for name in _LOADED_LATER:
                importlib.import_module(name)
            gc.freeze()  # what is loaded stays: a full collection, once in some twenty turns, need not walk through it
            loaded.set_result(None)
        except BaseException as error:  # noqa: BLE001  # raised below, in the thread that can end the command with it
            loaded.set_exception(error)
            server.should_exit = True

    loading = Thread(target=load)

    def started() -> None:
        ready()
        loading.start()

    server = _Server(config, started)
    # uvicorn stops in order and then raises the signal again; by default SIGTERM would end the process on the spot.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[taken])
    finally:
        signal.signal(signal.SIGTERM, before)
        if loading.ident is not None:
            loading.join()  # nothing may use the home once it is closed
    if loaded.done():
        loaded.result()
