"""The real development server, in a folder of its own with its own home: started, waited for, and ended or killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.ports import free_port

__all__ = ["ROOT", "dev_folder", "dev_server"]

ROOT = Path(__file__).parents[2]
_READY_SECONDS = 60


def dev_folder(folder: Path) -> Path:
    """A copy of what the server reads."""
    shutil.copy(ROOT / "langgraph.json", folder)
    shutil.copytree(ROOT / "rqa_graph", folder / "rqa_graph", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("config", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    return folder


@contextmanager
def dev_server(folder: Path, *, kill: bool = False, **variables: str) -> Iterator[tuple[str, Path]]:
    """Run a server over a folder of `dev_folder`: its URL and its log.

    Args:
        folder: Where it runs, with its home in it.
        kill: End it without a word.
        **variables: More of its environment.
    """
    port, log = free_port(), folder / "server.log"
    env = {
        **os.environ,
        "RQA_HOME": str(folder / "home"),
        "RQA_MODELS__CHAT": "builtin",
        "RQA_MEMORY__USER": "mara",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "1",
        **variables,
    }
    command = [str(Path(sys.executable).parent / "langgraph"), "dev", "--no-browser", "--no-reload"]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n-jobs-per-worker", "4"]
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=out, stderr=out, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(url, process, log)
        yield url, log
    finally:
        os.killpg(process.pid, signal.SIGKILL if kill else signal.SIGTERM)
        process.wait(timeout=20)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text("utf-8", "replace")[-4000:]
        try:
            if httpx.get(f"{url}/ok", timeout=1).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise AssertionError(log.read_text("utf-8", "replace")[-4000:])
