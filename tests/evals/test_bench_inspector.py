"""Promises of the inspector's benchmark: both pages are really opened, and it says so."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: it comes with the extra `dev`")
from evals.bench.inspector import main


def test_it_measures_the_first_view_beside_a_bare_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, programs: Path
) -> None:
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed here; `.ci/run` installs it")
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    main(["--turns", "1", "--loads", "2"])
    result = json.loads(capsys.readouterr().out)
    assert (result["unit"], result["turns"], result["loads"]) == ("ms", 1, 2)
    for figures in result["pages"].values():
        assert 0 < figures["median"] <= figures["p99"]
