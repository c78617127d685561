"""Does what a person approved still fit what is there?

Between the proposal and the yes an item may have been forgotten, moved on or erased. An effect that does not fit any
more is left out, so that an approval never undoes what came after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.log import Writer
from rqa_checkpoints.proposals import Effect
from rqa_checkpoints.provenance import Scope

__all__ = ["apply_effects"]


def apply_effects(writer: Writer, effects: Iterable[Effect], scope: Scope) -> int:
    """Append the effects that fit, each seen after those before it; return how many did."""
    hidden: set[str] = set()
    done = 0
    for effect in effects:
        if _fits(writer.connection, effect, scope, hidden):
            writer.append(effect.op, scope, effect.public, effect.private)
            hidden |= {effect.public["id"]} if effect.op == "hide" else set()
            done += 1
    return done


def _fits(view: Connection, effect: Effect, scope: Scope, hidden: Collection[str]) -> bool:
    """`hidden` are the items that effects before this one have hidden."""
    public = effect.public
    match effect.op:
        case "hide" | "status":
            node = queries.nodes_by_id(view, [public["id"]], scope).get(public["id"])
            return node is not None and not node.hidden and public.get("from", node.status.value) == node.status.value
        case "edge":
            ends = queries.nodes_by_id(view, [public["src"], public["dst"]], scope).values()
            drawn = {(edge.dst, edge.kind) for edge in queries.edges_from(view, [public["src"]], scope)}
            there = len(ends) == 2 and all(not node.hidden or node.id in hidden for node in ends)
            return there and (public["dst"], public["kind"]) not in drawn
        case _:
            return True
