"""Every documented exit code is reached, by the errors of all layers."""

from __future__ import annotations

import errno

import pytest

from rqa_checkpoints.errors import (
    ChainBrokenError,
    CheckpointNeededError,
    EmbedderUnavailableError,
    FormatMismatchError,
    HomeLockedError,
    HomeNotWritableError,
    MissingScopeError,
    RefusedTextError,
    RuleBrokenError,
    StoreUnavailableError,
    UnknownNodeError,
)
from rqa_graph.errors import (
    AppError,
    ConfigError,
    EmptyInputError,
    ExitCode,
    GateFailedError,
    InputError,
    RowError,
    UnknownResourceError,
    UnverifiedPathError,
    exit_code,
)
from rqa_graph.messages import keys
from rqa_nodes.errors import (
    BindingRefusedError,
    ForeignTurnError,
    ModelOutputError,
    ModelUnavailableError,
    PromptTooLargeError,
)

CASES: list[tuple[BaseException | None, int]] = [
    (None, 0),
    (ValueError("x"), 1),
    (ModelOutputError("x", reason="invalid"), 1),
    (CheckpointNeededError("x"), 1),
    (EmptyInputError("input.empty"), 2),
    (RowError("row.invalid", line=1, path="p", reason="r", fields="f"), 2),
    (ConfigError("x"), 2),
    (UnknownResourceError("x"), 2),
    (MissingScopeError("x"), 2),
    (ForeignTurnError("x"), 2),
    (RefusedTextError("x"), 2),
    (UnknownNodeError("x"), 2),
    (PromptTooLargeError("x"), 2),
    (GateFailedError("x"), 4),
    (UnverifiedPathError("x"), 4),
    (ChainBrokenError("x"), 4),
    (BindingRefusedError("x"), 4),
    (ModelUnavailableError("x"), 5),
    (EmbedderUnavailableError("x"), 5),
    (RuleBrokenError("x"), 2),
    (FormatMismatchError("x"), 6),
    (StoreUnavailableError("x"), 6),
    (HomeLockedError("x"), 6),
    (HomeNotWritableError("x"), 6),
    (OSError(errno.ENOSPC, "full"), 6),
    (OSError(errno.EROFS, "read-only"), 6),
    (PermissionError(errno.EACCES, "denied"), 6),
    (FileNotFoundError(errno.ENOENT, "gone"), 1),
    (KeyboardInterrupt(), 130),
]


@pytest.mark.parametrize(("error", "code"), CASES, ids=lambda case: type(case).__name__ if case else "none")
def test_an_error_ends_the_process_with_its_documented_code(error: BaseException | None, code: int) -> None:
    assert exit_code(error) == code


def test_every_code_that_an_error_can_have_is_reached() -> None:
    assert {code for _, code in CASES} == set(ExitCode) - {ExitCode.removed}


def test_codes_of_the_tree_are_stable_and_unique() -> None:
    def tree(kind: type[AppError]) -> list[type[AppError]]:
        return [kind, *(below for child in kind.__subclasses__() for below in tree(child))]

    codes = [kind.code for kind in tree(AppError) if kind.__module__.startswith("rqa_")]
    assert len(codes) == len(set(codes))


def test_an_input_error_carries_a_sentence_key_and_what_it_needs() -> None:
    error = InputError("input.nul", position=3)
    assert error.key in keys()
    assert (error.values, str(error)) == ({"position": 3}, "input.nul: position 3")
