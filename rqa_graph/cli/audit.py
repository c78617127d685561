"""`rqa audit`: what is wrong with the memory of another system?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.inputs import read_dump_text
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(with_common(audit))


def audit(
    common: Common,
    path: Annotated[str, typer.Argument(metavar="FILE", help="A dump as JSON or JSON lines.")],
    *,
    kind: Annotated[str, typer.Option("--format", metavar="NAME", help="Default: by its shape.")] = "",
) -> int:
    """Count who is credited in a dump, and find what nobody said.

    Example: rqa audit mem0_export.json
    """
    from rqa_graph.dump_audit import audit_dump
    from rqa_graph.dumps import FORMATS, read_dump

    if kind and kind not in FORMATS:
        raise UsageFaultError("option.choice", option="--format", value=kind, choices=", ".join(FORMATS))
    name, rows = read_dump(read_dump_text(path), kind, place=path)
    report = audit_dump(rows)
    fields = {"format": name, **asdict(report), "clean": report.clean}

    def render(out: Any) -> None:
        out.text(say("audit.format", out.lang, name=name, total=report.total))
        rows_shown = [[say(f"source.{source}", out.lang), count] for source, count in report.by_source.items()]
        out.table([say("memory.source", out.lang), say("memory.count", out.lang)], rows_shown)
        found = ("exact_duplicates", "near_duplicates", "from_own_prompt", "with_markers", "unknown_ids")
        counts = [(name, _count(getattr(report, name))) for name in found]
        out.table(
            [say("field", out.lang), say("memory.count", out.lang)],
            [[say(f"audit.{name}", out.lang), count] for name, count in counts],
        )

    common.output("audit").result(fields, render, ok=report.clean)
    return ExitCode.ok if report.clean else ExitCode.removed


def _count(value: Any) -> int:
    return value if isinstance(value, int) else len(value)
