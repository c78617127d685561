"""What can go wrong in the application, and which exit code does a person's shell see?

AppError
├── InputError           the command line, a file or a request cannot be used as it is
├── GateFailedError      a check that was asked for did not pass
├── UnverifiedPathError  a graph can end without its verifier (a mistake of whoever built it)
└── LyingCommandError    a node went where it had not declared (a mistake of whoever wrote it)

The layers below keep their own trees; `exit_code` knows all three. Standard library only, because the level-0 command
line imports it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

from rqa_checkpoints.errors import (
    ChainBrokenError,
    HomeLockedError,
    HomeNotWritableError,
    MissingScopeError,
    RefusedTextError,
    UnknownNodeError,
)
from rqa_nodes.errors import BindingRefusedError, ModelUnavailableError, PromptTooLargeError

__all__ = [
    "AppError",
    "ExitCode",
    "GateFailedError",
    "InputError",
    "LyingCommandError",
    "UnverifiedPathError",
    "exit_code",
]


class ExitCode(IntEnum):
    """What a process of ours returns. The set is closed and documented."""

    ok = 0
    internal = 1
    usage = 2
    """Usage, or input that cannot be used."""
    removed = 3
    """The verifier or the audit removed something: an outcome, never raised."""
    check_failed = 4
    model_unavailable = 5
    """A model that was named explicitly."""
    home = 6
    """Locked by another process, or not writable."""
    interrupted = 130


class AppError(Exception):
    """Root of the layer. `code` is stable, `hint` says what to do next."""

    code: ClassVar[str] = "app"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(AppError):
    """What a person gave cannot be used as it is."""

    code = "input"


class GateFailedError(AppError):
    """A check that was asked for did not pass."""

    code = "gate_failed"


class UnverifiedPathError(AppError):
    """A graph can end without its verifier."""

    code = "unverified_path"


class LyingCommandError(AppError):
    """A node went where it had not declared."""

    code = "lying_command"


_CODES: tuple[tuple[type[BaseException], ExitCode], ...] = (
    (KeyboardInterrupt, ExitCode.interrupted),
    (HomeLockedError, ExitCode.home),
    (HomeNotWritableError, ExitCode.home),
    (ModelUnavailableError, ExitCode.model_unavailable),
    (GateFailedError, ExitCode.check_failed),
    (UnverifiedPathError, ExitCode.check_failed),
    (ChainBrokenError, ExitCode.check_failed),
    (BindingRefusedError, ExitCode.check_failed),
    (InputError, ExitCode.usage),
    (MissingScopeError, ExitCode.usage),
    (RefusedTextError, ExitCode.usage),
    (UnknownNodeError, ExitCode.usage),
    (PromptTooLargeError, ExitCode.usage),
)
"""First match wins; whatever is not listed is internal."""


def exit_code(error: BaseException | None) -> ExitCode:
    """Return the exit code for what ended a command; None means that nothing went wrong."""
    if error is None:
        return ExitCode.ok
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.internal)
