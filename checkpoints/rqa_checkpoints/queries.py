"""What does the state of the log say? Read-only questions, each one indexed query.

Every question about items names tenant and user; the only ones without are those of the index, which trails the whole
log. Each takes a connection, so that a writer may ask them inside its transaction and sees its own rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, func, not_, or_, select

from rqa_checkpoints import tables
from rqa_checkpoints.errors import UnknownNodeError
from rqa_checkpoints.likeness import BANDS_SHARED
from rqa_checkpoints.provenance import (
    HANDLE_LENGTH,
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    Status,
    handle_base,
    normal_reference,
    unique_handle,
)
from rqa_checkpoints.state import node_from

__all__ = [
    "EVERYTHING",
    "Edge",
    "NodeFilter",
    "all_nodes",
    "asker",
    "by_reference",
    "by_slot",
    "by_statement",
    "changed_after",
    "changed_at",
    "counts",
    "edges",
    "edges_at",
    "edges_from",
    "extras",
    "filled_at",
    "free_handles",
    "last_change",
    "list_nodes",
    "lookup",
    "named",
    "near_nodes",
    "nodes_by_id",
    "owned",
    "owned_by_asker",
    "replacing",
    "seen_in",
    "stored_nodes",
    "valid_at",
    "version",
]

_BATCH = 500
"""Ids in one query; SQLite allows 32,766 parameters, older builds 999."""

_LONGEST_HANDLE = 13
"""Two items that share 12 characters (60 bits) are not looked for before the write; the unique index would refuse."""

_NEAR_COMPARED = 32
"""Near-duplicates of a message's sentences that are compared word by word."""

_SHORTEST_PREFIX = 4
"""Characters from which the beginning of a handle or id is taken for a reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFilter:
    """Which items of a person; an empty set means no restriction."""

    sources: frozenset[SourceClass] = frozenset()
    kinds: frozenset[Kind] = frozenset()
    statuses: frozenset[Status] = frozenset()
    thread: str = ""
    turn_id: str = ""
    hidden: bool | None = False
    """False: only visible ones; True: only hidden ones; None: both."""
    at: str = ""
    """ISO 8601, UTC: what ended before that counts as hidden, whether or not somebody hid it."""


EVERYTHING = NodeFilter()
"""All visible items."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two items of one person."""

    src: str
    dst: str
    kind: str
    seq: int


def owned(table: Any, scope: Scope) -> ColumnElement[bool]:
    """The condition that no question about a person goes without (P7)."""
    return and_(table.c.tenant == scope.tenant, table.c.user == scope.user)


def owned_by_asker(table: Any) -> ColumnElement[bool]:
    """As `owned`, with the person left open: for a statement that is made once and executed with `asker(scope)`."""
    return and_(table.c.tenant == bindparam("asker_tenant"), table.c.user == bindparam("asker_user"))


def asker(scope: Scope) -> dict[str, Any]:
    """The parameters that `owned_by_asker` leaves open."""
    return {"asker_tenant": scope.tenant, "asker_user": scope.user}


def _whole() -> Select[Any]:
    node, content = tables.node, tables.content
    return select(node, content.c.private).select_from(node.join(content, content.c.seq == node.c.born))


def _any_of(name: str) -> Any:
    return bindparam(name, expanding=True)


# The questions of every turn, made once: to put a statement together takes as long as to execute it.
_MINE = owned_by_asker(tables.node)
_BY_ID = _whole().where(_MINE, tables.node.c.id.in_(_any_of("ids")))
_BY_STATEMENT = _whole().where(_MINE, tables.node.c.statement.in_(_any_of("keys")))
_TAKEN = select(tables.node.c.handle).where(_MINE, tables.node.c.handle.in_(_any_of("handles")))
_NEAR = (
    select(tables.near.c.node)
    .where(owned_by_asker(tables.near), tables.near.c.band.in_(_any_of("bands")))
    .group_by(tables.near.c.node)
    .having(func.count() >= BANDS_SHARED)
    .order_by(func.count().desc(), tables.near.c.node)
    .limit(_NEAR_COMPARED)
)
_SEEN = select(tables.seen.c.node).where(
    tables.seen.c.node.in_(_any_of("ids")), tables.seen.c.thread == bindparam("thread")
)
_CHANGED = (
    _whole().where(tables.node.c.changed > bindparam("seq")).order_by(tables.node.c.changed).limit(bindparam("most"))
)
_CHANGED_OF_ONE = _CHANGED.where(_MINE)
_MORTAL = and_(tables.node.c.hidden.is_(False), tables.node.c.expires_at > "")
_FIRST_EXPIRY = select(func.min(tables.node.c.expires_at)).where(_MINE, _MORTAL)
_LAST_CHANGE = select(func.max(tables.node.c.changed))
_EDGE = tables.edge.c
_ALL_EDGES = select(_EDGE.src, _EDGE.dst, _EDGE.kind, _EDGE.seq).where(owned_by_asker(tables.edge))
_EDGES_FROM = _ALL_EDGES.where(_EDGE.src.in_(_any_of("ids")))
_EDGES_TO = _ALL_EDGES.where(_EDGE.dst.in_(_any_of("ids")))
_REPLACING = _EDGES_TO.where(_EDGE.kind == "supersedes")


