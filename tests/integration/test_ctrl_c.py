"""Ctrl-C while a model writes: heard at once, exit 130, and nothing of the turn is kept."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.model_servers import Fault, OpenAIServer, Reply

_START_SECONDS = 180
_HEARD_SECONDS = 20
"""Far below what the model would take, and above what a loaded machine needs to end a process."""


def _env(home: Path, url: str) -> dict[str, str]:
    return {
        **os.environ,
        "RQA_HOME": str(home),
        "RQA_MODELS__CHAT": "openai:m",
        "RQA_MODELS__BASE_URL": url,
        "LC_ALL": "C.UTF-8",
    }


@pytest.mark.parametrize("text", ["Write a long letter about our mill.", "製粉所について長い手紙を書いて。"])
def test_a_turn_that_is_interrupted_ends_at_once_and_leaves_nothing(tmp_path: Path, programs: Path, text: str) -> None:
    with OpenAIServer(models=("m",), reply=Reply(fault=Fault.drips)) as server:
        env = _env(tmp_path / "home", server.url)
        command: list[str | Path] = [programs / "rqa", "ask", text]
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            end = time.monotonic() + _START_SECONDS
            while not server.chats and process.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            assert server.chats, "the model was never asked"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            begun = time.monotonic()
            _out, err = process.communicate(timeout=_HEARD_SECONDS * 4)
    assert process.returncode == 130, err
    assert time.monotonic() - begun < _HEARD_SECONDS
    assert "Traceback" not in err
    command = [programs / "rqa", "memory", "list", "--json"]
    listed = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert json.loads(listed.stdout)["items"] == []
