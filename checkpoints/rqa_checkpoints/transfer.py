"""How does a person's memory leave one store, and enter another with who said what?

One JSON object a line: a head, then every item, oldest first, then their relations. What comes in keeps its class,
author, dates, thread, kind, status and lineage; the handle where it is free; the id where it is the same person of the
same tenant, since an id is a hash that covers whose it is. A file may say anything: lineage is worked out anew and
can only grow, system text is refused as everywhere, and nothing stored before is changed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Any, Final

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.committing import put_edges
from rqa_checkpoints.errors import RefusedTextError, UnknownKindError
from rqa_checkpoints.log import Writer
from rqa_checkpoints.mass import MAX_MASS, UNUSED, How, Root, moment, root_of
from rqa_checkpoints.provenance import (
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    Status,
    clean,
    has_block_markers,
    merge_origin,
    node_id,
    normal_reference,
    slot_key,
    statement_key,
    text_mark,
)
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.relations import RELATIONS
from rqa_checkpoints.versions import LONGEST_TTL_MINUTES

__all__ = ["EXPORT_SCHEMA", "export_rows", "import_rows"]

EXPORT_SCHEMA: Final = "rqa.export/1"

_ID: Final = re.compile(r"n_[0-9a-hjkmnp-tv-z]{52}")
_HANDLE: Final = re.compile(r"[0-9a-hjkmnp-tv-z]{6,52}")
_EXTRA: Final = ("value", "value_mark", "indexed")
"""Private fields of items of a store, beside those of every item."""
_MOST_SEEN: Final = 1000
"""A file may claim any count; each one is an event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """An item as a file gives it, under the id that it gets here."""

    node: MemoryNode
    extra: Mapping[str, Any]
    valid_at: str = ""
    """When the person last said that it still holds."""


def export_rows(view: Connection, scope: Scope, *, at: str) -> Iterator[dict[str, Any]]:
    """Everything of one person as rows, hidden items too; nobody else's."""
    nodes = list(queries.all_nodes(view, scope, NodeFilter(hidden=None)))
    ids = {node.id for node in nodes}
    edges = [edge for edge in queries.edges(view, scope) if edge.src in ids and edge.dst in ids]
    words = queries.extras(view, [node.id for node in nodes], scope)
    valid = queries.valid_at(view, [node.id for node in nodes], scope)
    head = {"schema": EXPORT_SCHEMA, "tenant": scope.tenant, "user": scope.user, "exported_at": at}
    yield {**head, "items": len(nodes), "relations": len(edges)}
    for node in nodes:
        yield {
            "type": "item",
            **_fields(node),
            **{name: words[node.id][name] for name in _EXTRA if name in words[node.id]},
            **({"valid_at": valid[node.id]} if node.id in valid else {}),
        }
    for edge in edges:
        yield {"type": "relation", "src": edge.src, "dst": edge.dst, "kind": edge.kind}


def _fields(node: MemoryNode) -> dict[str, Any]:
    return {
        "id": node.id,
        "handle": node.handle,
        "source": node.source.value,
        "author": node.author,
        "kind": node.kind.value,
        "text": node.text,
        "recorded_at": node.recorded_at,
        "status": node.status.value,
        "seen": node.seen,
        "hidden": node.hidden,
        "expires_at": node.expires_at,
        "ttl_minutes": node.ttl_minutes,
        "mass": node.mass,
        "last_used": node.last_used,
        "thread": node.thread,
        "turn_id": node.turn_id,
        "derived_from": list(node.derived_from),
        "origin": [source.value for source in node.origin],
        "echo_of": node.echo_of,
        "locator": node.locator,
        "tags": list(node.tags),
        "namespace": list(node.namespace),
        "key": node.key,
    }


