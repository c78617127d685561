"""What can go wrong in the application, and which exit code does a person's shell see?

AppError
├── InputError             what a person gave cannot be used; said in their language from a message key
│   ├── EmptyInputError    nothing but blanks
│   ├── TooLargeError      more than is read at once
│   ├── NotTextError       NUL, lone surrogates, a binary file, an unknown encoding
│   ├── MissingFileError   no such file, or it cannot be opened
│   ├── IsFolderError      a folder where a file was expected
│   ├── RowError           a line of a JSONL file that cannot be used
│   ├── BadBackupError     a file that is no backup, or not as it was written
│   └── UsageFaultError    an option with a value that it does not have
├── ConfigError            a setting is unknown, of the wrong kind, or cannot be read
├── UnknownResourceError   no configuration or example of that name is shipped
├── GateFailedError        a check that was asked for did not pass
├── MissingExtraError      a part of the package needs an extra that is not installed
├── UnauthorizedError      a request without a token that the server knows
├── ForeignHostError       a request by a name that is not this machine's, without a token
├── TooManyRequestsError   more requests a minute than the settings allow
├── MisplacedGuardError    the guard of an agent is not its outermost middleware (a mistake of whoever built it)
├── RefusedStreamError     a stream was asked for that would show unverified text
├── WithheldError          something failed, and its words repeat what a model said
├── UnverifiedPathError    a graph can end without its verifier (a mistake of whoever built it)
└── LyingCommandError      a node went where it had not declared (a mistake of whoever wrote it)

The layers below keep their own trees; `exit_code` knows all three. Standard library only, because the level-0 command
line imports it.
"""

from __future__ import annotations

import errno
from enum import IntEnum
from typing import ClassVar

from rqa_checkpoints.errors import (
    AlreadyDecidedError,
    CachePolicyError,
    ChainBrokenError,
    EmbedderUnavailableError,
    EntryRefusedError,
    FormatMismatchError,
    HomeLockedError,
    HomeNotWritableError,
    LedgerKeyError,
    MissingScopeError,
    QueueFullError,
    ReceiptError,
    RefusedTextError,
    RuleBrokenError,
    StaleVersionError,
    StoreUnavailableError,
    UnknownEntryError,
    UnknownFolderError,
    UnknownKindError,
    UnknownNodeError,
    UnknownProposalError,
)
from rqa_nodes.errors import (
    BindingRefusedError,
    ForeignTurnError,
    ModelUnavailableError,
    PromptTooLargeError,
    ProposalRefusedError,
    RouterRulesError,
)

