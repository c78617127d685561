"""Where may a server listen that is given its address before it starts?"""

from __future__ import annotations

import socket

__all__ = ["free_port"]


def free_port() -> int:
    """A port of this machine that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
