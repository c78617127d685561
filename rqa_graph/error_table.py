"""Every code that an error of ours can have: what it means, what to do, and how a command ends.

The codes come from the error trees of the three layers; the words from `texts/errors.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rqa_checkpoints.errors import CheckpointError
from rqa_graph.errors import AppError, ExitCode, exit_code
from rqa_graph.messages import error_words
from rqa_nodes.errors import RuleError

__all__ = ["WITHOUT_CLASS", "ErrorRow", "error_rows"]

WITHOUT_CLASS: Final = {
    "internal": ExitCode.internal,
    "interrupted": ExitCode.interrupted,
    "http": None,
    "invalid_request": None,
    "model_not_found": None,
}
"""Codes of errors that are no class of ours; None: over HTTP only."""
_OURS: Final = ("rqa_checkpoints.", "rqa_nodes.", "rqa_graph.")
"""Where the classes live: another program in this process may derive errors of its own from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRow:
    """One code."""

    code: str
    exit: int | None
    """Exit code of a command that ends with it; None where no command can."""
    cause: str
    fix: str


def error_rows(lang: str = "en") -> list[ErrorRow]:
    """All codes in alphabetical order, worded in a language."""
    exits: dict[str, ExitCode | None] = dict(WITHOUT_CLASS)
    for kind in _classes(CheckpointError, RuleError, AppError):
        if kind.__module__.startswith(_OURS):
            exits.setdefault(kind.code, exit_code(kind.__new__(kind)))
    rows = []
    for code in sorted(exits):
        cause, fix = error_words(code, lang)
        ends_with = exits[code]
        rows.append(ErrorRow(code=code, exit=None if ends_with is None else int(ends_with), cause=cause, fix=fix))
    return rows


def _classes(
    *roots: type[CheckpointError] | type[RuleError] | type[AppError],
) -> Iterator[type[CheckpointError] | type[RuleError] | type[AppError]]:
    for kind in roots:
        yield kind
        yield from _classes(*kind.__subclasses__())