def _node(row: Any) -> MemoryNode:
    return node_from(dict(zip(row._fields, row, strict=True)), json.loads(row.private), _items)


@lru_cache(maxsize=1024)
def _items(stored: str) -> tuple[str, ...]:
    """A stored JSON list of ids or classes. Kept: few lists make up most of what is stored."""
    return tuple(json.loads(stored))


def _pairs(view: Connection, query: Select[Any]) -> dict[str, Any]:
    return {row[0]: row[1] for row in view.execute(query)}


def _batches(values: Iterable[str]) -> Iterator[list[str]]:
    unique = list(dict.fromkeys(values))
    for start in range(0, len(unique), _BATCH):
        yield unique[start : start + _BATCH]


def nodes_by_id(view: Connection, ids: Sequence[str], scope: Scope) -> dict[str, MemoryNode]:
    """Items by id; unknown and foreign ones are left out."""
    found: dict[str, MemoryNode] = {}
    for batch in _batches(ids):
        found.update((row.id, _node(row)) for row in view.execute(_BY_ID, asker(scope) | {"ids": batch}))
    return found


def extras(view: Connection, ids: Sequence[str], scope: Scope) -> dict[str, dict[str, Any]]:
    """The private fields of items as they were written, those included that no MemoryNode has."""
    found: dict[str, dict[str, Any]] = {}
    for batch in _batches(ids):
        rows = view.execute(_BY_ID, asker(scope) | {"ids": batch})
        found.update((row.id, json.loads(row.private)) for row in rows)
    return found


def by_statement(view: Connection, keys: Sequence[str], scope: Scope) -> dict[str, MemoryNode]:
    """Items by statement key (P6)."""
    found: dict[str, MemoryNode] = {}
    for batch in _batches(keys):
        rows = view.execute(_BY_STATEMENT, asker(scope) | {"keys": batch})
        found.update((row.statement, _node(row)) for row in rows)
    return found


def by_slot(view: Connection, slots: Sequence[str], scope: Scope) -> dict[str, MemoryNode]:
    """The live items of a store by slot."""
    found: dict[str, MemoryNode] = {}
    for batch in _batches(slots):
        live = and_(tables.node.c.slot.in_(batch), tables.node.c.hidden.is_(False))
        rows = view.execute(_whole().where(owned(tables.node, scope), live)).all()
        found.update((row.slot, _node(row)) for row in sorted(rows, key=lambda row: row.born))
    return found


def first_expiry(view: Connection, scope: Scope) -> str | None:
    """When the first visible item ends; None where none does."""
    first: str | None = view.execute(_FIRST_EXPIRY, asker(scope)).scalar_one()
    return first


def expired(view: Connection, scope: Scope, now: str) -> list[str]:
    """Ids of the visible items whose time is over, the oldest first."""
    query = select(tables.node.c.id).where(owned(tables.node, scope), _MORTAL, tables.node.c.expires_at <= now)
    return list(view.execute(query.order_by(tables.node.c.born)).scalars())


def stored_nodes(view: Connection, scope: Scope) -> list[MemoryNode]:
    """The live items of a person's store, the oldest first."""
    node = tables.node.c
    query = _whole().where(owned(tables.node, scope), node.slot != "", node.hidden.is_(False)).order_by(node.born)
    return [_node(row) for row in view.execute(query)]


def filled_at(view: Connection, slots: Sequence[str], scope: Scope) -> dict[str, str]:
    """When each place of a store was first filled."""
    node, event = tables.node.c, tables.event.c
    found: dict[str, str] = {}
    for batch in _batches(slots):
        births = select(node.slot, func.min(event.at)).join(tables.event, event.seq == node.born)
        query = births.where(owned(tables.node, scope), node.slot.in_(batch)).group_by(node.slot)
        found.update(_pairs(view, query))
    return found


def changed_at(view: Connection, ids: Sequence[str], scope: Scope) -> dict[str, str]:
    """When each item last changed."""
    node, event = tables.node.c, tables.event.c
    found: dict[str, str] = {}
    for batch in _batches(ids):
        times = select(node.id, event.at).join(tables.event, event.seq == node.changed)
        found.update(_pairs(view, times.where(owned(tables.node, scope), node.id.in_(batch))))
    return found


