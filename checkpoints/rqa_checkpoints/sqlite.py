"""A log in a file of SQLite, or in memory.

WAL, so that others read while one writes; synchronous FULL, so that what was acknowledged survives a power cut; BEGIN
IMMEDIATE, because a transaction that starts as a reader and then writes can fail half-way.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool, StaticPool

from rqa_checkpoints.errors import (
    CheckpointError,
    FormatMismatchError,
    HomeLockedError,
    HomeNotWritableError,
    StoreUnavailableError,
)

__all__ = ["SqliteEngine"]

_BUSY_MILLISECONDS = 10_000
"""A writer waits so long for another one; a commit takes a few milliseconds, so only a stuck process gets this far."""

_MAPPED_BYTES = 1 << 28
_CACHE_KIBIBYTES = 1 << 14
"""A log of 10,000 items is about 20 MB; SQLite's own 2 MB cache would read most of it again at each recall."""

_OPTIONS: dict[str, Any] = {"hide_parameters": True}
"""What is written holds persons' words, which no error may show."""

_POOL: dict[str, Any] = {"poolclass": QueuePool, "pool_use_lifo": True, **_OPTIONS}
"""Last used first: its cache is warm, since a write through one connection empties the caches of the others."""

_SHARED_BYTES = 64 * 1024
"""What SQLite takes at least for the file through which readers and writers share memory."""


class SqliteEngine:
    """Connections to one file, or to a database in memory."""

    def __init__(self, place: str, *, read_only: bool) -> None:
        self.place = place
        self.is_passing = place == ":memory:" or (read_only and not Path(place).exists())
        self.engine = _engine(place, read_only=read_only, in_memory=self.is_passing)
        self._writing = Lock()
        # A database in memory has one connection, which one block at a time may use.
        self._reading: AbstractContextManager[Any] = self._writing if self.is_passing else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of what was committed."""
        with self._reading, self.engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The only writer, until the block ends."""
        with self._writing, self.engine.connect() as connection:
            writer = connection.execution_options(rqa_write=True)
            with writer.begin():
                yield writer

    def scrub(self) -> None:
        """Write the file anew and empty the WAL. Raises HomeLockedError while a reader keeps the WAL."""
        with self._writing:
            busy = _scrub(self.engine)
        if busy:
            raise HomeLockedError(
                f"another process reads {self.place!r}; what was erased is still in its write-ahead file",
                hint="End that process; the next start finishes the erasure.",
            )

    def translate(self, error: DBAPIError) -> CheckpointError:
        """What the driver says, in words for people."""
        return _translate(error, self.place)


def _engine(place: str, *, read_only: bool, in_memory: bool) -> Engine:
    if in_memory:
        # One connection for all threads: each further one would be another, empty database.
        connect_args = {"check_same_thread": False}
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args=connect_args, **_OPTIONS)
    elif read_only:
        engine = create_engine("sqlite://", creator=lambda: _connect_read_only(Path(place)), **_POOL)
    else:
        engine = create_engine(f"sqlite:///{place}", **_POOL)
    _manners(engine, read_only=read_only and not in_memory)
    return engine


def _scrub(engine: Engine) -> bool:
    """Vacuum and truncate; True if a reader keeps the WAL."""
    # Past SQLAlchemy, which would begin a transaction: neither statement runs in one.
    pooled = engine.raw_connection()
    try:
        pooled.cursor().execute("VACUUM")
        return bool(pooled.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
    except sqlite3.OperationalError as error:
        raise DBAPIError("VACUUM", None, error) from error
    finally:
        pooled.close()


def _connect_read_only(path: Path) -> Any:
    # WAL readers share memory through a file beside the log; where that file cannot be made, for want of rights or of
    # room, and no writer has left one, nobody can be writing either, and the log may be read as it lies.
    beside = path.with_name(path.name + "-shm")
    room = shutil.disk_usage(path.parent).free >= _SHARED_BYTES
    frozen = not beside.exists() and not (room and os.access(path.parent, os.W_OK))
    # Only who may write takes that file away again. Where none lies there yet, the log was closed in order, so that
    # closing it again has nothing to move into it.
    closed = not beside.exists() and not path.with_name(path.name + "-wal").exists()
    query = "?immutable=1" if frozen else "?mode=rw" if closed else "?mode=ro"
    return sqlite3.connect(path.absolute().as_uri() + query, uri=True, check_same_thread=False)


def _manners(engine: Engine, *, read_only: bool) -> None:
    pragmas = [f"busy_timeout={_BUSY_MILLISECONDS}", "secure_delete=ON", f"mmap_size={_MAPPED_BYTES}"]
    pragmas.append(f"cache_size=-{_CACHE_KIBIBYTES}")
    pragmas += ["query_only=ON"] if read_only else ["journal_mode=WAL", "synchronous=FULL"]

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # The driver must not begin transactions by itself: it would begin them as a reader.
        connection.isolation_level = None
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("rqa_write", False):
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:  # takes no lock and touches no file, so it cannot fail; past SQLAlchemy it takes a tenth of the time
            connection.connection.cursor().execute("BEGIN")


def _translate(error: DBAPIError, place: str) -> CheckpointError:
    words = str(error.orig).lower()
    if "locked" in words or "busy" in words:
        return HomeLockedError(f"another process writes to {place!r}", hint="Wait for it, or end it, and try again.")
    if any(sign in words for sign in ("readonly", "read-only", "unable to open", "disk is full", "disk i/o")):
        return HomeNotWritableError(f"{place!r} cannot be written: {error.orig}", hint="Free space or fix its rights.")
    if "not a database" in words or "malformed" in words:
        return FormatMismatchError(f"{place!r} is no log: {error.orig}", hint="Move it aside, or restore a backup.")
    if isinstance(error, OperationalError):
        return StoreUnavailableError(
            f"the log at {place!r} cannot be used: {error.orig}", hint="`rqa doctor` says what else is wrong there."
        )
    return CheckpointError(f"the store at {place!r} refused a request: {error.orig}", hint="Run `rqa log verify`.")
