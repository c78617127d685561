"""`rqa memory export`: everything that is remembered of a person, as a file that `rqa import` takes over elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rqa_graph.cli.common import Common
from rqa_graph.cli.files import write_new
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["export", "write_rows"]


def export(
    common: Common,
    path: Annotated[str, typer.Argument(metavar="FILE|-", help="Where to write it: a new file, or standard output.")],
) -> int:
    """Write what is remembered as JSON lines, with who said it.

    Forgotten items are in it too; nobody else's are. The file holds everything in plain text.

    Example: rqa memory export mine.jsonl
    """
    from rqa_graph.cli.session import open_memory

    output = common.output("memory.export")
    if path == "-" and common.as_json:
        raise UsageFaultError("export.two_results")
    with open_memory(common, needs="log") as session:
        rows = session.memory.export(scope=session.scope)
    if path == "-":
        sys.stdout.write(_lines(rows))
    else:
        write_rows(output, rows, path)
    return ExitCode.ok


def write_rows(output: Output, rows: Sequence[Mapping[str, Any]], path: str) -> None:
    """Write the rows of an export into a new file, and say so; `~` is the person's own folder."""
    write_new(Path(path).expanduser(), _lines(rows).encode())
    fields = {"path": path, "items": rows[0]["items"], "relations": rows[0]["relations"]}
    output.result(fields, lambda out: out.text(say("export.done", out.lang, **fields)))


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
