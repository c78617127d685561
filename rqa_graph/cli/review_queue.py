"""`rqa review-queue`: what waits for a person, and the person's decision.

Each decision is an answer in the review graph, in the item's own thread; looking takes no lock and works beside another
process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.cli.review_options import Item, Note, Version
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    help_text = "Show what waits for a person, and decide on it.\n\nExample: rqa review-queue list"
    add_group(app, "review-queue", help_text, COMMANDS)


def list_items(
    common: Common,
    *,
    everything: Annotated[bool, typer.Option("--all", help="What was decided too.")] = False,
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help="Only this kind, such as self_update.")] = "",
) -> int:
    """List what waits, yours and the home's, the oldest first.

    Example: rqa review-queue list --all
    """
    from rqa_checkpoints.provenance import QueueStatus
    from rqa_graph.cli.session import open_memory
    from rqa_graph.reviewing import KINDS
    from rqa_graph.speaking import reviewed_scopes

    if kind and kind not in KINDS:
        raise UsageFaultError("option.choice", option="--kind", value=kind, choices=", ".join(KINDS))
    with open_memory(common, needs="log") as session:
        status = None if everything else QueueStatus.pending
        found = [
            row
            for scope in reviewed_scopes(session.scope, owns_home=True)
            for row in session.memory.queue.items(scope=scope, kind=kind, status=status)
        ]

    def render(out: Any) -> None:
        if not found:
            out.text(say("queue.empty", out.lang))
            return
        names = ("queue.item", "queue.kind", "queue.version", "memory.status", "queue.requester", "queue.asked_at")
        rows = [
            [
                item.id,
                say(f"queue.kind.{item.kind}", out.lang) if item.kind in KINDS else item.kind,
                item.version,
                say(f"queue.status.{item.status.value}", out.lang),
                item.requester,
                item.asked_at,
            ]
            for item in found
        ]
        out.table([say(name, out.lang) for name in names], rows)

    common.output("review-queue.list").result({"items": [item.to_dict() for item in found]}, render)
    return ExitCode.ok


def show(common: Common, item: Item) -> int:
    """Show an item, and what its approval would change.

    Example: rqa review-queue show q5f624da5ce
    """
    from rqa_graph.cli.reviews import find, show_item
    from rqa_graph.cli.session import open_memory
    from rqa_graph.reviewing import rendered

    with open_memory(common, needs="log") as session:
        found = find(session.memory, item, session.scope)
        text = rendered(session.memory, found, common.ui_lang)
    fields = {**found.to_dict(), "text": text}
    common.output("review-queue.show").result(fields, lambda out: show_item(out, found, text))
    return ExitCode.ok


def approve(common: Common, item: Item, *, version: Version = 0, note: Note = "") -> int:
    """Approve an item: what it would change is changed, and the log says by whom.

    Exit code 4: somebody decided before, or it has changed since that version.

    Example: rqa review-queue approve q5f624da5ce --version 1
    """
    from rqa_graph.cli.reviews import approve as approve_item

    return approve_item(common, item, command="review-queue.approve", kind="", version=version, note=note)


def edit(
    common: Common,
    item: Item,
    *,
    fields: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=TEXT", help="A field and its new text; may be repeated.")
    ] = None,
    add_source: Annotated[
        list[str] | None, typer.Option("--add-source", metavar="NAME", help="A document that an answer may cite.")
    ] = None,
    remove_source: Annotated[
        list[str] | None, typer.Option("--remove-source", metavar="NAME", help="A source that goes.")
    ] = None,
    version: Version = 0,
) -> int:
    """Change the words of an item; its next version waits for a decision.

    Example: rqa review-queue edit q5f624da5ce --set proposed_adjustment="Ask who pays first."
    """
    from rqa_graph.cli.reviews import decided, find, open_reviews

    with open_reviews(common) as session:
        found = find(session.services.memory, item, session.scope)
        sources = _sources(found.payload, add_source or (), remove_source or ())
        payload = {**found.payload, **_pairs(fields or (), found.payload, needed=not sources), **sources}
        done = decided(common, session, found, decision="edit", version=version, payload=payload)

    def render(out: Any) -> None:
        out.text(say("queue.edited", out.lang, item=done["item"], version=done["version"]))
        out.text(done["text"])

    common.output("review-queue.edit").result(done, render)
    return ExitCode.ok


def _sources(payload: Mapping[str, Any], added: Sequence[str], removed: Sequence[str]) -> dict[str, Any]:
    """The sources as edited; empty where none is."""
    if not added and not removed:
        return {}
    if "sources" not in payload:
        raise UsageFaultError("queue.no_sources")
    rows = {row["locator"]: row for row in payload["sources"]}
    unknown = next((name for name in removed if name not in rows), None)
    if unknown is not None:
        choices = ", ".join(rows) or "-"
        raise UsageFaultError("option.choice", option="--remove-source", value=unknown, choices=choices)
    kept = [row for name, row in rows.items() if name not in removed]
    return {"sources": [*kept, *({"locator": name} for name in added if name not in rows)]}


def _pairs(given: Sequence[str], payload: Mapping[str, Any], *, needed: bool) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or name not in payload:
            choices = ", ".join(f"{one}=" for one in payload)
            raise UsageFaultError("option.choice", option="--set", value=text, choices=choices)
        pairs[name] = value
    if not pairs and needed:
        raise UsageFaultError("queue.nothing_set", fields=", ".join(payload))
    return pairs


def reject(common: Common, item: Item, *, version: Version = 0, note: Note = "") -> int:
    """Reject an item: nothing is changed, and it is not asked again.

    Exit code 4: somebody decided before, or it has changed since that version.

    Example: rqa review-queue reject q5f624da5ce --note "too vague"
    """
    from rqa_graph.cli.reviews import decided, find, open_reviews

    with open_reviews(common) as session:
        found = find(session.services.memory, item, session.scope)
        done = decided(common, session, found, decision="reject", version=version, note=note)
    common.output("review-queue.reject").result(done, lambda out: out.text(done["text"]))
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "list": list_items,
    "show": show,
    "approve": approve,
    "edit": edit,
    "reject": reject,
}
"""Name and function of each command of the group."""
