"""`rqa memory erase`: what goes, is it really wanted, and what says that it is gone?

Nothing is erased without a word for it: the name of what goes, typed on a terminal, or `--yes`. What would go is shown
before, and `--dry-run` shows nothing else.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common
from rqa_graph.cli.files import making
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["erase", "show_plan", "show_receipt"]

_WHOLE: Final = ("user", "tenant")


def erase(
    common: Common,
    handle: Annotated[str, typer.Argument(metavar="HANDLE", help="As in a citation: k3v9xq or [m:k3v9xq].")] = "",
    *,
    whole: Annotated[
        str, typer.Option("--all", metavar="user|tenant", help="Everything of this person, or of the whole store.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Erase without asking.")] = False,
    receipt: Annotated[str, typer.Option("--receipt", metavar="FILE", help="Write the receipt there as JSON.")] = "",
) -> int:
    """Erase an item or everything, and give a receipt. Nothing brings it back.

    `forget` only hides, and can be undone. Export first what you want to keep: rqa memory export.

    Example: rqa memory erase k3v9xq --dry-run
    """
    from rqa_graph.cli.session import load_settings, open_memory
    from rqa_graph.erasing import plan_fields
    from rqa_graph.memory_opening import open_eraser

    _check(handle, whole)
    output = common.output("memory.erase")
    with open_memory(common) as session:
        with open_eraser(session.memory, load_settings(common)) as eraser:
            plan = _planned(eraser, handle, whole, session.scope)
            if dry_run:
                output.result({"dry_run": True, **plan_fields(plan)}, lambda out: show_plan(out, plan, dry=True))
                return ExitCode.ok
            if not yes and not _confirmed(output, plan):
                output.note(say("erase.kept_all", output.lang))
                return ExitCode.usage
            paper = _erased(eraser, plan, receipt)
        output.result({"dry_run": False, "receipt": paper}, lambda out: show_receipt(out, paper))
        _rebuild(session.memory, output)
    return ExitCode.ok


def _check(handle: str, whole: str) -> None:
    if whole and whole not in _WHOLE:
        raise UsageFaultError("option.choice", option="--all", value=whole, choices=", ".join(_WHOLE))
    if bool(handle) == bool(whole):
        raise UsageFaultError("erase.what")


def _planned(eraser: Any, handle: str, whole: str, scope: Any) -> Any:
    from rqa_graph.memory_fields import bare

    if whole == "tenant":
        return eraser.plan_tenant(scope.tenant)
    return eraser.plan_person(scope) if whole else eraser.plan_item(bare(handle), scope=scope)


def _erased(eraser: Any, plan: Any, path: str) -> dict[str, Any]:
    """Erase; a receipt that cannot be written is refused before anything is erased."""
    if not path:
        return dict(eraser.erase(plan))
    with making(Path(path)) as file:
        paper = dict(eraser.erase(plan))
        file.write(json.dumps(paper, ensure_ascii=False, indent=2).encode() + b"\n")
    return paper


def _confirmed(output: Output, plan: Any) -> bool:
    """Ask for the name of what goes, beside the result; without a terminal nobody can answer."""
    if not sys.stdin.isatty():
        raise UsageFaultError("erase.unconfirmed", name=plan.name)
    show_plan(Output(output.command, lang=output.lang, stream=sys.stderr), plan, dry=False)
    output.note(say("erase.type", output.lang, name=plan.name))
    return sys.stdin.readline().strip() == str(plan.name)


def _rebuild(memory: Any, output: Output) -> None:
    """The index of what is left; an embedder that is away is no reason to call the erasure failed."""
    from rqa_checkpoints.errors import CheckpointError
    from rqa_graph.cli.bars import progress_bar

    try:
        with progress_bar(output, say("reindex.running", output.lang)) as report:
            memory.reindex(report)
    except CheckpointError as error:
        output.note(say("erase.index_later", output.lang, reason=error.message))


def show_plan(out: Output, plan: Any, *, dry: bool) -> None:
    """What would go, in words; of an item also the items that go with it."""
    from rqa_graph.cli.items import show_items

    out.text(say(f"erase.plan.{plan.subject}", out.lang, name=plan.name))
    _show_counts(out, plan.counts)
    if plan.subject == "node":
        show_items(out, [node for one in plan.erasures for node in one.nodes])
    if dry:
        out.text(say("erase.dry", out.lang))


def show_receipt(out: Output, receipt: Mapping[str, Any]) -> None:
    """The receipt in words: what was cleared where, what stays, and what nobody here can reach."""
    lang = out.lang
    out.text(say(f"erase.done.{receipt['subject']}", lang, name=receipt["name"]))
    _show_counts(out, receipt["cleared"])
    out.text(
        say(
            "erase.rewritten",
            lang,
            places=say("erase.and", lang).join(say(f"erase.place.{one}", lang) for one in receipt["rewritten"]),
        )
    )
    for kind in ("kept", "unreachable"):
        out.text(say(f"erase.{kind}", lang))
        for one in receipt[kind]:
            out.text(f"- {say(f'erase.{kind}.{one}', lang)}")
    out.text(say("erase.in_chain", lang, erasure=receipt["erasure"], seq=receipt["log"]))


def _show_counts(out: Output, counts: Mapping[str, int]) -> None:
    rows = [[say(f"erase.count.{name}", out.lang), count] for name, count in counts.items() if count]
    out.table([say("erase.where", out.lang), say("memory.count", out.lang)], rows)
