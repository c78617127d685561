"""`rqa reindex`: build what is searchable anew from the log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["index_progress", "register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reindex")(with_common(reindex))


def reindex(common: Common) -> int:
    """Build the search index anew from the log.

    Needed after a change of the embedder. Nothing that is remembered changes.

    Example: rqa reindex
    """
    from rqa_graph.cli.session import load_settings, open_memory

    output = common.output("reindex")
    embedder = load_settings(common).memory.embedder
    with open_memory(common) as session, index_progress(output) as report:
        changes = session.memory.reindex(report)
    output.result(
        {"changes": changes, "embedder": embedder},
        lambda out: out.text(say("reindex.done", out.lang, changes=changes, embedder=embedder)),
    )
    return ExitCode.ok


@contextmanager
def index_progress(output: Output) -> Iterator[Callable[[int, int], None]]:
    """How far it is: a bar for a person who watches, nothing else."""
    if output.as_json or not sys.stderr.isatty():
        yield lambda _reached, _last: None
        return
    from rich.console import Console  # only where a terminal shows it
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(say("reindex.running", output.lang), total=None)
        yield lambda reached, last: bar.update(task, completed=reached, total=last)
