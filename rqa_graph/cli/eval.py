"""`rqa eval`: how well does what this program promises hold, by suites that lie beside it in a checkout?"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, MissingExtraError, UsageFaultError
from rqa_graph.messages import keys, say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("eval")(with_common(evaluate))


def evaluate(
    common: Common,
    suites: Annotated[
        list[str] | None, typer.Argument(metavar="SUITE...", help="Suites by name, or Python files; none: list them.")
    ] = None,
    *,
    engine: Annotated[
        str, typer.Option("--engine", metavar="MODEL", help="structural, smollm2, or any model by name, NAME@URL too.")
    ] = "structural",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=0, help="At most N cases a suite.")] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Where chance begins.")] = 7,
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Where the run lies; one that is there goes on.")
    ] = "",
    judge: Annotated[
        list[str] | None, typer.Option("--judge", metavar="MODEL", help="A model that judges; may be given twice.")
    ] = None,
    data: Annotated[str, typer.Option("--data", metavar="DIR", help="Data sets that are not part of this.")] = "",
    full: Annotated[bool, typer.Option("--full", help="The large counts.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Write evals/results, which the README shows.")] = False,
    langsmith: Annotated[bool, typer.Option("--langsmith", help="Send the rows to LangSmith, too.")] = False,
    compare: Annotated[
        tuple[str, str] | None, typer.Option("--compare", metavar="DIR DIR", help="What changed between two runs.")
    ] = None,
) -> int:
    """Measure it: suites with baselines, a report with plots.

    Example: rqa eval guard --limit 100
    """
    command = _evals("command")
    output = common.output("eval")
    if compare:
        return _compared(command, compare, output)
    if not suites:
        return _listed(command, output)
    if limit and write:
        raise UsageFaultError("eval.limit_write")
    options = _evals("run").Options(
        engine=engine, seed=seed, limit=limit, data=Path(data) if data else None, full=full, judges=tuple(judge or ())
    )
    folder = Path(out) if out else command.default_folder()
    finished = command.run(suites, folder, options, quiet=common.as_json)
    written = command.write_results(finished, options) if write else []
    if langsmith:
        _evals("langsmith").send(finished, folder)
    failed = {one.suite.name: len(one.summary["failed"]) for one in finished}
    fields = {
        "folder": str(folder),
        "suites": {one.suite.name: one.summary for one in finished},
        "written": [str(path) for path in written],
    }
    output.result(fields, lambda out: _render(out, folder, finished, failed), ok=not any(failed.values()))
    return ExitCode.check_failed if any(failed.values()) else ExitCode.ok


def _evals(module: str) -> Any:
    """A module of the suites, which are in a checkout and in no wheel."""
    try:
        return importlib.import_module(f"evals.runner.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "evals":
            raise
        raise MissingExtraError(
            "the suites are not part of an installed copy",
            hint="Clone the repository and run `pip install -e '.[eval]'` in it.",
        ) from None


def _compared(command: Any, folders: tuple[str, str], output: Output) -> int:
    text = command.compare(*map(Path, folders))
    output.result({"markdown": text}, lambda out: out.markdown(text))
    return ExitCode.ok


def _listed(command: Any, output: Output) -> int:
    found = {name: suite.about for name, suite in command.shipped_suites().items()}
    columns = [say("eval.suite", output.lang), say("eval.about", output.lang)]
    rows = [[name, _about(name, about, output.lang)] for name, about in found.items()]
    output.result({"suites": found}, lambda out: out.table(columns, rows))
    return ExitCode.ok


def _about(name: str, about: str, lang: str) -> str:
    """What a suite measures; in Japanese where it is one of ours."""
    key = f"eval.about.{name}"
    return say(key, lang) if lang == "ja" and key in keys() else about


def _render(out: Output, folder: Path, finished: list[Any], failed: dict[str, int]) -> None:
    out.markdown((folder / "report.md").read_text("utf-8"))
    out.text(say("eval.done", out.lang, suites=len(finished), folder=folder))
    for name, count in failed.items():
        if count:
            out.text(say("eval.failed", out.lang, suite=name, count=count))
