"""Every command and every example of the README runs as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rqa_graph.drawing import mermaid
from rqa_graph.graph import graph

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
JAPANESE = (ROOT / "README.ja.md").read_text("utf-8")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit (\d+)$")
_BY_OTHERS = {
    **{
        f"export {name}='postgresql://rqa:PASSWORD@db.example.org/rqa'": "tests/rqa_graph/cli/test_postgres_home.py"
        for name in ("RQA_LOG_URL", "RQA_CHECKPOINTER")
    },
    "make demo": "tests/rqa_graph/cli/test_demo.py",
    "make test": "the run of this test",
    "rqa serve": "tests/rqa_graph/cli/test_serve.py",
    next(line for line in README.splitlines() if line.startswith("curl ")): "tests/rqa_graph/cli/test_serve.py",
    "langgraph dev --no-browser --n-jobs-per-worker 4": "tests/integration/test_langgraph_dev.py",
}
"""Commands that another test runs."""


def _blocks(kind: str) -> list[str]:
    return [body for found, body in _BLOCK.findall(README + JAPANESE) if found == kind]


def _run(command: list[str], folder: Path, programs: Path) -> subprocess.CompletedProcess[str]:
    """Run as a newcomer would: the program on the path, a home of its own, no model server."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "RQA_HOME": str(folder / "home"), "RQA_MODELS__CHAT": "builtin", "LANG": "C.UTF-8"}
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False
    )


def test_there_is_something_to_run() -> None:
    assert len(_blocks("console")) >= 4
    assert len(_blocks("python")) >= 4


@pytest.mark.parametrize("block", _blocks("console"), ids=lambda block: block.split("\n")[0][2:40])
def test_a_console_block_runs(block: str, tmp_path: Path, programs: Path) -> None:
    for line in block.strip().splitlines():
        assert line.startswith("$ "), line
        expected = _EXIT.search(line)
        command = _EXIT.sub("", line[2:])
        done = _run(["bash", "-c", command], tmp_path, programs)
        assert done.returncode == int(expected[1] if expected else 0), f"{command}\n{done.stdout}\n{done.stderr}"
        assert done.stdout or ">" in command, f"{command} says nothing"


@pytest.mark.parametrize("block", _blocks("python"), ids=lambda block: block.strip().split("\n")[-1][:40])
def test_a_python_block_runs(block: str, tmp_path: Path) -> None:
    done = _run([sys.executable, "-c", block], tmp_path, Path(sys.executable).parent)
    assert done.returncode == 0, done.stderr


def test_other_commands_are_run_by_the_tests_that_are_named_here() -> None:
    commands = [line.split("#")[0].strip() for body in _blocks("sh") for line in body.splitlines() if line.strip()]
    assert set(commands) == set(_BY_OTHERS)
    for test in _BY_OTHERS.values():
        assert not test.endswith(".py") or (ROOT / test).is_file()


def test_the_drawing_is_the_graph_that_is_built() -> None:
    assert mermaid(graph).strip() in README, "`rqa graph draw` prints the drawing that belongs there"


def test_the_measured_tables_are_those_of_the_committed_results() -> None:
    from evals.readme import tables

    assert tables(ROOT / "evals" / "results") in README, "python -m evals.readme prints them"
