"""A log on a PostgreSQL server, which several processes may share.

One advisory lock a transaction makes the appender the only one, as BEGIN IMMEDIATE does in a file; a view is a
snapshot (REPEATABLE READ); commits are synchronous even where the server's default is not. An address may hold a
password, so what is shown of it, here and in every error, is its host, port and database alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from rqa_checkpoints import tables
from rqa_checkpoints.errors import (
    CheckpointError,
    FormatMismatchError,
    HomeLockedError,
    HomeNotWritableError,
    StoreUnavailableError,
)

__all__ = ["CONNECT_SECONDS", "PostgresEngine", "conninfo", "failure", "is_address", "rewrite", "shown_address"]

_SCHEMES: Final = ("postgres://", "postgresql://", "postgresql+psycopg://")

_APPENDER_LOCK: Final = 0x727161
"""Key of the advisory lock of the single appender."""

_BUSY_MILLISECONDS = 10_000
"""A writer waits so long for one of another process, and an erasure for those who still see what was erased."""

_VANISHED_SECONDS: Final = 60
"""A writer that says nothing for so long in the midst of a transaction, because its machine is gone, loses the lock."""

_SERVER_LOST: Final = ("08", "57", "53")
"""Classes of codes: connection exception, operator intervention, insufficient resources."""
_DRIVER_LOST: Final = frozenset({"OperationalError", "InterfaceError"})
"""Errors of the driver that have no code: nothing came back from a server. Named, since the driver is an extra."""

CONNECT_SECONDS: Final = 10
"""A server that does not answer for so long is away."""
_POLL_SECONDS: Final = 0.05

_LOCKED: Final = frozenset({"55P03", "40P01", "40001"})
_NOT_WRITABLE: Final = frozenset({"25006", "42501", "53100"})
_OTHER_LAYOUT: Final = frozenset({"42703", "42P01", "42883"})
"""Codes of PostgreSQL (appendix A of its manual): lock not available, deadlock, serialization failure; read-only
transaction, insufficient privilege, disk full; undefined column, table and operator."""


def is_address(place: str) -> bool:
    """Whether a place is one of these, by its scheme."""
    return place.startswith(_SCHEMES)


def shown_address(place: str) -> str:
    """The address as it may be shown: without user, password and options."""
    try:
        return _shown(make_url(place))
    except (ArgumentError, ValueError):
        return f"{place.partition('://')[0]}://..."


def _shown(url: URL) -> str:
    # A host with an @ is the rest of a password that was not written with %40.
    host = "..." if "@" in (url.host or "") else url.host or "localhost"
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{host}{port}/{url.database or ''}"


def conninfo(place: str) -> str:
    """The address as the driver itself takes it. Raises StoreUnavailableError for what is no address."""
    return _parsed(place).set(drivername="postgresql").render_as_string(hide_password=False)


def _parsed(place: str) -> URL:
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        url = None
    if url is None or "@" in (url.host or ""):
        raise StoreUnavailableError(
            f"{shown_address(place)!r} is no address of a database that can be read",
            hint="Write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with %40, %2F and %3A for @, / and : in it.",
        ) from None
    return url.set(drivername="postgresql+psycopg")


class PostgresEngine:
    """Connections to one database."""

    is_passing = False
    """What is written stays when the process ends."""

    def __init__(self, place: str) -> None:
        url = _parsed(place)
        self.place = _shown(url)
        self.engine = _engine(url)
        # Threads of this process stand in line here: in the server's line a long one would count as a stuck process.
        self._writing = Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of what was committed."""
        with self.engine.connect() as connection:
            view = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            with view.begin():
                yield view

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The only writer of all processes, until the block ends.

        READ COMMITTED: a snapshot taken by the statement that waits for the lock would be older than the lock.
        """
        with self._writing, self.engine.connect() as connection, connection.begin():
            connection.exec_driver_sql(
                "SELECT set_config('idle_in_transaction_session_timeout', %s, true),"
                " CASE WHEN current_setting('synchronous_commit') = 'off'"
                " THEN set_config('synchronous_commit', 'on', true) END",
                (f"{_VANISHED_SECONDS}s",),
            )
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (_APPENDER_LOCK,))
            yield connection

    def check(self, connection: Connection) -> None:
        """Refuse a database that would not keep every text as it is, or that holds somebody else's tables.

        Raises:
            FormatMismatchError: says which of these.
        """
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
        if encoding != "UTF8":
            raise FormatMismatchError(
                f"the database at {self.place!r} stores text as {encoding}",
                hint="Make one with ENCODING 'UTF8' TEMPLATE template0.",
            )
        found = self.engine.dialect.get_table_names(connection)
        if foreign := sorted(set(found) & set(tables.metadata.tables)):
            raise FormatMismatchError(
                f"the database at {self.place!r} has a table {foreign[0]!r} that is not ours",
                hint="Give the log a database of its own.",
            )

    def scrub(self) -> None:
        """Write the tables anew; see `rewrite`. Raises HomeLockedError."""
        with self._writing:
            _rewrite(self.engine, self.place, [*tables.metadata.tables])

    def translate(self, error: DBAPIError) -> CheckpointError:
        """What the server says, in words for people."""
        return failure(error.orig or error, self.place, what="log")


def rewrite(place: str, names: Sequence[str]) -> None:
    """Write tables anew, so that no page of them holds what was deleted.

    Rows that somebody can still see are carried over, so this waits until nobody has a snapshot from before. What the
    server keeps elsewhere (write-ahead log, archives, standbys, statement log) is not in our reach.

    Raises:
        HomeLockedError: A transaction that began before the deletion goes on.
        StoreUnavailableError: The server does not answer.
    """
    url = _parsed(place)
    engine = _engine(url)
    try:
        _rewrite(engine, _shown(url), names)
    except DBAPIError as error:
        raise failure(error.orig or error, _shown(url), what="tables") from None
    finally:
        engine.dispose()


def _rewrite(engine: Engine, place: str, names: Sequence[str]) -> None:
    options = {"isolation_level": "AUTOCOMMIT"}
    with engine.connect().execution_options(**options) as connection:
        connection.exec_driver_sql("SELECT pg_advisory_lock(%s)", (_APPENDER_LOCK,))
        try:
            _wait_for_readers(connection, place)
            quoted = ", ".join(f'"{name}"' for name in names)
            connection.exec_driver_sql(f"VACUUM (FULL) {quoted}")
        finally:
            connection.exec_driver_sql("SELECT pg_advisory_unlock(%s)", (_APPENDER_LOCK,))


def _wait_for_readers(connection: Connection, place: str) -> None:
    newest = connection.exec_driver_sql("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").scalar_one()
    older = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        " AND GREATEST(age(backend_xmin), age(backend_xid)) > age(%s::xid8::xid)"
    )
    end = time.monotonic() + _BUSY_MILLISECONDS / 1000
    while connection.exec_driver_sql(older, (newest,)).scalar_one():
        if time.monotonic() > end:
            raise HomeLockedError(
                f"another process reads the database at {place!r}; what was erased is still in its tables",
                hint="End that process; the next start finishes the erasure.",
            )
        time.sleep(_POLL_SECONDS)


def failure(error: BaseException, place: str, *, what: str) -> CheckpointError:
    """An error of the driver in words for people. `what` lies at the place."""
    code = getattr(error, "sqlstate", None) or ""
    said = " ".join(str(error).split())
    if code in _LOCKED:
        return HomeLockedError(
            f"another process writes to the {what} at {place!r}", hint="Wait for it, or end it, and try again."
        )
    if code in _NOT_WRITABLE:
        return HomeNotWritableError(
            f"the {what} at {place!r} cannot be written: {said}",
            hint="Use a user that owns the database, or make room on the server.",
        )
    if code in _OTHER_LAYOUT:
        return FormatMismatchError(
            f"the database at {place!r} holds no {what} of ours: {said}", hint="Give it a database of its own."
        )
    if "password" in said or code.startswith("28"):
        return StoreUnavailableError(
            f"the server at {place!r} refuses the user or the password: {said}",
            hint="Check both in the address, or in PGUSER and PGPASSWORD.",
        )
    unsaid = not code and not _DRIVER_LOST.isdisjoint(kind.__name__ for kind in type(error).__mro__)
    if unsaid or code.startswith(_SERVER_LOST):
        return StoreUnavailableError(
            f"the {what} at {place!r} does not answer: {said}", hint="Is the server running, and the name right?"
        )
    return CheckpointError(f"the {what} at {place!r} refused a request: {said}", hint="Run `rqa log verify`.")


def _engine(url: URL) -> Engine:
    arguments: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, "application_name": "rqa"}
    try:
        # Parameters are persons' words, which no error may show; a connection that a restart of the server cut is
        # noticed before it is used.
        engine = create_engine(url, connect_args=arguments, pool_pre_ping=True, hide_parameters=True)
    except ModuleNotFoundError as error:
        raise StoreUnavailableError(
            f"a log at {_shown(url)!r} needs an extra that is not installed", hint="pip install 'rqa-graph[postgres]'"
        ) from error

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: object) -> None:
        connection.execute(f"SET lock_timeout = {int(_BUSY_MILLISECONDS)}")
        connection.commit()

    return engine
