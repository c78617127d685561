"""`rqa graph contradictions`, `curate` and `uncurate`: what contradicts itself, and putting a memory in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["COMMANDS"]


def contradictions(
    common: Common,
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many.")] = 10,
) -> int:
    """Show what you said that excludes something else you said.

    An update replaces an older value; of a tension, neither side is clearly newer.

    Example: rqa graph contradictions
    """
    from rqa_graph.cli.session import open_memory
    from rqa_graph.curating import contradictions as find
    from rqa_graph.entailment import open_entailment

    with open_memory(common, needs="log") as session:
        found = find(session.memory, scope=session.scope, nli=open_entailment(session.settings.memory.nli))

    def render(out: Any) -> None:
        out.text(say("crossing.none" if not found else "crossing.found", out.lang, count=len(found)))
        for one in found[:limit]:
            head = say(f"crossing.{one.relation}", out.lang, confidence=f"{one.confidence:.2f}")
            rows = [(1, f"[{side.handle}] ({side.at[:10]}): {side.text}") for side in (one.later, one.earlier)]
            out.tree([(0, f"{head}, {say(f'crossing.{one.reason}', out.lang)}"), *rows])

    rows = [
        {
            "relation": one.relation,
            "confidence": one.confidence,
            "reason": one.reason,
            "later": asdict(one.later),
            "earlier": asdict(one.earlier),
        }
        for one in found[:limit]
    ]
    common.output("graph.contradictions").result({"total": len(found), "items": rows}, render)
    return ExitCode.ok


def curate(
    common: Common,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be changed.")] = False,
    ask: Annotated[bool, typer.Option("--ask", help="Let a person decide, however few there are.")] = False,
) -> int:
    """Put the memory in order: merge, mark, move on.

    Up to 20 changes are made at once, and `uncurate` takes them back; more wait in `rqa review-queue`.

    Example: rqa graph curate --dry-run
    """
    from rqa_checkpoints.provenance import Scope
    from rqa_graph.cli.session import open_memory
    from rqa_graph.clock import utc_now
    from rqa_graph.curating import Curated, proposals
    from rqa_graph.curating import curate as make
    from rqa_graph.entailment import open_entailment
    from rqa_nodes.curation import CURATION

    with open_memory(common, needs="log" if dry_run else "home") as session:
        scope: Scope = session.scope
        nli = open_entailment(session.settings.memory.nli)
        changes = proposals(session.memory, scope=scope, now=utc_now(), nli=nli)
        done = Curated() if dry_run else make(session.memory, changes, scope=scope, now=utc_now(), ask=ask)
    rows = [change.to_dict() for change in changes]

    def render(out: Any) -> None:
        lang = out.lang
        if rows:
            out.text(CURATION.render({"changes": rows}, lambda _area: None, lang))
        if done.batch:
            out.text(say("curate.done", lang, count=len(rows), batch=done.batch))
        elif done.queued:
            out.text(say("curate.queued", lang, count=len(rows), items=", ".join(done.queued)))
        else:
            out.text(say("curate.dry" if rows else "curate.none", lang, count=len(rows)))

    fields = {"changes": rows, "dry_run": dry_run, "batch": done.batch, "queued": list(done.queued)}
    common.output("graph.curate").result(fields, render)
    return ExitCode.ok


def uncurate(
    common: Common,
    batch: Annotated[str, typer.Argument(metavar="[NAME]", help="As `curate` named it; without one, list them.")] = "",
) -> int:
    """Take a curation back; what was changed since stays.

    Without a name, those that stand are listed.

    Example: rqa graph uncurate
    """
    from rqa_graph.cli.session import open_memory

    with open_memory(common, needs="home" if batch else "log") as session:
        done = session.memory.uncurate(batch, scope=session.scope) if batch else 0
        standing = session.memory.curations(scope=session.scope)

    def render(out: Any) -> None:
        if batch:
            out.text(say("curate.undone", out.lang, count=done, batch=batch))
            return
        columns = [say(f"curate.{name}", out.lang) for name in ("name", "at", "by", "changes")]
        rows = [[row["id"], row["at"][:19], row["by"], str(len(row["changes"]))] for row in standing]
        out.table(columns, rows)

    common.output("graph.uncurate").result({"batch": batch, "undone": done, "standing": standing}, render)
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "contradictions": contradictions,
    "curate": curate,
    "uncurate": uncurate,
}
"""Name and function of each command; they belong to the group `rqa graph`."""
