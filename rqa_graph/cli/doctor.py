"""`rqa doctor`: what is wrong here, and what mends it? Nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import keys, say

if TYPE_CHECKING:
    from rqa_graph.doctor import Finding

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(with_common(doctor))


def doctor(common: Common, *, model: Model = "") -> int:
    """Say what is wrong here and what mends it; nothing is changed.

    Exit code 0: a turn would run. Otherwise that of the first problem: 5 a model or the embedder, 6 the home, the disk
    or a server, 4 a version, the log, the clock or the evaluator's approval, 2 the port.

    Example: rqa doctor
    """
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import utc_now
    from rqa_graph.doctor import diagnose

    output = common.output("doctor")
    found = diagnose(load_settings(common, model=model), model=model, lang=output.lang, clock=utc_now)
    problems = [row for row in found if row.status == "problem"]
    fields = {
        "checks": [{**row.to_dict(), **_words(row, output.lang)} for row in found],
        "problems": len(problems),
        "notes": sum(row.status == "note" for row in found),
    }
    output.result(fields, lambda out: _render(found, out), ok=not problems)
    return problems[0].exit if problems else ExitCode.ok


def _words(row: Finding, lang: str) -> dict[str, str]:
    values, fix = dict(row.values), f"{row.key}_fix"
    return {"message": say(row.key, lang, **values), "fix": say(fix, lang, **values) if fix in keys() else ""}


def _render(found: list[Finding], out: Output) -> None:
    for row in found:
        words = _words(row, out.lang)
        line = f"{say(f'doctor.{row.status}', out.lang)}  {words['message']} {words['fix']}".rstrip()
        out.text(" ".join(line.split("\n")))
    counts = {status: sum(row.status == status for row in found) for status in ("problem", "note")}
    key = "doctor.sick" if counts["problem"] else "doctor.well"
    out.text(say(key, out.lang, problems=counts["problem"], notes=counts["note"]))
