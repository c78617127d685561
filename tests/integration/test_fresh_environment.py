"""A newcomer's way: a fresh clone in a fresh folder, the README's first command, then the README's console blocks."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s+# exit (\d+)$")

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="this is no checkout, so there is nothing to clone"),
]


def _run(command: list[str], folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)


def test_the_readme_holds_from_a_fresh_clone(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    env = {**os.environ, "RQA_HOME": str(tmp_path / "home"), "RQA_MODELS__CHAT": "builtin", "LANG": "C.UTF-8"}
    env.pop("VIRTUAL_ENV", None)
    demo = subprocess.run(
        ["make", "demo"], cwd=clone, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    assert demo.returncode == 0, demo.stderr
    assert "I suggested earlier (unverified)" in demo.stdout
    env["PATH"] = f"{clone / '.venv' / 'bin'}{os.pathsep}{env['PATH']}"
    for block in _BLOCK.findall((clone / "README.md").read_text("utf-8")):
        folder = tmp_path / str(abs(hash(block)))
        folder.mkdir()
        for line in block.strip().splitlines():
            expected = _EXIT.search(line)
            command = ["bash", "-c", _EXIT.sub("", line.removeprefix("$ "))]
            done = subprocess.run(
                command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
            )
            assert done.returncode == int(expected[1] if expected else 0), f"{line}\n{done.stdout}\n{done.stderr}"
