"""The code blocks of a page, run as a reader runs them."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Block", "Step", "blocks", "run_shown", "run_steps", "steps"]

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit (\d+)$")
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block of a page."""

    page: str
    line: int
    kind: str
    body: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a console block, with what the page says that it prints."""

    command: str
    exit_code: int
    shown: str
    """Lines of standard output; `...` stands for any words, on a line of its own for any lines. Empty: not shown."""

    def says(self, printed: str) -> bool:
        """Is this what was printed?"""
        if not self.shown:
            return True
        lines = [r"(?:.*\n)*?" if line == "..." else f"{_pattern(line)}\n" for line in self.shown.splitlines()]
        return re.fullmatch("".join(lines), printed if printed.endswith("\n") else f"{printed}\n") is not None


def _pattern(line: str) -> str:
    return ".*?".join(map(re.escape, line.split("...")))


def blocks(page: Path, *kinds: str, root: Path = ROOT) -> list[Block]:
    """The blocks of a page below `root`, of all kinds if none is named."""
    text = page.read_text("utf-8")
    name = page.relative_to(root).as_posix()
    found = (Block(name, text.count("\n", 0, match.start()) + 1, match[1], match[2]) for match in _BLOCK.finditer(text))
    return [block for block in found if not kinds or block.kind in kinds]


def steps(block: Block) -> Iterator[Step]:
    """The commands of a console block, each with the lines below it."""
    command, shown = "", list[str]()
    for line in [*block.body.splitlines(), "$ "]:
        if not line.startswith("$ "):
            assert command, f"{block}: {line!r} stands before any command"
            shown.append(line)
            continue
        if command:
            ends = _EXIT.search(command)
            yield Step(_EXIT.sub("", command), int(ends[1]) if ends else 0, "\n".join(shown))
        command, shown = line[2:], []


def run_shown(command: list[str], folder: Path, programs: Path) -> subprocess.CompletedProcess[str]:
    """Run as a newcomer would: the programs on the path, a home of its own, no model server."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "RQA_HOME": str(folder / "home"), "RQA_MODELS__CHAT": "builtin", "LANG": "C.UTF-8"}
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, timeout=_SECONDS, check=False
    )


def run_steps(block: Block, folder: Path, programs: Path) -> None:
    """Run the commands of a console block in a folder, one after the other, and hold each to what the page says."""
    for step in steps(block):
        done = run_shown(["bash", "-c", step.command], folder, programs)
        told = f"{block}: {step.command}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == step.exit_code, told
        assert done.stdout or ">" in step.command, f"{told}\nsays nothing"
        assert step.says(done.stdout), f"{told}\nThe page shows:\n{step.shown}"
