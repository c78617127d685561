"""What do the events of the log add up to?

One rule for each kind of event, applied when the event is written and again whenever the state is built from the log:
there is no second account of what is true. A rule reads nothing but its event and the rows that earlier events left,
so a replay gives the same rows, and the same hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, insert, or_, select, update

from rqa_checkpoints import tables
from rqa_checkpoints.cache.rows import CACHE_RULES, erase_cached
from rqa_checkpoints.chain import ERASE, canonical
from rqa_checkpoints.facts import Fact
from rqa_checkpoints.likeness import sketch
from rqa_checkpoints.mass import UNUSED, account_of
from rqa_checkpoints.proposals import QueueStatus
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass, Status, slot_key, statement_key, text_mark

__all__ = ["Fact", "apply", "node_fields", "node_from", "state_digest"]

_PUT_NODE = insert(tables.node)
_PUT_SEEN = insert(tables.seen)
_PUT_NEAR = insert(tables.near)
_PUT_EDGE = insert(tables.edge)
_PUT_VALIDITY = insert(tables.validity)
_PUT_CREDIT = insert(tables.credit)
_PUT_PART = insert(tables.part)
_PUT_BLOB = insert(tables.blob)
_PUT_ITEM = insert(tables.queue)
_PUT_VERSION = insert(tables.adopted)
_PUT_ERASURE = insert(tables.erasure)
_SET_USE = update(tables.node).where(
    tables.node.c.id == bindparam("asked_id"),
    tables.node.c.tenant == bindparam("asked_tenant"),
    tables.node.c.user == bindparam("asked_user"),
)
"""Put together once: every turn that cites has some."""


def node_fields(node: MemoryNode, extra: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """An item as the public and the private fields of the event that bears it."""
    public = {
        "id": node.id,
        "handle": node.handle,
        "thread": node.thread,
        "turn_id": node.turn_id,
        "source": node.source.value,
        "kind": node.kind.value,
        "recorded_at": node.recorded_at,
        "derived_from": list(node.derived_from),
        "origin": [source.value for source in node.origin],
        "echo_of": node.echo_of,
    }
    private = {
        "text": node.text,
        "author": node.author,
        "locator": node.locator,
        "namespace": list(node.namespace),
        "key": node.key,
        "tags": list(node.tags),
        **extra,
    }
    return public, private


def _born(scope: Scope, public: Mapping[str, Any], private: Mapping[str, Any]) -> MemoryNode:
    return MemoryNode(
        id=public["id"],
        handle=public["handle"],
        tenant=scope.tenant,
        user=scope.user,
        thread=public["thread"],
        turn_id=public["turn_id"],
        source=SourceClass(public["source"]),
        author=private.get("author", ""),
        kind=Kind(public["kind"]),
        text=private.get("text", ""),
        recorded_at=public["recorded_at"],
        status=Status(public.get("status", Status.open)),
        seen=public.get("seen", 1),
        derived_from=tuple(public["derived_from"]),
        origin=tuple(SourceClass(name) for name in public["origin"]),
        echo_of=public["echo_of"],
        locator=private.get("locator", ""),
        namespace=tuple(private.get("namespace", ())),
        key=private.get("key", ""),
        hidden=public.get("hidden", False),
        expires_at=public.get("expires_at", ""),
        ttl_minutes=public.get("ttl_minutes", 0.0),
        tags=tuple(private.get("tags", ())),
        mass=public.get("mass", UNUSED),
        last_used=public.get("last_used", ""),
    )


def node_from(row: Mapping[str, Any], private: Mapping[str, Any], lists: Callable[[str], Any]) -> MemoryNode:
    """An item from its row and its words; `lists` reads a stored JSON list."""
    public = {**row, "derived_from": lists(row["derived_from"]), "origin": lists(row["origin"])}
    return _born(Scope(row["tenant"], row["user"]), public, private)


def apply(connection: Connection, fact: Fact) -> None:
    """Let one event change the state."""
    _RULES[fact.op](connection, fact)


def _node(connection: Connection, fact: Fact) -> None:
    node = _born(fact.scope, fact.public, fact.private)
    row = {
        **{name: fact.public[name] for name in ("id", "handle", "thread", "turn_id", "source", "kind", "recorded_at")},
        "tenant": fact.scope.tenant,
        "user": fact.scope.user,
        "status": Status.open.value,
        "seen": 1,
        "hidden": False,
        "expires_at": "",
        "ttl_minutes": 0.0,
        "derived_from": canonical(fact.public["derived_from"]),
        "origin": canonical(fact.public["origin"]),
        "echo_of": node.echo_of,
        "statement": statement_key(node, fact.private.get("value_mark", "")),
        "slot": slot_key(node.namespace, node.key),
        "account": text_mark(account_of(node)),
        "mass": UNUSED,
        "last_used": "",
        "born": fact.seq,
        "changed": fact.seq,
    }
    connection.execute(_PUT_NODE, row)
    connection.execute(_PUT_SEEN, {"node": node.id, "thread": node.thread})
    bands = sketch(node.text) if node.source is SourceClass.assistant and node.text else ()
    if bands:
        owner = {"tenant": node.tenant, "user": node.user, "node": node.id}
        connection.execute(_PUT_NEAR, [{**owner, "band": band} for band in bands])


def _mine(fact: Fact) -> Any:
    return _owned(fact, fact.public["id"])


def _owned(fact: Fact, item: str) -> Any:
    node = tables.node.c
    return and_(node.id == item, node.tenant == fact.scope.tenant, node.user == fact.scope.user)


def _seen(connection: Connection, fact: Fact) -> None:
    node, thread = fact.public["id"], fact.public["thread"]
    key = and_(tables.seen.c.node == node, tables.seen.c.thread == thread)
    if connection.execute(select(tables.seen.c.node).where(key)).first() is None:
        connection.execute(_PUT_SEEN, {"node": node, "thread": thread})
    connection.execute(update(tables.node).where(_mine(fact)).values(seen=tables.node.c.seen + 1))


def _use(connection: Connection, fact: Fact) -> None:
    """The event holds the mass that the item has from then on, so that a replay needs no formula."""
    named = {"asked_tenant": fact.scope.tenant, "asked_user": fact.scope.user, "asked_id": fact.public["id"]}
    connection.execute(_SET_USE, {**named, "mass": fact.public["mass"], "last_used": fact.public["at"]})
    names = ("actor", "how", "session", "day")
    owner = {"tenant": fact.scope.tenant, "user": fact.scope.user, "node": fact.public["id"], "seq": fact.seq}
    connection.execute(_PUT_CREDIT, {**owner, **{name: fact.public[name] for name in names}})


def _status(connection: Connection, fact: Fact) -> None:
    connection.execute(update(tables.node).where(_mine(fact)).values(status=fact.public["to"], changed=fact.seq))


def _hide(connection: Connection, fact: Fact) -> None:
    connection.execute(update(tables.node).where(_mine(fact)).values(hidden=True, changed=fact.seq))


def _restore(connection: Connection, fact: Fact) -> None:
    connection.execute(update(tables.node).where(_mine(fact)).values(hidden=False, changed=fact.seq))


def _expiry(connection: Connection, fact: Fact) -> None:
    until = {name: fact.public[name] for name in ("expires_at", "ttl_minutes")}
    connection.execute(update(tables.node).where(_mine(fact)).values(until))


def _edge(connection: Connection, fact: Fact) -> None:
    names = ("src", "dst", "kind")
    owner = {"tenant": fact.scope.tenant, "user": fact.scope.user, "seq": fact.seq}
    connection.execute(_PUT_EDGE, {**owner, **{name: fact.public[name] for name in names}})


def _unrelate(connection: Connection, fact: Fact) -> None:
    edge = tables.edge
    ends = and_(*(edge.c[name] == fact.public[name] for name in ("src", "dst", "kind")))
    owner = and_(edge.c.tenant == fact.scope.tenant, edge.c.user == fact.scope.user)
    connection.execute(delete(edge).where(owner, ends))
    # The row that would say that something changed is gone, so the item at its beginning says it.
    connection.execute(update(tables.node).where(_owned(fact, fact.public["src"])).values(changed=fact.seq))


def _validity(connection: Connection, fact: Fact) -> None:
    row = {"at": fact.public["at"], "seq": fact.seq}
    owner = {"tenant": fact.scope.tenant, "user": fact.scope.user, "node": fact.public["id"]}
    known = and_(*(tables.validity.c[name] == value for name, value in owner.items()))
    if connection.execute(update(tables.validity).where(known).values(row)).rowcount == 0:
        connection.execute(_PUT_VALIDITY, {**owner, **row})
    connection.execute(update(tables.node).where(_mine(fact)).values(changed=fact.seq))


def _part(connection: Connection, fact: Fact) -> None:
    names = ("turn_id", "part", "thread", "forked_from", "recorded_at", "outcome")
    row = {
        **{name: fact.public[name] for name in names},
        "tenant": fact.scope.tenant,
        "user": fact.scope.user,
        "digest": fact.private.get("digest", ""),
        "user_mark": text_mark(fact.private.get("user_text", "")),
        "reply_mark": text_mark(fact.private.get("reply_text", "")),
        "written": canonical(fact.public["written"]),
        "cited": canonical(fact.public["cited"]),
        "seq": fact.seq,
    }
    connection.execute(_PUT_PART, row)


def _blob(connection: Connection, fact: Fact) -> None:
    if not fact.private:
        return  # erased, and read again from the log
    owner = {"tenant": fact.scope.tenant, "user": fact.scope.user, "seq": fact.seq}
    connection.execute(_PUT_BLOB, {**owner, "digest": fact.private["digest"]})


def _queue(connection: Connection, fact: Fact) -> None:
    row = {
        **{name: fact.public[name] for name in ("id", "kind", "requester")},
        "tenant": fact.scope.tenant,
        "user": fact.scope.user,
        "version": 1,
        "status": QueueStatus.pending.value,
        "asked_at": fact.public["at"],
        "born": fact.seq,
        "payload": fact.seq,
        "decision": 0,
    }
    connection.execute(_PUT_ITEM, row | dict.fromkeys(("edited_by", "decided_by", "decided_at", "mark"), ""))


def _my_item(fact: Fact) -> Any:
    queue = tables.queue.c
    return and_(queue.id == fact.public["id"], queue.tenant == fact.scope.tenant, queue.user == fact.scope.user)


def _revise(connection: Connection, fact: Fact) -> None:
    changed = {"version": fact.public["version"], "edited_by": fact.public["by"], "payload": fact.seq}
    connection.execute(update(tables.queue).where(_my_item(fact)).values(changed))


def _decide(connection: Connection, fact: Fact) -> None:
    changed = {
        "status": fact.public["status"],
        "decided_by": fact.public["by"],
        "decided_at": fact.public["at"],
        "mark": fact.public["mark"],
        "decision": fact.seq,
    }
    connection.execute(update(tables.queue).where(_my_item(fact)).values(changed))


def _adopt(connection: Connection, fact: Fact) -> None:
    names = ("area", "version", "item", "by", "at", "restores")
    owner = {"tenant": fact.scope.tenant, "user": fact.scope.user, "seq": fact.seq}
    connection.execute(_PUT_VERSION, {**owner, **{name: fact.public[name] for name in names}})


def _erase(connection: Connection, fact: Fact) -> None:
    """Clear the words of the events named, and every row that came of them."""
    for first, last in fact.public["seqs"]:
        _erase_span(connection, fact, first, last)
    owner = {"tenant": fact.scope.tenant, "user": fact.scope.user}
    connection.execute(_PUT_ERASURE, {**owner, "id": fact.public["erasure"], "seq": fact.seq, "done": 0})


def _erase_span(connection: Connection, fact: Fact, first: int, last: int) -> None:
    def mine(table: Any) -> Any:
        return and_(table.c.tenant == fact.scope.tenant, table.c.user == fact.scope.user)

    node, edge, near, credit = tables.node, tables.edge, tables.near, tables.credit
    born = select(node.c.id).where(mine(node), node.c.born.between(first, last))
    for item in connection.execute(born).scalars().all():
        connection.execute(delete(edge).where(mine(edge), or_(edge.c.src == item, edge.c.dst == item)))
        for table in (near, credit, tables.validity):
            connection.execute(delete(table).where(mine(table), table.c.node == item))
        connection.execute(delete(tables.seen).where(tables.seen.c.node == item))
    for table in (tables.part, tables.blob, tables.adopted):
        connection.execute(delete(table).where(mine(table), table.c.seq.between(first, last)))
    for table in (node, tables.queue):
        connection.execute(delete(table).where(mine(table), table.c.born.between(first, last)))
    erase_cached(connection, fact.scope.tenant, first, last)
    connection.execute(delete(tables.content).where(tables.content.c.seq.between(first, last)))


def _erased(connection: Connection, fact: Fact) -> None:
    named = tables.erasure.c.id == fact.public["erasure"]
    connection.execute(update(tables.erasure).where(named).values(done=fact.seq))


def _marker(_connection: Connection, _fact: Fact) -> None:
    """Says what the events behind it belong to, and changes nothing itself."""


_RULES: Mapping[str, Callable[[Connection, Fact], None]] = {
    "node": _node,
    "seen": _seen,
    "use": _use,
    "status": _status,
    "hide": _hide,
    "restore": _restore,
    "expiry": _expiry,
    "edge": _edge,
    "unrelate": _unrelate,
    "curate": _marker,
    "uncurate": _marker,
    "validity": _validity,
    "part": _part,
    "blob": _blob,
    "queue": _queue,
    "revise": _revise,
    "decide": _decide,
    "adopt": _adopt,
    ERASE: _erase,
    "erased": _erased,
    **CACHE_RULES,
}


def state_digest(connection: Connection) -> str:
    """SHA-256 over all rows of the state, table by table in the order of their keys."""
    digest = hashlib.sha256()
    for table in tables.STATE:
        digest.update(table.name.encode())
        rows = connection.execute(select(table).order_by(*table.primary_key.columns))
        for row in rows:
            digest.update(canonical(list(row)).encode())
    return digest.hexdigest()