def import_rows(
    writer: Writer, scope: Scope, rows: Sequence[Mapping[str, Any]], *, report: Callable[[int, int], None]
) -> Counter[str]:
    """Write the rows of an export as items of this person, in the one transaction of the writer.

    Args:
        writer: Of the log.
        scope: Whose they become.
        rows: The head of the export, then items and relations.
        report: Called with how many items are stored, and of how many.

    Returns:
        How many items came in by class, and how many were "known" (there already) or "refused" (system text, our own
        block markers), and how many "relations" were drawn.

    Raises:
        RefusedTextError: a row is no item of an export; nothing was written.
    """
    head = rows[0]
    same = (head.get("tenant"), head.get("user")) == (scope.tenant, scope.user)
    items = [row for row in rows[1:] if row.get("type") == "item"]
    given = [found for row in items if (found := _read(row, scope)) is not None]
    renamed = {
        one.node.id: one.node.id if same and _ID.fullmatch(one.node.id) else _renamed(one.node, scope) for one in given
    }
    counts = Counter({"refused": len(items) - len(given)} if len(given) < len(items) else {})
    stored = _store(writer, scope, [_moved(one, renamed) for one in given], counts, report)
    ends = {old: stored[new] for old, new in renamed.items() if new in stored}
    related = [(str(row.get("src")), str(row.get("dst")), str(row.get("kind"))) for row in rows if _relates(row)]
    known = [(src, dst, kind) for src, dst, kind in related if kind in RELATIONS and {src, dst} <= ends.keys()]
    counts["relations"] = put_edges(writer, scope, [(ends[src], ends[dst], kind) for src, dst, kind in known])
    return counts


def _relates(row: Mapping[str, Any]) -> bool:
    return row.get("type") == "relation"


def _read(row: Mapping[str, Any], scope: Scope) -> _Given | None:
    """The item of a row; None where its text is refused."""
    try:
        node = _node(row, scope)
        extra = {name: row[name] for name in _EXTRA if name in row}
        whole, valid = extra.get("value", ""), _moment(row["valid_at"]) if row.get("valid_at") else ""
        if whole:
            json.loads(whole)
    except (KeyError, TypeError, ValueError, OverflowError, UnknownKindError) as error:
        shown = str(row.get("id", row))[:80]
        raise RefusedTextError(f"no item of an export: {shown!r} ({error})", hint="Export it again.") from error
    refused = node.source is SourceClass.system or has_block_markers(node.text) or has_block_markers(str(whole))
    return None if refused or not node.text.strip() else _Given(node=node, extra=extra, valid_at=valid)


def _node(row: Mapping[str, Any], scope: Scope) -> MemoryNode:
    texts = {name: clean(str(row.get(name, ""))) for name in ("author", "locator", "key", "thread", "turn_id")}
    handle = normal_reference(str(row.get("handle", "")))
    return MemoryNode(
        id=str(row["id"]),
        handle=handle if _HANDLE.fullmatch(handle) else "",
        tenant=scope.tenant,
        user=scope.user,
        source=SourceClass(row["source"]),
        kind=Kind(row["kind"]),
        text=clean(str(row["text"])),
        recorded_at=_moment(row["recorded_at"]),
        status=Status(row.get("status", Status.open)),
        seen=min(max(int(row.get("seen", 1)), 1), _MOST_SEEN),
        hidden=bool(row.get("hidden", False)),
        expires_at=_moment(row["expires_at"]) if row.get("expires_at") else "",
        ttl_minutes=_minutes(row.get("ttl_minutes", 0.0)),
        mass=min(max(float(row.get("mass", UNUSED)), UNUSED), MAX_MASS),
        last_used=_moment(row["last_used"]) if row.get("last_used") else "",
        derived_from=tuple(filter(_ID.fullmatch, map(str, row.get("derived_from", ())))),
        origin=tuple(SourceClass(name) for name in row.get("origin", ())),
        echo_of=echo if _ID.fullmatch(echo := str(row.get("echo_of", ""))) else "",
        tags=tuple(map(str, row.get("tags", ()))),
        namespace=tuple(map(str, row.get("namespace", ()))),
        **texts,
    )


def _moment(text: str) -> str:
    """A time in UTC, so that any two compare. Raises ValueError, OverflowError."""
    return moment(text).astimezone(UTC).isoformat()


def _minutes(given: Any) -> float:
    """A time to live that can be added to any time of ours; 0 is none. Raises ValueError."""
    minutes = float(given)
    if not 0 <= minutes <= LONGEST_TTL_MINUTES:
        raise ValueError(f"`ttl_minutes` is {given!r}")
    return minutes


