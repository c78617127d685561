"""Which value lies in a place of a store, and what did it replace?

A place is a namespace and a key of one person. It has at most one live version; a new value is a new item that
supersedes the old one, deleting hides, and nothing is rewritten. The value comes back as it was given; what is
searched and shown of it is one text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.committing import put_edges, store_nodes
from rqa_checkpoints.errors import RefusedTextError
from rqa_checkpoints.log import Writer
from rqa_checkpoints.provenance import (
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    clean,
    has_block_markers,
    merge_origin,
    node_id,
    settle_kind,
    slot_key,
    text_mark,
)

__all__ = [
    "LONGEST_TTL_MINUTES",
    "Put",
    "Version",
    "apply_puts",
    "empty_slot",
    "set_expiry",
    "text_of",
    "versions_in",
    "versions_under",
]

LONGEST_TTL_MINUTES = 60 * 24 * 36525
"""A century: what is to live longer needs no time to live."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """One write to a place. A value of None empties it."""

    scope: Scope
    namespace: tuple[str, ...]
    """After tenant and user."""
    key: str
    value: Mapping[str, Any] | None
    source: SourceClass
    author: str
    indexed: bool = True
    ttl_minutes: float = 0.0
    """Minutes that the value lives, counted anew when it is read; 0 is for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The live value of a place."""

    node: MemoryNode
    value: dict[str, Any]
    created_at: str
    """When the place was first filled."""
    updated_at: str
    """When this value became the live one."""
    indexed: bool


def text_of(value: Mapping[str, Any]) -> str:
    """What is searched and shown of a value: its `text`, else its `content`, else all of it as JSON."""
    for name in ("text", "content"):
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            return clean(found)
    return _readable(value)


def _readable(value: Mapping[str, Any]) -> str:
    """The value as JSON with its letters as they are, in one order."""
    try:
        return clean(json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True))
    except (TypeError, ValueError) as error:
        raise RefusedTextError(f"a stored value must be JSON: {error}", hint="Use plain types only.") from error


def apply_puts(writer: Writer, puts: Sequence[Put], *, turn_id: str, recorded_at: str) -> None:
    """Write all of them, or, if one is refused, none. Raises RefusedTextError."""
    for put in puts:
        if put.value is not None and has_block_markers(_readable(put.value)):
            raise RefusedTextError(
                f"the value of {put.key!r} carries markers of our own prompts", hint="Take the bracketed markers out."
            )
    for index, put in enumerate(puts):
        live = queries.by_slot(writer.connection, [slot_key(put.namespace, put.key)], put.scope)
        old = next(iter(live.values()), None)
        new = None if put.value is None else _store(writer, put, index=index, turn_id=turn_id, recorded_at=recorded_at)
        if new is not None:
            set_expiry(writer, new, ttl_minutes=put.ttl_minutes, now=recorded_at)
        if old is not None and (new is None or new.id != old.id):
            writer.append("hide", put.scope, {"id": old.id})
            if new is not None:
                put_edges(writer, put.scope, [(new.id, old.id, "supersedes")])


def set_expiry(writer: Writer, node: MemoryNode, *, ttl_minutes: float, now: str) -> None:
    """Let an item live so long from now on; 0: for ever. An item that never had an end needs no event for that."""
    if not ttl_minutes and not node.expires_at:
        return
    until = datetime.fromisoformat(now) + timedelta(minutes=ttl_minutes)
    public = {"id": node.id, "expires_at": until.isoformat() if ttl_minutes else "", "ttl_minutes": ttl_minutes}
    writer.append("expiry", node.scope, public)


def empty_slot(writer: Writer, node: MemoryNode) -> None:
    """Hide what lies in the place of an item, so that the item may lie there again."""
    live = queries.by_slot(writer.connection, [slot_key(node.namespace, node.key)], node.scope)
    for other in live.values():
        writer.append("hide", other.scope, {"id": other.id})


def _store(writer: Writer, put: Put, *, index: int, turn_id: str, recorded_at: str) -> MemoryNode:
    value = put.value or {}
    text, same = text_of(value), text_mark(_readable(value))
    draft = MemoryNode(
        id=node_id(put.scope, thread="", turn_id=turn_id, role="store", index=index, text=same),
        handle="",
        tenant=put.scope.tenant,
        user=put.scope.user,
        thread="",
        turn_id=turn_id,
        source=put.source,
        author=put.author,
        kind=settle_kind(text, Kind.note),
        text=text,
        recorded_at=recorded_at,
        origin=merge_origin(put.source, ()),
        namespace=put.namespace,
        key=put.key,
    )
    # As it came, the order of its keys included; two orders of one value are the same value.
    extra = {"value": json.dumps(value), "value_mark": same, "indexed": put.indexed}
    stored = store_nodes(writer, [draft], thread="", extra=extra)[0]
    if stored.hidden:
        # The place held this very value before: it is live again, as the item that it was (P6).
        writer.append("restore", put.scope, {"id": stored.id})
    return stored


def versions_in(view: Connection, scope: Scope, slots: Sequence[str]) -> dict[str, Version]:
    """The live versions by slot."""
    nodes = queries.by_slot(view, slots, scope)
    found = _versions(view, scope, list(nodes.values()))
    return {slot: found[node.id] for slot, node in nodes.items()}


def versions_under(view: Connection, scope: Scope, prefix: tuple[str, ...]) -> list[Version]:
    """The live versions of all places under a namespace, the oldest first."""
    nodes = [node for node in queries.stored_nodes(view, scope) if node.namespace[: len(prefix)] == prefix]
    found = _versions(view, scope, nodes)
    return [found[node.id] for node in nodes]


def _versions(view: Connection, scope: Scope, nodes: Sequence[MemoryNode]) -> dict[str, Version]:
    ids = [node.id for node in nodes]
    words = queries.extras(view, ids, scope)
    # Both times are those of events: the first birth in the place, and what made this value the live one.
    filled = queries.filled_at(view, [slot_key(node.namespace, node.key) for node in nodes], scope)
    changed = queries.changed_at(view, ids, scope)
    return {
        node.id: Version(
            node=node,
            value=json.loads(words[node.id]["value"]),
            created_at=filled[slot_key(node.namespace, node.key)],
            updated_at=changed[node.id],
            indexed=words[node.id]["indexed"],
        )
        for node in nodes
    }
