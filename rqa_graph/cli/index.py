"""`rqa index`: the search index of a home."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_graph.cli.output import Output
    from rqa_graph.cli.session import MemorySession

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    add_group(app, "index", "Keep the search index quick.\n\nExample: rqa index optimize", COMMANDS)


def optimize(common: Common) -> int:
    """Build the search graphs now, of the memory and of the answer library.

    A long-running process does it by itself when nothing happens. Minutes at 100,000 items; searches work meanwhile.

    Example: rqa index optimize
    """
    from rqa_graph.cli.session import open_memory

    output = common.output("index.optimize")
    with open_memory(common) as session:
        trail = session.memory.trail
        assert trail is not None  # the home is held
        memory = {"indexed": trail.catch_up(), "built": trail.optimize()}
        answers = _optimize_answers(session)
    output.result({**memory, "answers": answers}, lambda out: _show(out, memory=memory, answers=answers))
    return ExitCode.ok


def _optimize_answers(session: MemorySession) -> dict[str, int | bool] | None:
    """The same for the questions of the answer library; None where nothing was ever kept there."""
    from rqa_graph.caching import cache_over
    from rqa_graph.clock import utc_now
    from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile

    settings = session.settings
    recorder = TelemetryFile(settings.home / TELEMETRY_FILE)
    cache = cache_over(session.memory.log, settings, clock=utc_now, semantic=True, recorder=recorder, make_key=False)
    with closing(cache):
        done = cache.optimize()
    return {"indexed": done[0], "built": done[1]} if done else None


def _show(out: Output, **indexes: Mapping[str, int | bool] | None) -> None:
    for name, done in indexes.items():
        if done is not None:
            said = say("index.built" if done["built"] else "index.quick", out.lang, **done)
            out.text(f"{say(f'index.{name}', out.lang)}: {said}")


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {"optimize": optimize}
"""Name and function of each command of the group."""
