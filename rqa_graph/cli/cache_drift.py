"""`rqa cache drift`: the canonical questions, with the library on and bypassed."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rqa_graph.cli.cache_upkeep import opened
from rqa_graph.cli.common import Common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_graph.cache_drift import Canonical, DriftRun

__all__ = ["drift"]


def drift(
    common: Common,
    *,
    documents: Annotated[
        str, typer.Option("--documents", metavar="FOLDER", help="Only write the sentences that answer them into it.")
    ] = "",
) -> int:
    """Ask the canonical questions with the library on and bypassed: how many answers are right, and how many changed.

    The first run has nothing to compare with. `rqa cache report` shows the last run.

    Example: rqa cache drift
    """
    from rqa_graph.cache_drift import ANSWERS_FILE, answers_of, canonical_questions, keep_answers, measure
    from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile

    with opened(common) as (services, settings):
        questions = canonical_questions(settings.home)
        output = common.output("cache.drift")
        if documents:
            files = _written(questions, Path(documents))
            output.result({"files": files}, lambda out: out.text(say("cache.drift.written", out.lang, n=len(files))))
            return ExitCode.ok
        kept = settings.home / ANSWERS_FILE
        run, answers = measure(services, questions, before=answers_of(kept))
        keep_answers(kept, answers)
        at = services.clock().isoformat(timespec="milliseconds")
        line = run.line(at=at, tenant=services.scope("", "").tenant)
        TelemetryFile(settings.home / TELEMETRY_FILE).record([line])
    output.result(asdict(run), lambda out: _render(run, out))
    return ExitCode.ok


def _written(questions: list[Canonical], folder: Path) -> list[str]:
    """One document a language; files of the same name are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for lang in dict.fromkeys(one.lang for one in questions):
        file = folder / f"canonical.{lang}.md"
        file.write_text("".join(f"{one.statement}\n\n" for one in questions if one.lang == lang), "utf-8")
        files.append(str(file))
    return files


def _render(run: DriftRun, out: Output) -> None:
    columns = [say(f"cache.drift.{name}", out.lang) for name in ("arm", "right", "changed")]
    rows = [
        [say(f"cache.drift.{arm}", out.lang), f"{right.count}/{right.of}", "-" if changed is None else f"{changed:.3f}"]
        for arm, right, changed in (("on", run.right_on, run.drift_on), ("off", run.right_off, run.drift_off))
    ]
    out.table(columns, rows)
    if run.drift_on is None:
        out.text(say("cache.drift.first", out.lang))
