"""`rqa memory export`: everything that is remembered of a person, as a file that `rqa import` takes over elsewhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from rqa_graph.cli.common import Common
from rqa_graph.cli.files import write_new
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["export"]


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
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    if path == "-":
        sys.stdout.write(text)
        return ExitCode.ok
    write_new(Path(path), text.encode())
    fields = {"path": path, "items": rows[0]["items"], "relations": rows[0]["relations"]}
    output.result(fields, lambda out: out.text(say("export.done", out.lang, **fields)))
    return ExitCode.ok
