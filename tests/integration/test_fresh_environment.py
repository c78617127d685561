"""A newcomer's way: a fresh clone in a fresh folder, the README's first command, then all that README and docs show."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.shown import ROOT, blocks, run_steps

_NEEDS_EXTRA = {"evaluation.md"}
"""Pages whose commands need more than `make demo` installs."""

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout, so there is nothing to clone"),
]


def test_what_is_shown_holds_from_a_fresh_clone(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    env = {**os.environ, "RQA_HOME": str(tmp_path / "home"), "RQA_MODELS__CHAT": "builtin", "LANG": "C.UTF-8"}
    env.pop("VIRTUAL_ENV", None)
    demo = subprocess.run(
        ["make", "demo"], cwd=clone, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert demo.returncode == 0, demo.stderr
    assert "I suggested earlier (unverified)" in demo.stdout
    programs = clone / ".venv" / "bin"
    for number, page in enumerate([clone / "README.md", *sorted((clone / "docs").rglob("*.md"))]):
        if page.name in _NEEDS_EXTRA:
            continue
        story = page.name.startswith("quick-start")
        for block in blocks(page, "console", root=clone):
            folder = tmp_path / (f"page{number}" if story else f"{number}-{block.line}")
            folder.mkdir(exist_ok=True)
            run_steps(block, folder, programs)
