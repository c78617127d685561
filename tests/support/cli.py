"""The command line as a person uses it, in this process: words in, exit code and both streams out."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from rqa_graph.cli.main import run

__all__ = ["ENVELOPE", "TURN_FIELDS", "Cli", "Ran", "clean_environment"]

ENVELOPE = {"schema", "ok", "error"}
TURN_FIELDS = {
    *("text", "lang", "level", "mode", "reason", "budget", "question", "panel", "report", "memory"),
    *("stop_reason", "degraded", "engine", "thread", "turn"),
}
"""What interfaces promise for ask, chat and review."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What one command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        assert self.out.count("\n") == 1, self.out
        value: dict[str, Any] = json.loads(self.out)
        assert set(value) >= ENVELOPE
        return value

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The JSON objects on standard output, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class _Terminal(io.TextIOWrapper):
    """Lines that a person types."""

    def isatty(self) -> bool:
        return True


class Cli:
    """Runs commands on a home of its own with the built-in engine, unless a test sets it otherwise."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.home = home
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        clean_environment(monkeypatch)
        self.set(RQA_HOME=str(home), RQA_MODELS__CHAT="builtin", LC_ALL="C.UTF-8")
        monkeypatch.chdir(home.parent)

    def set(self, **variables: str) -> None:
        """Set environment variables for the commands that follow."""
        for name, value in variables.items():
            self._monkeypatch.setenv(name, value)

    def __call__(self, *args: str, stdin: str | bytes = b"", is_typed: bool = False) -> Ran:
        """Run one command line; `is_typed` makes standard input a terminal."""
        data = stdin if isinstance(stdin, bytes) else stdin.encode("utf-8", "surrogatepass")
        self._capsys.readouterr()
        with self._monkeypatch.context() as patch:
            kind = _Terminal if is_typed else io.TextIOWrapper
            patch.setattr(sys, "stdin", kind(io.BytesIO(data), "utf-8", errors="surrogateescape"))
            code = int(run(list(args)))
        shown = self._capsys.readouterr()
        return Ran(code=code, out=shown.out, err=shown.err)

    def state(self) -> tuple[int, str]:
        """How many events the log of this home has, and the hash of what they add up to; its chain is whole."""
        found = self("log", "verify", "--json")
        assert (found.code, found.json["first_broken"]) == (0, None)
        return found.json["events"], found.json["state_hash"]

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Nothing that happens inside changes what is remembered."""
        before = self.state()
        yield
        assert self.state() == before


def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take out what the person who runs the tests may have set."""
    for name in os.environ:
        if name.upper().startswith(("RQA_", "LANGSMITH", "LANGCHAIN")) or name.upper() == "GROQ_API_KEY":
            monkeypatch.delenv(name)
