"""`rqa index`: the search index of a home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    add_group(app, "index", "Keep the search index quick.\n\nExample: rqa index optimize", COMMANDS)


def optimize(common: Common) -> int:
    """Build the search graphs of the index now.

    A long-running process does it by itself when nothing happens. Minutes at 100,000 items; recall works meanwhile.

    Example: rqa index optimize
    """
    from rqa_graph.cli.session import open_memory

    output = common.output("index.optimize")
    with open_memory(common) as session:
        trail = session.memory.trail
        assert trail is not None  # the home is held
        behind = trail.catch_up()
        built = trail.optimize()
    fields = {"indexed": behind, "built": built}
    output.result(fields, lambda out: out.text(say("index.built" if built else "index.quick", out.lang, **fields)))
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {"optimize": optimize}
"""Name and function of each command of the group."""
