"""The suites as tests: what is hard must hold; what a suite lacks on this machine is skipped with a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.runner.command import run
from evals.runner.errors import MissingDataError
from evals.runner.run import Options
from rqa_nodes.errors import ModelUnavailableError


@pytest.mark.suite
def test_a_suite_holds(suite_name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What is hard holds on every case that is run."""
    options = Options(**{name: request.config.getoption(f"--eval-{name}") for name in ("engine", "data", "limit")})
    try:
        (finished,) = run([suite_name], tmp_path, options, quiet=True)
    except (MissingDataError, ModelUnavailableError) as error:
        pytest.skip(error.message)
    assert finished.rows
    assert finished.summary["failed"] == []
