"""`python -m training`: prepare, lint.

Exit codes are those of `rqa`: 0 done, 2 input that cannot be used, 4 a check did not pass, 5 a model that is not there,
6 the home cannot be used. Messages are in English: this is a tool for those who build models, not for those who talk
to them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rqa_graph.cli.output import Output, describe_error, show_error
from rqa_graph.errors import ExitCode, exit_code
from training.errors import TrainingError

__all__ = ["app", "main", "run"]

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Out = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where the result is written.")]


@app.callback(invoke_without_command=True)
def _options(
    ctx: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Train an adapter for the question generator, and put it into service.

    Example: python -m training prepare --out corpus
    """
    del debug  # read where errors are shown
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


@app.command()
def prepare(
    out: Out,
    source: Annotated[
        list[Path] | None, typer.Option("--from", metavar="FILE", help="A file of examples; may be given again.")
    ] = None,
    home: Annotated[
        Path | None, typer.Option("--home", metavar="DIR", help="An RQA_HOME: its scored turns, for review.")
    ] = None,
    votes: Annotated[
        list[Path] | None, typer.Option("--votes", metavar="FILE", help="A blind sheet that was filled in.")
    ] = None,
    seed: Annotated[bool, typer.Option("--seed/--no-seed", help="Begin with the committed examples.")] = True,
) -> int:
    """Make a corpus: training set, holdout, pairs, and a report of what was left out and why.

    Example: python -m training prepare --out corpus --home ~/.rqa
    """
    from training.prepare import SEED, assemble, read_sources, read_votes, write_corpus
    from training.records import read_records

    records = read_records(home) if home else None
    corpus = assemble(
        read_sources([*([SEED] if seed else []), *(source or [])]),
        rounds=records.rounds if records else (),
        votes=read_votes(votes or []),
    )
    report = write_corpus(corpus, out)
    if records:
        report = {**report, "turns_left_out": dict(records.left_out)}
    _show(report, f"written to {out}: review pending.jsonl by hand, then give it back with --from")
    return ExitCode.check_failed if report["faults"] else ExitCode.ok


@app.command()
def lint(
    corpus: Annotated[Path, typer.Argument(metavar="FILE", help="Examples or pairs, one JSON object a line.")],
    holdout: Annotated[
        Path | None, typer.Option("--holdout", metavar="FILE", help="Examples that must not occur in it.")
    ] = None,
) -> int:
    """Check a corpus with production's parser, verifier, diversity check and governor.

    Example: python -m training lint training/seed.jsonl
    """
    from training.corpus import input_hash, read_examples, rows_of
    from training.lint import lint_corpus
    from training.pairs import lint_pairs, read_pairs

    if any("chosen" in row for row in rows_of(corpus)[:1]):
        report = lint_pairs(read_pairs(corpus))
    else:
        kept = {input_hash(example.user_text) for example in read_examples(holdout)} if holdout else set()
        report = lint_corpus(read_examples(corpus), holdout=kept)
    _show({**report.statistics, "faults": list(report.faults)})
    return ExitCode.check_failed if report.faults else ExitCode.ok


def _show(report: Mapping[str, Any], note: str = "") -> None:
    """A report as lines: what is nested is written out beside its name, and faults a line each."""
    output = Output("training")
    for name, value in report.items():
        if name == "faults":
            continue
        shown = ", ".join(f"{key} {count}" for key, count in value.items()) if isinstance(value, Mapping) else value
        output.text(f"{name}: {shown if shown != '' else 'none'}")
    faults = report.get("faults", [])
    output.text(f"faults: {len(faults)}")
    for fault in faults:
        output.text(f"  {fault}")
    if note:
        output.note(note)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises for an error of the run."""
    from typer.main import get_command

    try:
        result = get_command(app).main(args=list(arguments), prog_name="python -m training", standalone_mode=False)
    except typer.TyperException as error:
        hint = "Run `python -m training --help`."
        return _fail({"code": "usage", "message": error.format_message(), "hint": hint}, ExitCode.usage)
    except BrokenPipeError:
        sys.stdout = None  # flushing at exit would fail again
        return ExitCode.ok
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the outermost frame: whatever it is, say it
        code = error.exit if isinstance(error, TrainingError) else exit_code(error)
        return _fail(describe_error(error, "en"), code, cause=error if "--debug" in arguments else None)
    return result if isinstance(result, int) else ExitCode.ok


def _fail(error: Mapping[str, str], code: ExitCode, *, cause: BaseException | None = None) -> int:
    show_error(error, command="training", as_json=False, lang="en", cause=cause)
    return code


def main() -> None:
    """Entry point of `python -m training`."""
    sys.exit(int(run(sys.argv[1:])))
