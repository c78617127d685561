"""Where the log lies, and how a transaction begins there.

A file of SQLite, or a PostgreSQL server: for whoever reads and writes the log there is no difference. Errors of the
driver become ours, in words for people.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, inspect, select
from sqlalchemy.exc import DBAPIError

from rqa_checkpoints import tables
from rqa_checkpoints.errors import CheckpointError, FormatMismatchError, HomeNotWritableError, StoreUnavailableError
from rqa_checkpoints.postgresql import PostgresEngine, is_address
from rqa_checkpoints.sqlite import SqliteEngine

__all__ = ["Database"]


class _StoreEngine(Protocol):
    """What differs between the two."""

    engine: Engine

    @property
    def place(self) -> str:
        """Where it lies, without a password."""

    @property
    def is_passing(self) -> bool:
        """Whether it is gone when it is closed."""

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view of what was committed."""

    def writing(self) -> AbstractContextManager[Connection]:
        """The only writer, until the block ends."""

    def scrub(self) -> None:
        """Leave nothing of what was deleted."""

    def translate(self, error: DBAPIError) -> CheckpointError:
        """What the driver says, in words for people."""


class Database:
    """One place where a log lies."""

    def __init__(self, store: _StoreEngine, *, read_only: bool) -> None:
        self.read_only = read_only
        self._store = store

    @classmethod
    def open(cls, location: str | Path, *, read_only: bool = False) -> Database:
        """Open a file, `:memory:` or the URL of a PostgreSQL database; create the layout where there is none.

        A read-only opening of a place with no log is an empty log.

        Raises:
            FormatMismatchError: Another layout, or no log.
            HomeNotWritableError: It cannot be written.
            StoreUnavailableError: The server does not answer, or refuses the user.
        """
        database = cls(_store_at(str(location), read_only=read_only), read_only=read_only)
        try:
            database._check_format()
        except BaseException:
            database.close()
            raise
        return database

    @property
    def place(self) -> str:
        """Where it lies, without a password."""
        return self._store.place

    @property
    def is_shared(self) -> bool:
        """May several processes write to it side by side?"""
        return isinstance(self._store, PostgresEngine)

    def _check_format(self) -> None:
        with self._translated(), self._store.engine.connect() as connection:
            found = _format(connection)
        if found is None:
            self._create()
        elif found != tables.FORMAT:
            raise FormatMismatchError(
                f"the log at {self.place!r} has format {found!r}, this program reads {tables.FORMAT!r}",
                hint="Use the version that wrote it, or move the home aside.",
            )

    def _create(self) -> None:
        if self.read_only and isinstance(self._store, PostgresEngine):
            self._store.engine.dispose()
            self._store = SqliteEngine(":memory:", read_only=False)
        elif self.read_only and not self._store.is_passing:
            raise FormatMismatchError(f"{self.place!r} holds no log", hint="Name the home that was used before.")
        with self._translated(), self._store.writing() as connection:
            if _format(connection) is not None:
                return  # by another process, while this one waited for its turn
            if isinstance(self._store, PostgresEngine):
                self._store.check(connection)
            tables.metadata.create_all(connection)
            connection.execute(tables.meta.insert().values(name="format", value=tables.FORMAT))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of what was committed."""
        with self._translated(), self._store.reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """The only writer, until the block ends; then on disk, or, if it raised, as if nothing had been."""
        if self.read_only:
            raise HomeNotWritableError(f"{self.place!r} was opened for reading", hint="Open it without `read_only`.")
        with self._translated(), self._store.writing() as connection:
            yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self._store.translate(error) from error

    def scrub(self) -> None:
        """Write the whole database anew, so that no page of it holds what was deleted.

        Raises:
            HomeLockedError: another process reads an older state.
        """
        with self._translated():
            self._store.scrub()

    def close(self) -> None:
        """Give the connections back."""
        self._store.engine.dispose()


def _store_at(place: str, *, read_only: bool) -> _StoreEngine:
    if is_address(place):
        return PostgresEngine(place)
    if "://" in place:
        raise StoreUnavailableError(
            f"no log can lie at an address that begins with {place.partition('://')[0]!r}",
            hint="Use a path, or postgresql://USER:PASSWORD@HOST:PORT/DATABASE.",
        )
    return SqliteEngine(place, read_only=read_only)


def _format(connection: Connection) -> str | None:
    if not inspect(connection).has_table("meta"):
        return None
    return connection.execute(select(tables.meta.c.value).where(tables.meta.c.name == "format")).scalar()