def _renamed(node: MemoryNode, scope: Scope) -> str:
    """The id of another person's item here: the same at every import of the same file."""
    mark = text_mark(f"{node.id} {node.text}")
    return node_id(scope, thread=node.thread, turn_id=node.turn_id, role="import", index=0, text=mark)


def _moved(given: _Given, renamed: Mapping[str, str]) -> _Given:
    node = given.node
    parents = tuple(renamed.get(parent, parent) for parent in node.derived_from)
    moved = replace(node, id=renamed[node.id], derived_from=parents, echo_of=renamed.get(node.echo_of, node.echo_of))
    return replace(given, node=moved)


def _store(
    writer: Writer, scope: Scope, given: Sequence[_Given], counts: Counter[str], report: Callable[[int, int], None]
) -> dict[str, str]:
    """Bear what is new; return under which id each is found here."""
    view = writer.connection
    origins = _origins(view, scope, given)
    by_id = queries.nodes_by_id(view, list(origins), scope)
    found: dict[str, str] = {}
    for done, one in enumerate(given):
        report(done, len(given))
        key = statement_key(one.node, str(one.extra.get("value_mark", "")))
        known = by_id.get(one.node.id) or queries.by_statement(view, [key], scope).get(key)
        if known is None:
            found[one.node.id] = _bear(writer, replace(one.node, origin=origins[one.node.id]), one.extra)
            if one.valid_at and one.node.source is not SourceClass.assistant:
                writer.append("validity", scope, {"id": one.node.id, "at": one.valid_at})
            counts[one.node.source.value] += 1
        else:
            found[one.node.id] = known.id
            counts["known"] += 1
    return found


def _origins(view: Connection, scope: Scope, given: Sequence[_Given]) -> dict[str, tuple[SourceClass, ...]]:
    """The classes in each lineage: what the file says, and all that its parents bring, however they are ordered."""
    parents = [parent for one in given for parent in one.node.derived_from]
    origins = {name: node.origin for name, node in queries.nodes_by_id(view, parents, scope).items()}
    origins |= {one.node.id: merge_origin(one.node.source, [one.node.origin]) for one in given}
    while True:
        grown = {
            one.node.id: merge_origin(
                one.node.source,
                [origins[one.node.id], *(origins[parent] for parent in one.node.derived_from if parent in origins)],
            )
            for one in given
        }
        if all(origins[name] == found for name, found in grown.items()):
            return grown
        origins |= grown


def _bear(writer: Writer, node: MemoryNode, extra: Mapping[str, Any]) -> str:
    view, scope = writer.connection, node.scope
    filled = bool(node.key) and bool(queries.by_slot(view, [slot_key(node.namespace, node.key)], scope))
    taken = queries.by_reference(view, node.handle, scope) if node.handle else None
    free = node.handle if node.handle and taken is None else queries.free_handles(view, [node.id], scope)[node.id]
    writer.add_node(replace(node, handle=free), extra)
    if node.source is not SourceClass.assistant:  # the assistant's own items never gain by being said again (P4)
        for _again in range(node.seen - 1):
            writer.append("seen", scope, {"id": node.id, "thread": ""})
    if node.mass > UNUSED and node.last_used and root_of(node) is not Root.assistant:
        _keep_mass(writer, node)
    if node.status is not Status.open:
        change = {"id": node.id, "from": Status.open.value, "to": node.status.value}
        writer.append("status", scope, change, {"reason": ""})
    if node.expires_at:
        until = {"id": node.id, "expires_at": node.expires_at, "ttl_minutes": node.ttl_minutes}
        writer.append("expiry", scope, until)
    if node.hidden or filled:  # a place of a store has one live version, and what lies there stays
        writer.append("hide", scope, {"id": node.id})
    return node.id


def _keep_mass(writer: Writer, node: MemoryNode) -> None:
    """The mass that use elsewhere has left; a file may claim any, within the bound of one item."""
    taken = {"actor": SourceClass.user.value, "how": How.cited.value, "session": "", "day": node.last_used[:10]}
    stands = {"at": node.last_used, "gain": node.mass - UNUSED, "mass": node.mass}
    writer.append("use", node.scope, {"id": node.id, **taken, **stands})
