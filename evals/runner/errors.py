"""What can go wrong in a run of suites? All of it is said to a person by the command line.

EvalError
├── NoRunError         a folder holds no run that can be read
├── AnotherRunError    a folder holds another run than the one that was asked for
├── UnknownSuiteError  a suite is neither a name that is known nor a file that declares one
└── MissingDataError   a suite reads data that is not ours, and no folder with it was named

A model that cannot be had is the factory's `ModelUnavailableError`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from rqa_graph.errors import ConfigError

__all__ = ["AnotherRunError", "EvalError", "MissingDataError", "NoRunError", "UnknownSuiteError"]


class EvalError(ConfigError):
    """Root of the layer."""

    code: ClassVar[str] = "eval"


class NoRunError(EvalError):
    """A folder holds no run."""

    def __init__(self, folder: Path, reason: object) -> None:
        super().__init__(f"no run can be read in {str(folder)!r}: {reason}", hint="Name a folder that --out wrote.")


class AnotherRunError(EvalError):
    """A folder holds another run."""

    def __init__(self, folder: Path, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        differs = ", ".join(
            f"{name} {known.get(name)!r} there, {wanted.get(name)!r} now"
            for name in sorted({*known, *wanted})
            if known.get(name) != wanted.get(name)
        )
        super().__init__(
            f"{str(folder)!r} holds another run: {differs}", hint="Name another folder with --out, or remove it."
        )


class UnknownSuiteError(EvalError):
    """Neither a name nor a file."""

    def __init__(self, name: str, names: str) -> None:
        super().__init__(
            f"no suite is called {name!r}", hint=f"Name one of {names}, or a Python file with a `SUITE` or `SUITES`."
        )


class MissingDataError(EvalError):
    """Data that is not ours."""

    def __init__(self, suite: str, what: str) -> None:
        super().__init__(
            f"the suite {suite!r} reads {what}, which is not part of this project",
            hint="Name the folder that holds it with --data FOLDER.",
        )
