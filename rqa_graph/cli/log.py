"""`rqa log verify`: is the truth intact?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    add_group(app, "log", "Check the append-only log.\n\nExample: rqa log verify", COMMANDS)


def verify(common: Common) -> int:
    """Check the hash chain from its beginning.

    Exit code 4: it is broken.

    Example: rqa log verify
    """
    from rqa_graph.cli.session import open_memory

    with open_memory(common, needs="log") as session:
        broken = session.memory.verify_chain()
        events = session.memory.log.head().seq
        state = session.memory.state_hash() if broken is None else ""
    fields = {"events": events, "first_broken": broken, "state_hash": state}

    def render(out: Any) -> None:
        key = "log.intact" if broken is None else "log.broken"
        out.text(say(key, out.lang, events=events, seq=broken, state=state))

    common.output("log.verify").result(fields, render, ok=broken is None)
    return ExitCode.ok if broken is None else ExitCode.check_failed


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "verify": verify,
}
"""Name and function of each command of the group."""
