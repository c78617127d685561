"""What happened, in order, and can it be trusted?

Append-only and hash-chained, one chain a store: the truth of which index, graph and counts are derived. Everything
that one call writes is one transaction, on disk when the call returns. The words lie in a side table that can be
cleared without breaking the chain.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from rqa_checkpoints import queries, tables
from rqa_checkpoints.chain import START, Event, Head, canonical, event_hash, first_broken, private_hash
from rqa_checkpoints.database import Database
from rqa_checkpoints.facts import Fact
from rqa_checkpoints.provenance import MemoryNode, Scope
from rqa_checkpoints.state import apply, node_fields, state_digest
from rqa_checkpoints.trail import Change

__all__ = ["EventLog", "Writer", "event_from_row", "head_of"]

_PAGE = 1000
"""Events read at once while the chain is walked: bounds the memory, whatever the length of the log."""

_BYTES = frozenset({"salt", "private"})
_PUT_EVENT = insert(tables.event)
_PUT_CONTENT = insert(tables.content)
_HEAD = select(tables.meta.c.value).where(tables.meta.c.name == "head")
_MOVE_HEAD = update(tables.meta).where(tables.meta.c.name == "head")


class Writer:
    """One transaction that appends: each event is chained, stored and applied at once."""

    def __init__(self, connection: Connection, *, at: str, seed: str) -> None:
        self.connection = connection
        self._at = at
        self._seed = seed
        self._head = head_of(connection)
        self._events: list[dict[str, Any]] = []

    @property
    def at(self) -> str:
        """When this transaction was begun, ISO 8601, UTC."""
        return self._at

    @property
    def head(self) -> Head:
        """Where the chain ends now, inside the transaction: the next event follows this one."""
        return self._head

    def append(self, op: str, scope: Scope, public: Mapping[str, Any], private: Mapping[str, Any] | None = None) -> int:
        """Append one event and return its number. `private` holds the words, `public` never does."""
        words = None if private is None else canonical(private).encode("ascii")
        seq = self._head.seq + 1
        salt = None if words is None else hashlib.sha256(f"{self._seed}:{seq}".encode()).digest()[:16]
        draft = Event(
            seq=seq,
            at=self._at,
            op=op,
            tenant=scope.tenant,
            user=scope.user,
            body=canonical(public),
            private_hash="" if words is None or salt is None else private_hash(salt, words),
            prev=self._head.hash,
            hash="",
        )
        digest = event_hash(draft)
        names = ("seq", "at", "op", "tenant", "user", "body", "private_hash", "prev")
        self._events.append({**{name: getattr(draft, name) for name in names}, "hash": digest})
        if words is not None:
            # At once, unlike the event: the items are read together with their words inside the transaction.
            self.connection.execute(_PUT_CONTENT, {"seq": seq, "salt": salt, "private": words})
        apply(self.connection, Fact(seq=seq, op=op, scope=scope, public=public, private=private or {}))
        self._head = Head(seq, digest)
        return seq

    def add_node(self, node: MemoryNode, extra: Mapping[str, Any] | None = None) -> int:
        """Append the birth of an item."""
        public, private = node_fields(node, extra or {})
        return self.append("node", node.scope, public, private)

    def seal(self) -> None:
        """Store the events and where the chain ends now; the last thing in the transaction."""
        if self._events:
            self.connection.execute(_PUT_EVENT, self._events)
            value = f"{self._head.seq}:{self._head.hash}"
            changed = self.connection.execute(_MOVE_HEAD, {"value": value})
            if changed.rowcount == 0:
                self.connection.execute(insert(tables.meta), {"name": "head", "value": value})


class EventLog:
    """The log of one store."""

    def __init__(self, database: Database, *, clock: Callable[[], datetime], ids: Callable[[], str]) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids

    @classmethod
    def open(
        cls,
        location: str | Path,
        *,
        clock: Callable[[], datetime],
        ids: Callable[[], str],
        read_only: bool = False,
    ) -> EventLog:
        """Open the log at a path, at a database URL, or in `:memory:`; made where there is none.

        `ids` must give unguessable ids: the salts are made from them. Errors as in `Database.open`.
        """
        return cls(Database.open(location, read_only=read_only), clock=clock, ids=ids)

    @property
    def place(self) -> str:
        """Where it lies."""
        return self._database.place

    @property
    def is_shared(self) -> bool:
        """May several processes write to it side by side?"""
        return self._database.is_shared

    @property
    def read_only(self) -> bool:
        """Whether it was opened for reading."""
        return self._database.read_only

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view, for the functions of `queries`."""
        with self._database.reading() as connection:
            yield connection

    def now(self) -> str:
        """The time of its clock as it is written: ISO 8601, UTC, milliseconds; later times sort behind it."""
        return self._clock().astimezone(UTC).isoformat(timespec="milliseconds")

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """One transaction; nothing of it remains if the block raises."""
        with self._database.writing() as connection:
            at = self.now()
            writer = Writer(connection, at=at, seed=self._ids())
            yield writer
            writer.seal()

    def changes_after(self, seq: int, *, limit: int, scope: Scope | None = None) -> Sequence[Change]:
        """Items changed after an event, in the order of their last change; a forgotten one is a drop."""
        with self.reading() as view:
            rows = queries.changed_after(view, seq, limit=limit, scope=scope)
        return [Change(seq=at, op="drop" if node.hidden else "put", node=node) for at, node in rows]

    def last_seq(self) -> int:
        """Number of the last event that changed an item; 0 for none."""
        with self.reading() as view:
            return queries.last_change(view)

    def head(self) -> Head:
        """Where the chain ends."""
        with self.reading() as view:
            return head_of(view)

    def events(self, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Events after a number, oldest first."""
        with self.reading() as view:
            return [event_from_row(row) for row in view.execute(_after(after).limit(limit))]

    def verify_chain(self) -> int | None:
        """The number of the first event that is not as it was written; None when the chain holds."""
        with self.reading() as view:
            return first_broken(_walk(view), head_of(view))

    def verify_after(self, known: Head) -> tuple[Head, bool]:
        """Check what was appended after a head that was checked before.

        Returns:
            Where the checked part ends now, and whether all of it holds; the old head where it does not.
        """
        with self.reading() as view:
            head = head_of(view)
            intact = first_broken(_walk(view, known.seq), head, start=known) is None
        return (head, True) if intact else (known, False)

    def state_hash(self) -> str:
        """Hash of everything that the events add up to; equal logs give equal hashes."""
        with self.reading() as view:
            return state_digest(view)

    def replayed_hash(self) -> str:
        """The state hash of a state built anew from the events alone."""
        fresh = Database.open(":memory:")
        try:
            with self.reading() as view, fresh.writing() as target:
                for event in _walk(view):
                    scope = Scope(event.tenant, event.user)
                    fact = Fact(seq=event.seq, op=event.op, scope=scope, public=event.public(), private=event.secret())
                    apply(target, fact)
                return state_digest(target)
        finally:
            fresh.close()

    def scrub(self) -> None:
        """Leave nothing of what was erased in the files; see `Database.scrub`."""
        self._database.scrub()

    def close(self) -> None:
        """Give the files back."""
        self._database.close()


def _after(seq: int) -> Select[Any]:
    joined = tables.event.outerjoin(tables.content, tables.content.c.seq == tables.event.c.seq)
    columns = [*tables.event.c, tables.content.c.salt, tables.content.c.private]
    return select(*columns).select_from(joined).where(tables.event.c.seq > seq).order_by(tables.event.c.seq)


def event_from_row(row: Row[Any]) -> Event:
    """An event as it lies in the database, with its words."""
    # SQLite stores what it is given: a value changed by hand may be text where bytes belong, and must reach the check.
    fields: dict[str, Any] = {
        name: value.encode() if name in _BYTES and isinstance(value, str) else value
        for name, value in row._mapping.items()
    }
    return Event(**fields)


def _walk(view: Connection, after: int = 0) -> Iterator[Event]:
    while rows := view.execute(_after(after).limit(_PAGE)).all():
        for row in rows:
            yield event_from_row(row)
        after = rows[-1].seq


def head_of(view: Connection) -> Head:
    """Where the chain ends in a view: all that the view can show follows from it."""
    stored = view.execute(_HEAD).scalar()
    if stored is None:
        return START
    seq, _, digest = stored.partition(":")
    return Head(int(seq), digest)
