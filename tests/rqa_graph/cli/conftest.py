"""The command line on a home of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import Cli


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs command lines in this process."""
    return Cli(tmp_path / "home", monkeypatch, capsys)
