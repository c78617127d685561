"""`rqa self`: what the assistant has changed about its own asking, with a person's yes, and the way back.

A model only proposes; what stands here was approved by a person, is a version with its diff and its reason, and can be
rolled back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.cli.review_options import Item, Note, Version
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_checkpoints.provenance import Adopted, QueueItem
    from rqa_graph.cli.output import Output

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    help_text = "Show what the assistant changed about its asking; roll it back.\n\nExample: rqa self show"
    add_group(app, "self", help_text, COMMANDS)


def show(
    common: Common,
    area: Annotated[str, typer.Argument(metavar="AREA", help="One area, with all its versions.")] = "",
) -> int:
    """Show what stands and what waits; for one area, each version with its diff, its reason and who decided.

    Example: rqa self show question_generation_bias
    """
    from rqa_checkpoints.provenance import QueueStatus
    from rqa_graph.cli.session import open_memory
    from rqa_nodes.reflect.self_update import SELF_UPDATE

    if area:
        _check_area(area)
    with open_memory(common, needs="log") as session:
        queue, scope = session.memory.queue, session.scope
        rows = queue.history(area, scope=scope) if area else queue.areas(scope=scope)
        waiting = queue.items(scope=scope, kind=SELF_UPDATE.name, status=QueueStatus.pending)
    if area:
        fields: dict[str, Any] = {"area": area, "versions": _history(rows)}
        common.output("self.show").result(fields, lambda out: _show_history(out, area, rows))
    else:
        fields = {"areas": [row.to_dict() for row in rows], "pending": [item.to_dict() for item in waiting]}
        common.output("self.show").result(fields, lambda out: _show_areas(out, rows, waiting))
    return ExitCode.ok


def _check_area(area: str) -> None:
    from rqa_nodes.reflect.boundary import UPDATABLE_AREAS

    if area not in UPDATABLE_AREAS:
        raise UsageFaultError("option.choice", option="AREA", value=area, choices=", ".join(sorted(UPDATABLE_AREAS)))


def _history(rows: Sequence[Adopted]) -> list[dict[str, Any]]:
    from rqa_nodes.reflect.self_update import diff

    before = [None, *rows]
    return [
        {**row.to_dict(), "diff": list(diff(earlier.content if earlier else None, row.content))}
        for earlier, row in zip(before, rows, strict=False)
    ]


def _show_areas(out: Output, rows: Sequence[Adopted], waiting: Sequence[QueueItem]) -> None:
    from rqa_nodes.reflect.self_update import lines_of

    standing = [[row.area, row.version, line, row.by] for row in rows for line in lines_of(row.content)]
    if standing:
        names = ("self.area", "queue.version", "self.line", "self.by")
        out.table([say(name, out.lang) for name in names], standing)
    else:
        out.text(say("self.nothing", out.lang))
    if waiting:
        out.text(say("self.waiting", out.lang, items=", ".join(item.id for item in waiting)))


def _show_history(out: Output, area: str, rows: Sequence[Adopted]) -> None:
    if not rows:
        out.text(say("self.unchanged", out.lang, area=area))
    for row, fields in zip(rows, _history(rows), strict=True):
        key = "self.rolled_back" if row.is_rollback else "self.approved"
        out.text(say(key, out.lang, version=row.version, by=row.by, at=row.at, item=row.item, to=row.restores))
        for line in fields["diff"]:
            out.text(f"  {line}")
        if row.rationale:
            out.text(say("self.rationale", out.lang, rationale=row.rationale))


def approve(common: Common, item: Item, *, version: Version = 0, note: Note = "") -> int:
    """Approve a proposal of the assistant about its own asking.

    Exit code 4: somebody decided before, or it has changed since that version.

    Example: rqa self approve q5f624da5ce
    """
    from rqa_graph.cli.reviews import approve as approve_item

    return approve_item(common, item, command="self.approve", kind="self_update", version=version, note=note)


def rollback(
    common: Common,
    area: Annotated[str, typer.Argument(metavar="AREA", help="What to roll back.")],
    *,
    to: Annotated[
        int, typer.Option("--to", metavar="N", min=-1, help="The version to bring back; 0: before any change.")
    ] = -1,
    version: Version = 0,
) -> int:
    """Bring back what stood before, as a new version; again, and it goes further back.

    Exit code 4: another version stands than the one that you saw.

    Example: rqa self rollback question_generation_bias
    """
    from rqa_graph.cli.session import open_memory
    from rqa_graph.clock import utc_now

    _check_area(area)
    with open_memory(common) as session:
        at = utc_now().isoformat(timespec="seconds")
        found = session.memory.queue.rollback(
            area, scope=session.scope, by=session.scope.user, at=at, version=version, to=to
        )

    def render(out: Any) -> None:
        key = "self.now" if found.restores else "self.now_before"
        out.text(say(key, out.lang, area=area, to=found.restores, version=found.version))

    common.output("self.rollback").result(found.to_dict(), render)
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "show": show,
    "approve": approve,
    "rollback": rollback,
}
"""Name and function of each command of the group."""