def valid_at(view: Connection, ids: Sequence[str], scope: Scope) -> dict[str, str]:
    """When a person last said of each item that it still holds; items of which nobody did are left out."""
    validity = tables.validity.c
    found: dict[str, str] = {}
    for batch in _batches(ids):
        query = select(validity.node, validity.at).where(owned(tables.validity, scope), validity.node.in_(batch))
        found.update(_pairs(view, query))
    return found


def by_reference(view: Connection, reference: str, scope: Scope) -> MemoryNode | None:
    """The item that a handle or a full id names."""
    bare = normal_reference(reference)
    node = tables.node.c
    name = node.id == bare if bare.startswith("n_") else node.handle == bare
    row = view.execute(_whole().where(owned(tables.node, scope), name)).first()
    return None if row is None else _node(row)


def named(view: Connection, reference: str, scope: Scope) -> MemoryNode:
    """As `by_reference`; raises UnknownNodeError for a name that this person has nothing of."""
    node = by_reference(view, reference, scope)
    if node is None:
        hint = "`rqa memory list` shows the handles."
        raise UnknownNodeError(f"no item is called {reference!r}", hint=hint, ja=(f"「{reference}」", hint))
    return node


def lookup(view: Connection, reference: str, scope: Scope) -> Literal["exact", "prefix"] | None:
    """Whether a string names one of this person's items, or begins the name of one."""
    bare = normal_reference(reference)
    column = tables.node.c.id if bare.startswith("n_") else tables.node.c.handle
    if len(bare.removeprefix("n_")) < _SHORTEST_PREFIX or not bare.removeprefix("n_").isascii():
        return None
    # "~" sorts behind all letters and digits, so the range is the prefix, and the index serves it.
    query = select(column).where(owned(tables.node, scope), column >= bare, column < bare + "~")
    first = view.execute(query.order_by(column).limit(1)).scalar()
    if first is None:
        return _base_lookup(view, bare, scope)
    return "exact" if first == bare else "prefix"


def _base_lookup(view: Connection, bare: str, scope: Scope) -> Literal["prefix"] | None:
    """A string longer than the handle it begins with may begin the hash in the id."""
    if bare.startswith("n_") or len(bare) <= HANDLE_LENGTH:
        return None
    column, start = tables.node.c.id, "n_" + bare
    query = select(column).where(owned(tables.node, scope), column >= start, column < start + "~").limit(1)
    return "prefix" if view.execute(query).first() else None


def free_handles(view: Connection, ids: Sequence[str], scope: Scope) -> dict[str, str]:
    """The handles that items get if they are written now, in this order."""
    wanted = [handle_base(item)[:length] for item in ids for length in range(HANDLE_LENGTH, _LONGEST_HANDLE)]
    taken: set[str] = set()
    for batch in _batches(wanted):
        taken.update(view.execute(_TAKEN, asker(scope) | {"handles": batch}).scalars())
    given: dict[str, str] = {}
    for item in ids:
        given[item] = unique_handle(item, taken)
        taken.add(given[item])
    return given


def near_nodes(view: Connection, bands: Sequence[str], scope: Scope) -> list[MemoryNode]:
    """Assistant items that share sketch bands, those that share the most first: candidates for a restatement."""
    ids = view.execute(_NEAR, asker(scope) | {"bands": list(bands)}).scalars().all()
    found = nodes_by_id(view, ids, scope)
    return [found[item] for item in ids if item in found]


def seen_in(view: Connection, ids: Sequence[str], thread: str) -> set[str]:
    """Those of the items that were said in this thread before."""
    found: set[str] = set()
    for batch in _batches(ids):
        found.update(view.execute(_SEEN, {"ids": batch, "thread": thread}).scalars())
    return found


def list_nodes(
    view: Connection, scope: Scope, where: NodeFilter, *, limit: int = 50, before: str = ""
) -> list[MemoryNode]:
    """Items, the newest first; `before` is the id of the last one of the page before."""
    asked = asker(scope) | {"most": limit} | ({"before": before} if before else {})
    return [_node(row) for row in view.execute(_newest(where, after=bool(before)), asked)]


@lru_cache(maxsize=64)
def _newest(where: NodeFilter, *, after: bool) -> Select[Any]:
    """Kept: few filters are asked for again and again."""
    node = tables.node.c
    query = _whole().where(_MINE, *_conditions(where))
    if after:
        query = query.where(
            node.born < select(node.born).where(_MINE, node.id == bindparam("before")).scalar_subquery()
        )
    return query.order_by(node.born.desc()).limit(bindparam("most"))


