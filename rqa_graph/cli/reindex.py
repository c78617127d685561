"""`rqa reindex`: build what is searchable anew from the log."""

from __future__ import annotations

import typer

from rqa_graph.cli.bars import progress_bar
from rqa_graph.cli.common import Common, with_common
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["register"]


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
    with open_memory(common) as session, progress_bar(output, say("reindex.running", output.lang)) as report:
        changes = session.memory.reindex(report)
    output.result(
        {"changes": changes, "embedder": embedder},
        lambda out: out.text(say("reindex.done", out.lang, changes=changes, embedder=embedder)),
    )
    return ExitCode.ok
