"""An `rqa` and a `python` for tests that cost a fork and not seconds of imports, otherwise what a person has.

The programs in the folder are clients of `zygote_server`; a shell that finds them first runs pipes, exit codes and
quoting as ever. SIGINT and SIGTERM are passed on, and what is killed takes its command with it. The server ends when
its standard input does, hence with this process, however that ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

__all__ = ["running"]

_SERVER: Final = Path(__file__).with_name("zygote_server.py")
_CLIENT: Final = """#!{python} -IS
import _socket, array, marshal, os, signal, sys
umask = os.umask(0)
os.umask(umask)
data = marshal.dumps(([os.fsencode(w) for w in sys.argv], dict(os.environb), os.getcwdb(), umask))
streams = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))]
server = _socket.socket(_socket.AF_UNIX)
server.connect({path!r})
server.sendmsg([len(data).to_bytes(8, "big")], streams)
while data:
    data = data[server.send(data):]
command = int.from_bytes(server.recv(4), "big")
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: os.kill(command, number))
code = int.from_bytes(server.recv(4), "big", signed=True)
if code < 0:
    if code != -signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
os._exit(code)
"""


@contextmanager
def running(folder: Path) -> Iterator[Path]:
    """Start the server with its socket in this folder; gives the folder of the programs that speak to it."""
    path, programs = folder / "zygote", folder / "bin"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RQA_", "LANG", "GROQ_"))}
    # numpy's library would start a thread for each further core, and a fork has only one.
    environment = kept | {"OPENBLAS_NUM_THREADS": "1", "RQA_HOME": str(folder / "of-no-command")}
    command = [sys.executable, str(_SERVER), str(path)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n", "its own words are above"
            programs.mkdir()
            for name in ("rqa", "python"):
                (programs / name).write_text(_CLIENT.format(python=sys.executable, path=str(path)), "utf-8")
                (programs / name).chmod(0o755)
            yield programs
        finally:
            assert not (folder / "of-no-command").exists(), "an import has opened a home"
