"""`rqa chat` at a terminal: the prompt is back after the answer, and a message is worth more than a search for one."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rqa_graph.resources import load_config
from rqa_nodes.reflect.binding import Binding
from tests.support.graphs import analysis, evaluation
from tests.support.model_servers import SILENT_SECONDS, Fault, OpenAIServer, Reply

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

QUESTIONS = ["What would the mill lose upstream?", "Who pays for the mill?", "Is upstream the thing to choose?"]
_PATIENCE_SECONDS = 60


class _Terminal:
    """A program at a pseudo-terminal: what is typed, and what is seen."""

    def __init__(self, program: Path, env: dict[str, str], cwd: Path) -> None:
        self._end, other = pty.openpty()
        self.process = subprocess.Popen([program, "chat"], stdin=other, stdout=other, stderr=other, env=env, cwd=cwd)
        os.close(other)
        self._seen = ""

    def type(self, line: str) -> None:
        os.write(self._end, f"{line}\r".encode())

    def until(self, words: str) -> str:
        """Wait for the words; what was seen up to them is forgotten."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while words not in self._seen:
            assert time.monotonic() < end, f"{words!r} was not shown: {self._seen[-2000:]!r}"
            if select.select([self._end], [], [], 0.1)[0]:
                self._seen += os.read(self._end, 65_536).decode("utf-8", "replace")
            if "\x1b[6n" in self._seen:  # where is the cursor?
                os.write(self._end, b"\x1b[1;1R")
                self._seen = self._seen.replace("\x1b[6n", "")
        before, _, self._seen = self._seen.partition(words)
        return before

    def close(self) -> None:
        self.process.kill()
        self.process.wait(20)
        os.close(self._end)


@pytest.fixture
def servers(tmp_path: Path, programs: Path) -> Iterator[tuple[OpenAIServer, OpenAIServer, _Terminal]]:
    """A chat model, an evaluator that a person approved, and a terminal."""
    config = tmp_path / "home" / "config"
    config.mkdir(parents=True)
    with OpenAIServer(models=("m",)) as chat, OpenAIServer() as judge:
        binding: dict[str, Any] = {**load_config("evaluator_binding"), "endpoint": judge.groq_url}
        approval = {"who": "a test", "when": "2026-11-30", "hash": Binding.from_mapping(binding).fingerprint}
        (config / "evaluator_binding.yaml").write_text(yaml.safe_dump(binding), "utf-8")
        (config / "approvals.yaml").write_text(yaml.safe_dump({"evaluator_binding": [approval]}), "utf-8")
        env = {
            **os.environ,
            "RQA_HOME": str(tmp_path / "home"),
            "RQA_MODELS__CHAT": "openai:m",
            "RQA_MODELS__BASE_URL": chat.url,
            "RQA_MEMORY__EMBEDDER": "hash",
            "GROQ_API_KEY": "gsk-4f9c1b7e2d",
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
        }
        terminal = _Terminal(programs / "rqa", env, tmp_path)
        try:
            yield chat, judge, terminal
        finally:
            terminal.close()


def test_a_new_message_ends_the_search_and_a_question_that_comes_is_shown_above_the_prompt(
    servers: tuple[OpenAIServer, OpenAIServer, _Terminal],
) -> None:
    chat, judge, terminal = servers
    chat.then(Reply(text="Upstream stays dry."), Reply(text=analysis(QUESTIONS)), Reply(text="It is Stockholm."))
    chat.then(Reply(text="The big one too."), Reply(text=analysis(QUESTIONS)))
    judge.then(Reply(fault=Fault.silent))
    judge.default = Reply(text=evaluation((9, 9, 8, 9), (5, 5, 5, 5), (4, 4, 4, 4)), delay_s=1.5)
    terminal.until("Ctrl-D ends")
    terminal.type("Should we move the mill upstream, or is that the wrong question?")
    terminal.until("Upstream stays dry.")
    end = time.monotonic() + _PATIENCE_SECONDS
    while not judge.chats and time.monotonic() < end:
        time.sleep(0.05)
    begun = time.monotonic()
    terminal.type("What is the capital of Sweden?")
    assert QUESTIONS[0] not in terminal.until("It is Stockholm.")
    assert time.monotonic() - begun < SILENT_SECONDS / 2, "nobody waits for an evaluator that is silent"
    terminal.type("Should we move the big mill upstream now, or is that the wrong question?")
    terminal.until("The big one too.")
    terminal.until(QUESTIONS[0])
    terminal.type("/quit")
    terminal.until("rqa chat --thread")
    assert terminal.process.wait(30) == 0
