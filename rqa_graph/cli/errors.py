"""`rqa errors`: what each code means, and what to do."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("errors")(with_common(errors))


def errors(
    common: Common,
    code: Annotated[str, typer.Argument(metavar="[CODE]", help="One code; all of them without it.")] = "",
) -> int:
    """Say what the codes of errors mean and what to do.

    Example: rqa errors home_locked
    """
    from rqa_graph.error_table import error_rows

    output = common.output("errors")
    rows = [row for row in error_rows(output.lang) if code in ("", row.code)]
    if not rows:
        raise UsageFaultError("errors.unknown", code=code)
    columns = [say(f"errors.{name}", output.lang) for name in ("code", "exit", "cause", "fix")]
    cells = [["" if cell is None else cell for cell in asdict(row).values()] for row in rows]
    output.result({"errors": [asdict(row) for row in rows]}, lambda out: out.table(columns, cells))
    return ExitCode.ok
