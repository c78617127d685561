"""Where the log lies, and how a transaction begins there.

SQLite: WAL, so that others read while one writes; synchronous FULL, so that what was acknowledged survives a power
cut; BEGIN IMMEDIATE, because a transaction that starts as a reader and then writes can fail half-way. PostgreSQL: one
advisory lock a transaction does the same. Errors of the driver become ours, in words for people.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool, StaticPool

from rqa_checkpoints import tables
from rqa_checkpoints.errors import (
    CheckpointError,
    FormatMismatchError,
    HomeLockedError,
    HomeNotWritableError,
    StoreUnavailableError,
)

__all__ = ["Database"]

_BUSY_MILLISECONDS = 10_000
"""A writer waits so long for another one; a commit takes a few milliseconds, so only a stuck process gets this far."""

_MAPPED_BYTES = 1 << 28
_CACHE_KIBIBYTES = 1 << 14
"""A log of 10,000 items is about 20 MB; SQLite's own 2 MB cache would read most of it again at each recall."""

_POOL: dict[str, Any] = {"poolclass": QueuePool, "pool_use_lifo": True}
"""Last used first: its cache is warm, since a write through one connection empties the caches of the others."""

_SHARED_BYTES = 64 * 1024
"""What SQLite takes at least for the file through which readers and writers share memory."""

_APPENDER_LOCK = 0x727161
"""Key of the advisory lock of the single appender on PostgreSQL."""


class Database:
    """One place where a log lies."""

    def __init__(self, engine: Engine, *, place: str, read_only: bool) -> None:
        self.place = place
        self.read_only = read_only
        self._engine = engine
        self._writing = Lock()
        # A database in memory has one connection, which one block at a time may use.
        self._reading = self._writing if isinstance(engine.pool, StaticPool) else nullcontext()

    @classmethod
    def open(cls, location: str | Path, *, read_only: bool = False) -> Database:
        """Open a file, `:memory:` or a database URL; create the layout where there is none.

        A read-only opening of a place with no log is an empty log. Raises FormatMismatchError for another layout,
        HomeNotWritableError, StoreUnavailableError.
        """
        place = str(location)
        engine = _engine(place, read_only=read_only)
        database = cls(engine, place=place, read_only=read_only)
        try:
            database._check_format()
        except BaseException:
            engine.dispose()
            raise
        return database

    def _check_format(self) -> None:
        with self._translated(), self._engine.connect() as connection:
            found = _format(connection)
        if found is None:
            if self.read_only and self._engine.url.database not in {None, "", ":memory:"}:
                raise FormatMismatchError(f"{self.place!r} holds no log", hint="Name the home that was used before.")
            with self._translated(), self._begin() as connection:
                tables.metadata.create_all(connection)
                if _format(connection) is None:
                    connection.execute(tables.meta.insert().values(name="format", value=tables.FORMAT))
        elif found != tables.FORMAT:
            raise FormatMismatchError(
                f"the log at {self.place!r} has format {found!r}, this program reads {tables.FORMAT!r}",
                hint="Use the version that wrote it, or move the home aside.",
            )

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of what was committed."""
        with self._reading, self._translated(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The only writer, until the block ends; then on disk, or, if it raised, as if nothing had been."""
        if self.read_only:
            raise HomeNotWritableError(f"{self.place!r} was opened for reading", hint="Open it without `read_only`.")
        with self._writing, self._translated(), self._begin() as connection:
            yield connection

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            writer = connection.execution_options(rqa_write=True)
            with writer.begin():
                if writer.dialect.name == "postgresql":
                    writer.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _APPENDER_LOCK})
                yield writer

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise _translate(error, self.place) from error

    def scrub(self) -> None:
        """Write the whole database anew, so that no page of it holds what was deleted, and empty the WAL.

        Raises:
            HomeLockedError: another process reads an older state, so that the WAL cannot be emptied.
        """
        with self._writing, self._translated():
            if self._engine.dialect.name == "postgresql":
                with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                    connection.exec_driver_sql("VACUUM FULL")
                return
            busy = _scrub_sqlite(self._engine)
        if busy:
            raise HomeLockedError(
                f"another process reads {self.place!r}; what was erased is still in its write-ahead file",
                hint="End that process; the next start finishes the erasure.",
            )

    def close(self) -> None:
        """Give the connections back; the last one folds the WAL into the file."""
        self._engine.dispose()


def _format(connection: Connection) -> str | None:
    if not inspect(connection).has_table("meta"):
        return None
    return connection.execute(select(tables.meta.c.value).where(tables.meta.c.name == "format")).scalar()


def _engine(place: str, *, read_only: bool) -> Engine:
    if "://" in place:
        engine = create_engine(place, pool_pre_ping=not place.startswith("sqlite"))
    elif place == ":memory:" or (read_only and not Path(place).exists()):
        # One connection for all threads: each further one would be another, empty database.
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    elif read_only:
        engine = create_engine("sqlite://", creator=lambda: _connect_read_only(Path(place)), **_POOL)
    else:
        engine = create_engine(f"sqlite:///{place}", **_POOL)
    if engine.dialect.name == "sqlite":
        _sqlite_manners(engine, read_only=read_only)
    return engine


def _scrub_sqlite(engine: Engine) -> bool:
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
    query = "?immutable=1" if frozen else "?mode=ro"
    return sqlite3.connect(path.absolute().as_uri() + query, uri=True, check_same_thread=False)


def _sqlite_manners(engine: Engine, *, read_only: bool) -> None:
    pragmas = [f"busy_timeout={_BUSY_MILLISECONDS}", "secure_delete=ON", f"mmap_size={_MAPPED_BYTES}"]
    pragmas.append(f"cache_size=-{_CACHE_KIBIBYTES}")
    if not read_only:
        pragmas += ["journal_mode=WAL", "synchronous=FULL"]

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        # The driver must not begin transactions by itself: it would begin them as a reader.
        connection.isolation_level = None
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("rqa_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def _translate(error: DBAPIError, place: str) -> CheckpointError:
    words = str(error.orig).lower()
    if "locked" in words or "busy" in words:
        return HomeLockedError(f"another process writes to {place!r}", hint="Wait for it, or end it, and try again.")
    if any(sign in words for sign in ("readonly", "read-only", "unable to open", "disk is full", "disk i/o")):
        return HomeNotWritableError(f"{place!r} cannot be written: {error.orig}", hint="Free space or fix its rights.")
    if "not a database" in words or "malformed" in words:
        return FormatMismatchError(f"{place!r} is no log: {error.orig}", hint="Move it aside, or restore a backup.")
    if isinstance(error, OperationalError):
        return StoreUnavailableError(f"the store at {place!r} does not answer: {error.orig}", hint="Is it running?")
    return CheckpointError(f"the store at {place!r} refused a request: {error.orig}", hint="Run `rqa log verify`.")
