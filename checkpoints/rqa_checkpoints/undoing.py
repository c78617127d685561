"""Which curations stand, and how is one taken back?

By the events that a person's own hand would leave, the last change first. What was changed since stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from rqa_checkpoints import queries, tables
from rqa_checkpoints.committing import revive
from rqa_checkpoints.log import Writer
from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.relations import MERGED_INTO
from rqa_checkpoints.rule_words import broken

__all__ = ["batches", "undo_batch"]


def batches(view: Connection, scope: Scope) -> list[dict[str, Any]]:
    """The curations of this person that stand, the newest first."""
    event = tables.event
    query = select(event.c.op, event.c.at, event.c.body).where(
        queries.owned(event, scope), event.c.op.in_(("curate", "uncurate"))
    )
    found: dict[str, dict[str, Any]] = {}
    for row in view.execute(query.order_by(event.c.seq)):
        body = json.loads(row.body)
        if row.op == "uncurate":
            found.pop(body["id"], None)
        else:
            found[body["id"]] = {**body, "at": row.at}
    return list(found.values())[::-1]


def _changes(view: Connection, batch: str, scope: Scope) -> list[Mapping[str, Any]]:
    """What a curation that stands has changed. Raises RuleBrokenError."""
    for found in batches(view, scope):
        if found["id"] == batch:
            return list(found["changes"])
    raise broken("no_curation", batch=batch)


def undo_batch(writer: Writer, batch: str, scope: Scope) -> int:
    """Take a curation back, the last change first; what was changed since stays. Return how many were taken back."""
    done = sum(_undo(writer, change, scope) for change in reversed(_changes(writer.connection, batch, scope)))
    writer.append("uncurate", scope, {"id": batch})
    return done


def _undo(writer: Writer, change: Mapping[str, Any], scope: Scope) -> bool:
    view = writer.connection
    node = queries.nodes_by_id(view, [change["item"]], scope).get(change["item"])
    if node is None:
        return False
    relation = MERGED_INTO if change["op"] == "merge" else change["name"]
    drawn = {(edge.dst, edge.kind) for edge in queries.edges_from(view, [node.id], scope)}
    there = (change["other"], relation) in drawn
    if change["op"] == "status":
        there = node.status.value == change["name"] and not node.hidden
        if there:
            moved = {"id": node.id, "from": change["name"], "to": change["was"]}
            writer.append("status", scope, moved, {"reason": "taken back"})
    elif change["op"] == "merge" and there and node.hidden:
        revive(writer, node)
    elif there:
        writer.append("unrelate", scope, {"src": node.id, "dst": change["other"], "kind": relation})
    return there
