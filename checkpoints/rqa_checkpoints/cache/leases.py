"""Which of several processes deliberates on a question that all of them were asked?

Where a log lies on a server, a lease in its database is what a flight is in one process: the first who takes it leads,
for a time; whoever comes after it is over takes it over and gets a higher token. A leader that was too slow cannot
write any more: its token is looked at inside the transaction that would attest its answer (Kleppmann 2016, "How to do
distributed locking", calls that a fencing token). Times are those of the log's clock.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from threading import Lock

from sqlalchemy import BigInteger, Column, Connection, MetaData, String, Table, Text, insert, select, update

from rqa_checkpoints.log import EventLog

__all__ = ["Leases"]

_METADATA = MetaData()
_LEASE = Table(
    "cache_lease",
    _METADATA,
    Column("key", Text, primary_key=True),
    Column("token", BigInteger, nullable=False),
    Column("until", String(40), nullable=False),
)
"""Beside the log and no part of it: nothing follows from a lease that is over."""


class Leases:
    """The leases of one log, and those of them that this process holds."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._held: dict[str, int] = {}
        self._lock = Lock()
        self._is_made = False

    def take(self, key: str, *, seconds: float) -> int | None:
        """Take the lease of a question, for so long; return its token, or None while another process holds it."""
        if self._is_held(key):
            return None
        with self._log.writing() as writer:
            if not self._is_made:
                _METADATA.create_all(writer.connection)
                self._is_made = True
            row = writer.connection.execute(select(_LEASE).where(_LEASE.c.key == key)).mappings().first()
            if row is not None and row["until"] > writer.at:
                return None
            until = datetime.fromisoformat(writer.at) + timedelta(seconds=seconds)
            values = {"token": row["token"] + 1 if row else 1, "until": until.isoformat(timespec="milliseconds")}
            if row is None:
                writer.connection.execute(insert(_LEASE).values(key=key, **values))
            else:
                writer.connection.execute(update(_LEASE).where(_LEASE.c.key == key).values(**values))
        token = int(values["token"])
        with self._lock:
            self._held[key] = token
        return token

    def _is_held(self, key: str) -> bool:
        """Does somebody lead now? Who waits only reads: writers of the log do not wait for those who ask."""
        if not self._is_made:
            return False
        with self._log.reading() as view:
            until = view.execute(select(_LEASE.c.until).where(_LEASE.c.key == key)).scalar()
        return until is not None and until > self._log.now()

    def give_back(self, key: str, token: int) -> None:
        """End a lease before its time; one that was taken over meanwhile is the other's."""
        with self._lock:
            if self._held.get(key) == token:
                del self._held[key]
        with self._log.writing() as writer:
            mine = (_LEASE.c.key == key) & (_LEASE.c.token == token)
            writer.connection.execute(update(_LEASE).where(mine).values(until=writer.at))

    def may_write(self, connection: Connection, key: str) -> bool:
        """Inside a transaction: has nobody taken over what this process leads? True where it leads nothing there."""
        with self._lock:
            token = self._held.get(key)
        if token is None:
            return True
        return connection.execute(select(_LEASE.c.token).where(_LEASE.c.key == key)).scalar() == token
