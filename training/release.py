"""`python -m training` export, evaluate, promote, rollback: from an adapter to a model in service, and back."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console
from rich.progress import track

from evals.suite import write_rows
from rqa_graph.cli.output import Output
from rqa_graph.clock import utc_now
from rqa_graph.errors import ExitCode
from rqa_graph.promotion import PROMOTIONS
from training.cli import Out, app

if TYPE_CHECKING:
    from training.evaluate import Arm, Ask

__all__ = ["app"]

_SCHEMA: Final = "rqa.adapter-report/1"
_REPORT: Final = "report.json"
_SHEET: Final = "blind.jsonl"
_KEY: Final = "blind_key.jsonl"

Home = Annotated[Path, typer.Option("--home", metavar="DIR", help="The RQA_HOME that serves.")]
ApprovedBy = Annotated[str, typer.Option("--approved-by", metavar="NAME", help="Who says so.")]


@app.command()
def export(
    adapter: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder `adapter` of a run.")],
    out: Out,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Of the model in Ollama.")] = "rqa-adapter",
    merged: Annotated[
        bool, typer.Option("--merged/--apart", help="Fold the adapter into the weights, or keep it apart.")
    ] = True,
    llama_cpp: Annotated[
        Path | None,
        typer.Option("--llama-cpp", metavar="FOLDER", help="Its checkout: convert, and compare."),
    ] = None,
    quantisation: Annotated[str, typer.Option("--quantisation", metavar="TYPE", help="Of merged weights.")] = "Q4_K_M",
    serves: Annotated[
        str, typer.Option("--serves", metavar="NAME", help="The base in Ollama, for an adapter apart.")
    ] = "gemma4:12b",
) -> int:
    """Write weights, a Modelfile and the exact commands for llama.cpp and Ollama.

    Example: python -m training export runs/dpo/adapter --name rqa-gemma4 --out exported
    """
    from training import export as exporting

    record = exporting.export(
        adapter, out, name=name, merged=merged, llama_cpp=llama_cpp, quantisation=quantisation, serves=serves
    )
    output = Output("training")
    for command in record["commands"]:
        output.text(command)
    if record["round_trip"]:
        output.text(f"round trip: {json.dumps(record['round_trip'])}")
    output.note(f"written to {out}: Modelfile, commands.sh, export.json")
    return ExitCode.ok


@app.command()
def evaluate(
    out: Out,
    holdout: Annotated[
        Path | None, typer.Option("--holdout", metavar="FILE", help="holdout.jsonl of `prepare`.")
    ] = None,
    base: Annotated[str, typer.Option("--base", metavar="MODEL", help="As --model takes it, or hf:MODEL.")] = "",
    adapter: Annotated[
        str, typer.Option("--adapter", metavar="MODEL", help="As --model takes it, or hf:MODEL+FOLDER.")
    ] = "",
    training: Annotated[
        Path | None, typer.Option("--training", metavar="FILE", help="training.json of the adapter's run.")
    ] = None,
    votes: Annotated[
        Path | None, typer.Option("--votes", metavar="FILE", help="The blind sheet, filled in: adds it to the report.")
    ] = None,
) -> int:
    """Compare an adapter with its base on the holdout, and write a blind sheet for a person.

    Example: python -m training evaluate --holdout corpus/holdout.jsonl --base ollama:gemma4:12b
    --adapter ollama:rqa-gemma4 --training runs/dpo/training.json --out compared
    """
    from training.corpus import file_hash, read_examples, read_json, rows_of
    from training.evaluate import ask_all, blind_sheet, count_votes, measure, table

    if votes:
        report = {**read_json(out / _REPORT), "blind": count_votes(rows_of(votes), rows_of(out / _KEY))}
    else:
        if not (holdout and base and adapter and training):
            raise typer.BadParameter("--holdout, --base, --adapter and --training are needed, or --votes")
        run, examples = read_json(training), read_examples(holdout)
        arms: dict[Arm, Ask] = {"base": _arm(base), "adapter": _arm(adapter)}
        replies = ask_all(track(examples, "inputs of the holdout", console=Console(stderr=True)), arms)
        report = {
            "schema": _SCHEMA,
            "adapter": run.get("adapter", ""),
            "holdout": file_hash(holdout),
            "names": {"base": base, "adapter": adapter},
            "arms": measure(examples, replies),
        }
        out.mkdir(parents=True, exist_ok=True)
        sheet, key = blind_sheet(examples, replies)
        write_rows(out / "replies.jsonl", map(asdict, replies))
        write_rows(out / _SHEET, sheet)
        write_rows(out / _KEY, key)
    (out / _REPORT).write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", "utf-8")
    output = Output("training")
    output.table(["figure", "base", "adapter"], table(report))
    output.note(f"written to {out}; the sheet is {_SHEET}: give each row a winner (a, b or tie), then --votes")
    return ExitCode.ok


def _arm(name: str) -> Ask:
    from training.arms import WEIGHTS, served, weights

    return weights(name) if name.startswith(WEIGHTS) else served(name)


@app.command()
def promote(
    home: Home,
    report: Annotated[Path, typer.Option("--report", metavar="FILE", help="report.json of `evaluate`.")],
    training: Annotated[Path, typer.Option("--training", metavar="FILE", help="training.json of the run.")],
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The served model, as --model takes it.")],
    approved_by: ApprovedBy = "",
    confirm: Annotated[
        str, typer.Option("--confirm", metavar="DIGITS", help="First digits of the adapter's hash.")
    ] = "",
) -> int:
    """Put a model into service, if all four gates are open; a person is the fourth.

    Example: python -m training promote --home ~/.rqa --report compared/report.json
    --training runs/dpo/training.json --model ollama:rqa-gemma4 --approved-by Ilse --confirm 0123abcd
    """
    from training import promote as promoting
    from training.corpus import read_json

    output = Output("training")
    found = promoting.gates(read_json(report))
    output.table(["gate", "open", "why"], [(gate.name, "yes" if gate.passed else "no", gate.why) for gate in found])
    decision = promoting.promote(
        home, report=report, training=training, model=model, approved_by=approved_by, confirm=confirm, at=utc_now()
    )
    _show_decision(output, decision, home)
    return ExitCode.ok


@app.command()
def rollback(home: Home, approved_by: ApprovedBy = "") -> int:
    """Serve again what was served before the last promotion.

    Example: python -m training rollback --home ~/.rqa --approved-by Ilse
    """
    from training.promote import rollback as roll_back

    _show_decision(Output("training"), roll_back(home, approved_by=approved_by, at=utc_now()), home)
    return ExitCode.ok


def _show_decision(output: Output, decision: dict[str, Any], home: Path) -> None:
    output.text(f"{decision['action']}: {decision['model'] or 'what the settings name'}, by {decision['approved_by']}")
    output.note(f"written to {home / PROMOTIONS}; a process that is running keeps its model until it restarts")
