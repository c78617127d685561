"""`rqa log verify`: is the truth intact?"""

from __future__ import annotations

from typing import Any

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(help="The append-only log.\n\nExample: rqa log verify", no_args_is_help=True)
    group.callback()(lambda: None)
    group.command("verify")(with_common(verify))
    app.add_typer(group, name="log")


def verify(common: Common) -> int:
    """Check the hash chain from its beginning; exit 4 if it is broken.

    Example: rqa log verify
    """
    from rqa_graph.cli.session import open_memory

    with open_memory(common, reads=True) as session:
        broken = session.memory.verify_chain()
        events = session.memory.log.last_seq()
        state = session.memory.state_hash() if broken is None else ""
    fields = {"events": events, "first_broken": broken, "state_hash": state}

    def render(out: Any) -> None:
        key = "log.intact" if broken is None else "log.broken"
        out.text(say(key, out.lang, events=events, seq=broken, state=state))

    common.output("log.verify").result(fields, render, ok=broken is None)
    return ExitCode.ok if broken is None else ExitCode.check_failed