def all_nodes(view: Connection, scope: Scope, where: NodeFilter) -> Iterator[MemoryNode]:
    """All items of a person, the oldest first, without holding them at once."""
    for row in view.execution_options(yield_per=_BATCH).execute(_oldest(where), asker(scope)):
        yield _node(row)


@lru_cache(maxsize=64)
def _oldest(where: NodeFilter) -> Select[Any]:
    return _whole().where(_MINE, *_conditions(where)).order_by(tables.node.c.born)


def _conditions(where: NodeFilter) -> list[ColumnElement[bool]]:
    node = tables.node.c
    sets = ((node.source, where.sources), (node.kind, where.kinds), (node.status, where.statuses))
    found: list[ColumnElement[bool]] = [
        column.in_([str(value) for value in values]) for column, values in sets if values
    ]
    if where.thread:
        found.append(node.thread == where.thread)
    if where.turn_id:
        found.append(node.turn_id == where.turn_id)
    if where.hidden is not None:
        hidden = _hidden(where.at)
        found.append(hidden if where.hidden else not_(hidden))
    return found


def _hidden(at: str) -> ColumnElement[bool]:
    node = tables.node.c
    return or_(node.hidden, and_(node.expires_at > "", node.expires_at <= at)) if at else node.hidden.is_(True)


def counts(view: Connection, scope: Scope, at: str = "") -> dict[str, dict[str, int]]:
    """How many visible items there are by source, kind and status, and how many are visible and hidden in all."""
    node = tables.node.c
    groups = (node.source, node.kind, node.status, _hidden(at).label("hidden"))
    query = select(*groups, func.count().label("n")).where(owned(tables.node, scope)).group_by(*groups)
    found: dict[str, Counter[str]] = {name: Counter() for name in ("source", "kind", "status")}
    total = {"visible": 0, "hidden": 0}
    for row in view.execute(query):
        total["hidden" if row.hidden else "visible"] += row.n
        if not row.hidden:
            for name, counter in found.items():
                counter[row._mapping[name]] += row.n
    return {**{name: dict(sorted(counter.items())) for name, counter in found.items()}, "total": total}


def changed_after(
    view: Connection, seq: int, *, limit: int, scope: Scope | None = None
) -> list[tuple[int, MemoryNode]]:
    """Items with the number of their last change, in that order."""
    asked: dict[str, Any] = {"seq": seq, "most": limit}
    rows = view.execute(_CHANGED, asked) if scope is None else view.execute(_CHANGED_OF_ONE, asked | asker(scope))
    return [(row.changed, _node(row)) for row in rows]


def last_change(view: Connection) -> int:
    """Number of the last event that changed an item."""
    return view.execute(_LAST_CHANGE).scalar() or 0


def version(view: Connection, scope: Scope) -> int:
    """A number that changes whenever this person's items, their masses or relations do."""
    node, edge = tables.node, tables.edge
    latest = select(func.max(node.c.changed)).where(owned(node, scope)).scalar_subquery()
    drawn = select(func.max(edge.c.seq)).where(owned(edge, scope)).scalar_subquery()
    gone = select(func.max(tables.erasure.c.seq)).where(owned(tables.erasure, scope)).scalar_subquery()
    used = select(func.max(tables.credit.c.seq)).where(owned(tables.credit, scope)).scalar_subquery()
    return max(found or 0 for found in view.execute(select(latest, drawn, gone, used)).one())


def edges(view: Connection, scope: Scope) -> list[Edge]:
    """All relations of a person's items, oldest first."""
    return _edges(view, _ALL_EDGES, asker(scope))


def edges_at(view: Connection, ids: Sequence[str], scope: Scope) -> list[Edge]:
    """The relations that begin or end at one of these items, oldest first."""
    # Two questions, not one with OR: each side has its own index.
    asked = asker(scope) | {"ids": list(ids)}
    ends = [found for side in (_EDGES_FROM, _EDGES_TO) for found in _edges(view, side, asked)]
    return sorted(set(ends), key=lambda found: found.seq)


def edges_from(view: Connection, ids: Sequence[str], scope: Scope) -> list[Edge]:
    """The relations that begin at one of these items, oldest first."""
    return _edges(view, _EDGES_FROM, asker(scope) | {"ids": list(ids)})


def replacing(view: Connection, ids: Collection[str], scope: Scope) -> list[Edge]:
    """The relations by which something supersedes one of these items, oldest first."""
    return _edges(view, _REPLACING, asker(scope) | {"ids": list(ids)})


def _edges(view: Connection, query: Select[Any], asked: Mapping[str, Any]) -> list[Edge]:
    return sorted((Edge(*row) for row in view.execute(query, asked)), key=lambda found: found.seq)
