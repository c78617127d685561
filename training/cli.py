"""`python -m training`: from what was asked and preferred to an adapter in service.

Exit codes are those of `rqa`: 0 done, 2 input that cannot be used, 4 a check did not pass, 5 a model that is not there,
6 the home cannot be used. Messages are in English: this is a tool for those who build models, not for those who talk
to them.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.output import Output, show_error
from rqa_graph.error_description import describe_error
from rqa_graph.errors import ExitCode, exit_code
from training.config import BASE, for_dpo, for_sft
from training.errors import TrainingError

__all__ = ["Out", "app", "build_app", "main", "run"]

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

_NO_BARS: Final = ("HF_HUB_DISABLE_PROGRESS_BARS", "HF_DATASETS_DISABLE_PROGRESS_BARS")

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
    waiting = report["pending"] + report["pending_pairs"]
    ask = ": review pending.jsonl and pending_pairs.jsonl by hand, then give back the first with --from"
    _show(report, f"written to {out}{ask if waiting else ''}")
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


Base = Annotated[
    str, typer.Option("--base", metavar="MODEL", help="A folder with a model, a .gguf file, or a name on a hub.")
]
Smoke = Annotated[bool, typer.Option("--smoke", help="Four steps, to see that everything is wired.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint in the folder.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of initialisation, dropout and the order of the data.")]


@app.command()
def sft(
    corpus: Annotated[Path, typer.Argument(metavar="FILE", help="train.jsonl of `prepare`.")],
    out: Out,
    base: Base = BASE,
    smoke: Smoke = False,
    resume: Resume = False,
    seed: Seed = 7,
) -> int:
    """Fine-tune an adapter on examples (QLoRA on a GPU with bitsandbytes, full precision elsewhere).

    Example: python -m training sft corpus/train.jsonl --out runs/sft --smoke
    """
    from training.train import train_sft

    config = for_sft(base, seed=seed)
    _show_run(train_sft(corpus, out, config.smoke() if smoke else config, resume=resume), out)
    return ExitCode.ok


@app.command()
def dpo(
    corpus: Annotated[Path, typer.Argument(metavar="FILE", help="pairs.jsonl of `prepare`.")],
    out: Out,
    base: Base = BASE,
    adapter: Annotated[
        Path | None, typer.Option("--adapter", metavar="FOLDER", help="Go on from the adapter of a fine-tuning.")
    ] = None,
    smoke: Smoke = False,
    resume: Resume = False,
    seed: Seed = 7,
) -> int:
    """Optimise an adapter for preferences.

    Example: python -m training dpo corpus/pairs.jsonl --adapter runs/sft/adapter --out runs/dpo --smoke
    """
    from training.train import train_dpo

    config = for_dpo(base, seed=seed)
    record = train_dpo(corpus, out, config.smoke() if smoke else config, adapter=adapter, resume=resume)
    _show_run(record, out)
    return ExitCode.ok


def _show_run(record: Mapping[str, Any], out: Path) -> None:
    output = Output("training")
    for name in ("method", "sequences", "left_out_too_long", "targets", "steps", "seconds", "adapter"):
        output.text(f"{name}: {record[name]}")
    losses = record["losses"]
    output.text(f"loss: {losses[0]} to {losses[-1]}" if losses else "loss: none")
    output.note(f"written to {out}: adapter, training.json, and events for `tensorboard --logdir {out}`")


_FOR_PROGRAMS: Final = ("schema", "files", "faults")
"""Parts of a report that are read from its file; faults are shown apart."""


def _show(report: Mapping[str, Any], note: str = "") -> None:
    """A report as lines, each with its place in the report, and faults a line each."""
    output = Output("training")
    for line in _lines({name: value for name, value in report.items() if name not in _FOR_PROGRAMS}):
        output.text(line)
    faults = report.get("faults", [])
    output.text(f"faults: {len(faults)}")
    for fault in faults:
        output.text(f"  {fault}")
    if note:
        output.note(note)


def _lines(report: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """Plain values of a map on one line, what is nested below it."""
    nested = {name: value for name, value in report.items() if isinstance(value, Mapping)}
    plain = [f"{name}={value}" for name, value in report.items() if name not in nested]
    if not place:
        yield from (f"{name}: {value}" for name, value in report.items() if name not in nested)
    elif plain or not nested:
        yield f"{place}: {', '.join(plain) or 'none'}"
    for name, value in nested.items():
        yield from _lines(value, f"{place}, {name}" if place else name)


def build_app() -> typer.Typer:
    """The application with all its commands."""
    importlib.import_module("training.release")  # adds its own; it needs what is above
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises for an error of the run."""
    from typer.main import get_command

    try:
        result = get_command(build_app()).main(
            args=list(arguments), prog_name="python -m training", standalone_mode=False
        )
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
    # The libraries of training deprecate each other's names from release to release; no person can act on that.
    warnings.filterwarnings("ignore", category=FutureWarning)
    if not sys.stderr.isatty():
        os.environ.update(dict.fromkeys(_NO_BARS, "1"))  # read when those libraries are imported
    sys.exit(int(run(sys.argv[1:])))
