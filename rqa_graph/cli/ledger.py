"""`rqa ledger`: does what was attested hold, and with which key can others check it?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.inputs import read_dump_text
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_checkpoints.cache.signing import PublicKeys
    from rqa_graph.cli.output import Output

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    help_text = "Check the signed attestations, and export the key.\n\nExample: rqa ledger verify"
    add_group(app, "ledger", help_text, COMMANDS)


def verify(
    common: Common,
    *,
    receipt: Annotated[str, typer.Option("--receipt", metavar="FILE", help="Check this receipt, offline.")] = "",
    key: Annotated[
        str, typer.Option("--key", metavar="FILE", help="With the public keys in it, as `rqa ledger key` gave them.")
    ] = "",
) -> int:
    """Check every attestation of the home, or one receipt with nothing but a public key.

    Exit code 4: something does not hold.

    Example: rqa ledger verify --receipt receipt.json --key key.json
    """
    if receipt:
        return _verify_receipt(common, receipt, key)
    from rqa_checkpoints.cache.inspection import inspect_ledger
    from rqa_graph.caching import open_cache
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import new_id, utc_now

    with open_cache(load_settings(common), clock=utc_now, ids=new_id, read_only=True) as cache:
        found = inspect_ledger(cache.store)
    faults = [{"seq": fault.seq, "entry": fault.entry, "what": fault.what} for fault in found.faults]

    def render(out: Output) -> None:
        key = "ledger.intact" if found.holds else "ledger.broken"
        out.text(say(key, out.lang, events=found.events, entries=found.entries, faults=len(faults)))
        if found.first_broken is not None:
            out.text(say("log.broken", out.lang, events=found.events, seq=found.first_broken, state=""))
        if faults:
            columns = [say(f"ledger.column.{name}", out.lang) for name in ("seq", "entry", "what")]
            out.table(columns, [[row["seq"] or "-", row["entry"] or "-", row["what"]] for row in faults])

    fields = {
        "events": found.events,
        "entries": found.entries,
        "first_broken": found.first_broken,
        "faults": faults,
    }
    common.output("ledger.verify").result(fields, render, ok=found.holds)
    return ExitCode.ok if found.holds else ExitCode.check_failed


def _verify_receipt(common: Common, path: str, key: str) -> int:
    from rqa_checkpoints.cache.receipts import check_receipt

    payload = check_receipt(_json(path, "ledger.no_receipt"), _keys(common, key))
    fields = {
        "entry": payload["id"],
        "question": payload["question_raw"],
        "answer": payload["answer"],
        "gi": payload["gi"] / 1000,
        "valid_until": payload["valid_until"],
    }
    common.output("ledger.verify").result(
        fields,
        lambda out: out.text(say("ledger.receipt_holds", out.lang, entry=payload["id"], until=payload["valid_until"])),
    )
    return ExitCode.ok


def _keys(common: Common, path: str) -> PublicKeys:
    from rqa_checkpoints.cache.signing import PublicKeys

    if path:
        value = _json(path, "ledger.no_key")
        return PublicKeys.parsed(value)
    from rqa_graph.caching import open_ring

    return open_ring(common.home_path, make=False).trusted


def _json(path: str, fault: str) -> Any:
    try:
        return json.loads(read_dump_text(path))
    except (ValueError, RecursionError) as error:
        raise UsageFaultError(fault, path=path) from error


def key(
    common: Common,
    *,
    rotate: Annotated[bool, typer.Option("--rotate", help="Begin a new key; what the old one signed stands.")] = False,
) -> int:
    """Print the public keys, for whoever checks receipts elsewhere; --rotate begins a new one.

    Example: rqa ledger key --json > key.json
    """
    from rqa_graph.caching import open_cache, open_ring
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import new_id, utc_now

    settings = load_settings(common)
    if rotate:
        with open_cache(settings, clock=utc_now, ids=new_id, read_only=False) as cache:
            cache.store.ledger.rotate(tenant=settings.memory.tenant, by=settings.user())
    settings.home.mkdir(parents=True, exist_ok=True)
    ring = open_ring(settings.home, make=True)
    exported = ring.trusted.exported()

    def render(out: Output) -> None:
        columns = [say(f"ledger.column.{name}", out.lang) for name in ("key", "public", "state")]
        state = {name: "ledger.current" if name == ring.current else "ledger.retired" for name in exported["keys"]}
        out.table(columns, [[name, text, say(state[name], out.lang)] for name, text in exported["keys"].items()])

    common.output("ledger.key").result({"current": ring.current, "keys": exported["keys"]}, render)
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {"verify": verify, "key": key}
"""Name and function of each command of the group."""
