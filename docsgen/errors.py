"""Which errors are there, and how does a command end?"""

from __future__ import annotations

from typing import Final

from docsgen.markdown import code, page, table
from rqa_graph.error_table import error_rows
from rqa_graph.messages import say

__all__ = ["errors_page"]

_EXITS: Final = [
    ["`0`", "ok"],
    ["`1`", "internal error"],
    ["`2`", "usage, or input that cannot be used"],
    ["`3`", "something was removed or corrected (`verify`, `audit`, `memory audit`)"],
    ["`4`", "a check failed, or somebody decided before"],
    ["`5`", "a model named explicitly is not available"],
    ["`6`", "the home is locked, not writable, or holds what this program cannot use"],
    ["`130`", "interrupted"],
]
_HEAD: Final = """\
An error has a stable code. With `--json` it stands in `error.code`; over HTTP in `error.code` of the body. `rqa errors
CODE` says what it means in a terminal, in English or Japanese. No traceback is shown without `--debug`."""


def errors_page() -> str:
    """The page of all exit codes and error codes, in both languages."""
    parts = [_HEAD, "## Exit codes", table(["exit code", "meaning"], _EXITS)]
    parts += ["## Error codes", _codes("en"), "## エラーコード", _codes("ja")]
    return page("Errors and exit codes", "the error tree", parts)


def _codes(lang: str) -> str:
    columns = [say(f"errors.{name}", lang) for name in ("code", "exit", "cause", "fix")]
    rows = error_rows(lang)
    return table(
        columns, [[code(row.code), str("" if row.exit is None else row.exit), row.cause, row.fix] for row in rows]
    )
