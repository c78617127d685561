"""`rqa reindex`: build what is searchable anew from the log."""

from __future__ import annotations

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reindex")(with_common(reindex))


def reindex(common: Common) -> int:
    """Build what is searchable anew from the log, as after a change of the embedder.

    Example: rqa reindex
    """
    from rqa_graph.cli.session import load_settings, open_memory

    output = common.output("reindex")
    with open_memory(common) as session:
        done = session.memory.reindex()
        embedder = load_settings(common).memory.embedder
    output.result(
        {"items": done, "embedder": embedder},
        lambda out: out.text(say("reindex.done", out.lang, items=done, embedder=embedder)),
    )
    return ExitCode.ok
