"""`pytest evals -m suite`: every suite with few cases, on the built-in engine or on another model."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.runner.command import names

_CASES = 12


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `rqa eval` that make sense here."""
    parser.addoption("--eval-engine", default="structural", help="the model, as for `rqa eval --engine`")
    parser.addoption("--eval-data", type=Path, help="data sets that are not part of this, as for `rqa eval --data`")
    parser.addoption("--eval-limit", type=int, default=_CASES, help="cases a suite; 0 for all")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a suite."""
    if "suite_name" in metafunc.fixturenames:
        metafunc.parametrize("suite_name", names())