__all__ = [
    "AppError",
    "BadBackupError",
    "ConfigError",
    "EmptyInputError",
    "ExitCode",
    "ForeignHostError",
    "GateFailedError",
    "InputError",
    "IsFolderError",
    "LyingCommandError",
    "MisplacedGuardError",
    "MissingExtraError",
    "MissingFileError",
    "NotTextError",
    "RefusedStreamError",
    "RowError",
    "TooLargeError",
    "TooManyRequestsError",
    "UnauthorizedError",
    "UnknownResourceError",
    "UnverifiedPathError",
    "UsageFaultError",
    "WithheldError",
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
    """Locked by another process, not writable, or holding what this program cannot use."""
    interrupted = 130


class AppError(Exception):
    """Root of the layer. `code` is stable, `hint` says what to do next."""

    code: ClassVar[str] = "app"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(AppError):
    """What a person gave cannot be used as it is.

    Args:
        key: Sentence in `texts/messages.yaml`; the one under `<key>_hint` says what to do next.
        values: What the two sentences need.
    """

    code = "input"

    def __init__(self, key: str, **values: object) -> None:
        shown = ", ".join(f"{name} {value!r}" for name, value in values.items())
        super().__init__(f"{key}: {shown}" if shown else key)
        self.key = key
        self.values = values


class EmptyInputError(InputError):
    """Nothing but blanks."""

    code = "empty_input"


class TooLargeError(InputError):
    """More than is read at once."""

    code = "too_large"


class NotTextError(InputError):
    """Not text, or in an unknown encoding."""

    code = "not_text"


class MissingFileError(InputError):
    """No such file, or it cannot be opened."""

    code = "missing_file"


class IsFolderError(InputError):
    """A folder where a file was expected."""

    code = "is_folder"


class RowError(InputError):
    """A line of a JSONL file that cannot be used."""

    code = "bad_row"


class BadBackupError(InputError):
    """A file that is no backup, or not as it was written."""

    code = "bad_backup"


class UsageFaultError(InputError):
    """An option with a value that it does not have."""

    code = "usage"


class ConfigError(AppError):
    """A setting is unknown, of the wrong kind, or cannot be read."""

    code = "config"


class UnknownResourceError(AppError):
    """No configuration or example of that name is shipped."""

    code = "unknown_resource"


class GateFailedError(AppError):
    """A check that was asked for did not pass."""

    code = "gate_failed"


class MissingExtraError(AppError, ImportError):
    """A part of the package needs an extra that is not installed."""

    code = "missing_extra"


class UnauthorizedError(AppError):
    """A request without a token that the server knows."""

    code = "unauthorized"


class ForeignHostError(AppError):
    """A request by a name that is not this machine's: a page on the web may have sent it."""

    code = "foreign_host"


class TooManyRequestsError(AppError):
    """More requests a minute than the settings allow. `retry_after`: seconds."""

    code = "too_many_requests"

    def __init__(self, message: str, *, retry_after: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class MisplacedGuardError(AppError):
    """The guard of an agent is not its outermost middleware."""

    code = "misplaced_guard"


class RefusedStreamError(AppError):
    """A stream was asked for that would show unverified text."""

    code = "refused_stream"


class WithheldError(AppError):
    """Something failed, and its words repeat what a model said."""

    code = "withheld"


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
    (FormatMismatchError, ExitCode.home),
    (StoreUnavailableError, ExitCode.home),
    (ModelUnavailableError, ExitCode.model_unavailable),
    (EmbedderUnavailableError, ExitCode.model_unavailable),
    (GateFailedError, ExitCode.check_failed),
    (UnverifiedPathError, ExitCode.check_failed),
    (ChainBrokenError, ExitCode.check_failed),
    (BindingRefusedError, ExitCode.check_failed),
    (AlreadyDecidedError, ExitCode.check_failed),
    (StaleVersionError, ExitCode.check_failed),
    (QueueFullError, ExitCode.check_failed),
    (EntryRefusedError, ExitCode.check_failed),
    (ReceiptError, ExitCode.check_failed),
    (LedgerKeyError, ExitCode.home),
    (InputError, ExitCode.usage),
    (ConfigError, ExitCode.usage),
    (UnknownResourceError, ExitCode.usage),
    (MissingExtraError, ExitCode.usage),
    (MissingScopeError, ExitCode.usage),
    (ForeignTurnError, ExitCode.usage),
    (RefusedTextError, ExitCode.usage),
    (UnknownNodeError, ExitCode.usage),
    (UnknownFolderError, ExitCode.usage),
    (UnknownProposalError, ExitCode.usage),
    (ProposalRefusedError, ExitCode.usage),
    (PromptTooLargeError, ExitCode.usage),
    (RouterRulesError, ExitCode.usage),
    (UnknownKindError, ExitCode.usage),
    (UnknownEntryError, ExitCode.usage),
    (CachePolicyError, ExitCode.usage),
    (RuleBrokenError, ExitCode.usage),
)
"""First match wins; whatever is not listed is internal."""


_HOME_ERRNOS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT})
"""Rights, a read-only disk, a full disk: what files that we write can meet. Files that we read raise `InputError`."""


def exit_code(error: BaseException | None) -> ExitCode:
    """Return the exit code for what ended a command; None means that nothing went wrong."""
    if error is None:
        return ExitCode.ok
    if isinstance(error, OSError) and error.errno in _HOME_ERRNOS:
        return ExitCode.home
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.internal)
