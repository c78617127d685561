"""Every command and every example of the README runs as it stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from docsgen.measurements import headline
from rqa_graph.drawing import mermaid
from rqa_graph.graph import graph
from tests.support.shown import ROOT, Block, blocks, run_shown, run_steps

_PAGES = [ROOT / "README.md", ROOT / "README.ja.md"]
README = _PAGES[0].read_text("utf-8")


def _all(*kinds: str) -> list[Block]:
    return [block for page in _PAGES for block in blocks(page, *kinds)]


def test_there_is_something_to_run() -> None:
    assert len(_all("console")) >= 4
    assert len(_all("python")) >= 4


@pytest.mark.parametrize("block", _all("console"), ids=str)
def test_a_console_block_runs(block: Block, tmp_path: Path, programs: Path) -> None:
    run_steps(block, tmp_path, programs)


@pytest.mark.parametrize("block", _all("python"), ids=str)
def test_a_python_block_runs(block: Block, tmp_path: Path, programs: Path) -> None:
    done = run_shown([str(programs / "python"), "-c", block.body], tmp_path, programs)
    assert done.returncode == 0, done.stderr


def test_the_drawing_is_the_graph_that_is_built() -> None:
    drawing = mermaid(graph).strip()
    for page in (README, (ROOT / "docs" / "concepts.md").read_text("utf-8")):
        assert drawing in page, "`rqa graph draw` prints the drawing that belongs there"


def test_the_measured_tables_are_those_of_the_committed_results() -> None:
    assert headline() in README, "python -m docsgen writes them"
