"""On which address does the server listen, and when does it refuse to?"""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from rqa_graph.errors import UsageFaultError
from rqa_graph.opened import OpenHome
from rqa_graph.server.app import create_app
from rqa_graph.server.gate import is_loopback
from rqa_graph.server.tokens import TokenFile

__all__ = ["listen", "serve"]

_CLOSING_SECONDS = 5
"""How long running replies may take when the server is told to stop."""


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


def serve(home: OpenHome, taken: socket.socket, *, ready: Callable[[], None]) -> None:
    """Answer requests until the process is told to stop (Ctrl-C, SIGTERM). `ready` is called once it listens."""
    config = uvicorn.Config(
        create_app(home),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
    )
    server = uvicorn.Server(config)
    ready()
    # uvicorn stops in order and then raises the signal again; by default SIGTERM would end the process on the spot.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[taken])
    finally:
        signal.signal(signal.SIGTERM, before)
