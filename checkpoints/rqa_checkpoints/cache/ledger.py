"""How is an event signed, and does a signed event still say what was signed?

The ledger is the event log itself: its events about the cache carry an Ed25519 signature over everything that they say
and over the hash before them, so that a place in the chain is signed too. Who rewrites the log and all its hashes still
cannot sign.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, select

from rqa_checkpoints import tables
from rqa_checkpoints.cache.records import CACHE_USER, Entry
from rqa_checkpoints.cache.rows import CACHE_RULES, KEY
from rqa_checkpoints.cache.signing import KeyRing, PublicKeys
from rqa_checkpoints.chain import Event, event_hash, private_hash
from rqa_checkpoints.log import EventLog, Writer, event_from_row
from rqa_checkpoints.records import Scope

__all__ = ["SIGNATURE", "Ledger", "LedgerFault", "is_signed", "statement_of"]

_KEPT: Final = 1024
"""Entries of which a proof is kept, a few kilobytes each."""
SIGNATURE: Final = "sig"
"""Public field of an event that holds the name of the key and the signature over all else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFault:
    """Something in the ledger, or in a row beside it, that does not hold."""

    seq: int
    """Of the event; 0 where a row has none."""
    entry: str
    what: str
    """Name of the check that failed."""


def statement_of(event: Event) -> dict[str, Any]:
    """What is signed of an event: all that it says but its own hash, which follows from it."""
    return _statement_of(event, event.public())


def _statement_of(event: Event, public: Mapping[str, Any]) -> dict[str, Any]:
    body = {name: value for name, value in public.items() if name != SIGNATURE}
    return _statement(
        at=event.at, op=event.op, tenant=event.tenant, user=event.user, seq=event.seq, prev=event.prev, body=body
    )


def _statement(**fields: Any) -> dict[str, Any]:
    return fields


def is_signed(event: Event, keys: PublicKeys) -> str:
    """What is wrong with an event, its hash, its words or its signature; "" if it is as it was signed."""
    try:
        if event.hash != event_hash(event):
            return "hash"
        if event.private_hash and (event.private is None or event.salt is None):
            return "erased"
        words = event.private is not None and event.salt is not None
        if words and event.private_hash != private_hash(event.salt or b"", event.private or b""):
            return "words"
        public = event.public()
        signature = public.get(SIGNATURE) or {}
        signed = keys.holds(
            _statement_of(event, public), key=str(signature.get("key", "")), signature=str(signature.get("value", ""))
        )
    except (ValueError, TypeError, AttributeError):  # columns changed by hand hold anything
        return "unreadable"
    return "" if signed else "signature"


class KeptProofs:
    """Entries by the row and the events that proved them; the least recently used goes first. Any thread may use it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Entry] = OrderedDict()
        self._lock = Lock()

    def get(self, same: Hashable) -> Entry | None:
        """The entry that exactly this proved; None for what was not proven before, and for what cannot be hashed."""
        with self._lock:
            try:
                self._kept.move_to_end(same)
                return self._kept[same]
            except (KeyError, TypeError):
                return None

    def put(self, same: Hashable, entry: Entry) -> None:
        """Keep what was proven."""
        with self._lock:
            self._kept[same] = entry
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


class Ledger:
    """The signed part of one log."""

    def __init__(self, log: EventLog, ring: KeyRing) -> None:
        self.log = log
        self.ring = ring
        self.kept_proofs = KeptProofs()

    def append(
        self, writer: Writer, op: str, tenant: str, public: Mapping[str, Any], private: Mapping[str, Any] | None = None
    ) -> int:
        """Sign an event and append it inside the transaction; return its number."""
        head = writer.head
        statement = _statement(
            at=writer.at,
            op=op,
            tenant=tenant,
            user=CACHE_USER,
            seq=head.seq + 1,
            prev=head.hash,
            body=dict(public),
        )
        signed = {**public, SIGNATURE: self.ring.sign(statement)}
        return writer.append(op, Scope(tenant, CACHE_USER), signed, private)

    def rotate(self, *, tenant: str, by: str) -> str:
        """Begin a new key, for which the old one signs; return its name. The file changes after the log."""
        successor = self.ring.successor()
        with self.log.writing() as writer:
            public = {"key": successor.current, "public": successor.public.hex(), "previous": self.ring.current}
            self.append(writer, KEY, tenant, {**public, "by": by})
        successor.save()
        self.ring = successor
        return successor.current

    def about(self, view: Connection, tenant: str, entry: str) -> list[Event]:
        """The events about an entry, oldest first."""
        return _rows(view.execute(_ABOUT, {"tenant": tenant, "entry": entry}))

    def signed(self, view: Connection, *, after: int = 0) -> list[Event]:
        """Every event of the ledger after a number, oldest first."""
        return _events(view, tables.event.c.op.in_(sorted(CACHE_RULES)), tables.event.c.seq > after)


def _events(view: Connection, *where: Any) -> list[Event]:
    return _rows(view.execute(_selected(*where)))


def _rows(found: Iterable[Any]) -> list[Event]:
    return [event_from_row(row) for row in found]


def _selected(*where: Any) -> Select[Any]:
    event, content = tables.event, tables.content
    joined = event.outerjoin(content, content.c.seq == event.c.seq)
    return select(*event.c, content.c.salt, content.c.private).select_from(joined).where(*where).order_by(event.c.seq)


_NAMED: Final = tables.cache_event.c
_ABOUT: Final = _selected(
    tables.event.c.seq.in_(
        select(_NAMED.seq).where(_NAMED.tenant == bindparam("tenant"), _NAMED.entry == bindparam("entry"))
    )
)
"""Built once: a look-up runs it several times."""
