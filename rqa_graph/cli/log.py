"""`rqa log`: is the truth intact, and what says that something was erased?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.inputs import read_dump_text
from rqa_graph.messages import say

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    add_group(app, "log", "Check the append-only log, and list its receipts.\n\nExample: rqa log verify", COMMANDS)


def verify(
    common: Common,
    *,
    receipt: Annotated[str, typer.Option("--receipt", metavar="FILE", help="Also check a receipt of an erasure.")] = "",
) -> int:
    """Check the hash chain from its beginning.

    Words that were erased leave it whole; `--receipt` also looks for the receipt of an erasure.

    Exit code 4: it is broken, or it does not hold the receipt.

    Example: rqa log verify
    """
    from rqa_graph.cli.session import open_memory

    with open_memory(common, needs="log") as session:
        broken = session.memory.verify_chain()
        events = session.memory.log.head().seq
        state = session.memory.state_hash() if broken is None else ""
        held = _holds(session.memory.log, receipt) if receipt else None
    fields = {"events": events, "first_broken": broken, "state_hash": state}
    if held is not None:
        fields["receipt_held"] = held
    ok = broken is None and held is not False

    def render(out: Any) -> None:
        key = "log.intact" if broken is None else "log.broken"
        out.text(say(key, out.lang, events=events, seq=broken, state=state))
        if held is not None:
            out.text(say("log.receipt_held" if held else "log.receipt_unknown", out.lang, path=receipt))

    common.output("log.verify").result(fields, render, ok=ok)
    return ExitCode.ok if ok else ExitCode.check_failed


def _holds(log: Any, path: str) -> bool:
    """Does the log hold this very receipt where the receipt says so?"""
    try:
        given = json.loads(read_dump_text(path))
        receipt = dict(given.get("receipt", given))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UsageFaultError("log.no_receipt", path=path) from error
    seq = receipt.pop("log", None)
    if not isinstance(seq, int) or not 0 < seq <= log.head().seq:
        return False
    found = log.events(after=seq - 1, limit=1)
    return bool(found) and found[0].op == "erased" and found[0].public()["receipt"] == receipt


def receipts(common: Common) -> int:
    """List the receipts of your erasures; with --json, whole.

    Example: rqa log receipts --json
    """
    from rqa_checkpoints.erasing import receipts as stored
    from rqa_graph.cli.session import open_memory

    with open_memory(common, needs="log") as session, session.memory.log.reading() as view:
        found = stored(view, session.scope)

    def render(out: Any) -> None:
        columns = [say(f"log.receipt.{name}", out.lang) for name in ("id", "what", "name", "done")]
        rows = [[one[name] for name in ("erasure", "subject", "name", "done_at")] for one in found]
        if rows:
            out.table(columns, rows)
        else:
            out.text(say("log.receipt.none", out.lang))

    common.output("log.receipts").result({"receipts": found}, render)
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "verify": verify,
    "receipts": receipts,
}
"""Name and function of each command of the group."""
