"""LangGraph's own saver for PostgreSQL, with what ours has besides: async twins, a survey, and erasure.

`PostgresSaver` is synchronous, its other half asynchronous; a home needs both over one place, so the twins run the
first in threads. Connections come from a pool that notices a restart of the server. Whatever the driver says becomes an
error of ours, without the password of the address.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Final, Self

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres import PostgresSaver
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from rqa_checkpoints.errors import StoreUnavailableError
from rqa_checkpoints.postgresql import CONNECT_SECONDS, conninfo, failure, rewrite, shown_address
from rqa_checkpoints.saver.survey import ThreadFacts, add_value

__all__ = ["PostgresThreadSaver"]

_TABLES: Final = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_WORDS: Final = (("checkpoints", "checkpoint"), ("checkpoints", "metadata"), *((name, "blob") for name in _TABLES[1:]))
"""Columns that may hold what somebody said."""

_SETUP_LOCK: Final = 0x727162
_CONNECTIONS: Final = 4

_EVERYTHING: Final = (
    "SELECT thread_id, '' AS channel, 'json' AS type, convert_to(checkpoint::text, 'UTF8') AS blob FROM checkpoints"
    " UNION ALL SELECT thread_id, '', 'json', convert_to(metadata::text, 'UTF8') FROM checkpoints"
    " UNION ALL SELECT thread_id, channel, type, blob FROM checkpoint_blobs WHERE blob IS NOT NULL"
    " UNION ALL SELECT thread_id, channel, type, blob FROM checkpoint_writes"
)


class PostgresThreadSaver(PostgresSaver):
    """Checkpoints in a PostgreSQL database, sync and async."""

    def __init__(self, pool: ConnectionPool[psycopg.Connection[DictRow]], *, address: str) -> None:
        super().__init__(pool)
        self.place = shown_address(address)
        self._address = address
        self._pool = pool

    @classmethod
    def from_location(cls, address: str) -> Self:
        """Open a database, and lay the tables of the saver out in it.

        Raises:
            StoreUnavailableError: The server does not answer, or refuses the user.
            HomeNotWritableError: The user may make no tables.
        """
        options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        options |= {"connect_timeout": CONNECT_SECONDS, "application_name": "rqa"}
        info = conninfo(address)
        try:
            with psycopg.connect(info, **options) as connection:
                _lay_out(connection)
        except psycopg.Error as error:
            raise failure(error, shown_address(address), what="checkpoints") from None
        logging.getLogger("psycopg.pool").setLevel(logging.ERROR)  # it warns of what the caller is told anyhow
        pool: ConnectionPool[psycopg.Connection[DictRow]] = ConnectionPool(
            info,
            kwargs=options,
            min_size=0,
            max_size=_CONNECTIONS,
            timeout=CONNECT_SECONDS,
            check=ConnectionPool.check_connection,
            open=True,
        )
        return cls(pool, address=address)

    def close(self) -> None:
        """Give the connections back. May be called twice."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[psycopg.Cursor[DictRow]]:
        try:
            with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor
        except (PoolTimeout, PoolClosed) as error:
            raise StoreUnavailableError(
                f"the checkpoints at {self.place!r} do not answer: {error}", hint="Is the server running?"
            ) from None
        except psycopg.Error as error:
            raise failure(error, self.place, what="checkpoints") from None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the name is LangGraph's
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """As the stock saver, but without its lock while the caller looks at what was found."""
        yield from [*super().list(config, filter=filter, before=before, limit=limit)]

    def survey_threads(self, holds: Callable[[str], bool]) -> dict[str, ThreadFacts]:
        """Say of each thread whose it is, by its state, and whether any text in it passes `holds`."""
        found: dict[str, ThreadFacts] = {}
        with self._cursor() as cursor, cursor.connection.transaction():
            for row in cursor.stream(_EVERYTHING):
                facts = found.setdefault(row["thread_id"], ThreadFacts())
                add_value(facts, row["channel"], (row["type"], bytes(row["blob"])), self.serde, holds)
        return found

    def erase_threads(self, thread_ids: Collection[str]) -> int:
        """Delete threads and write the tables anew without them; return how many rows went.

        Raises:
            HomeLockedError: A transaction that still sees them goes on.
        """
        gone = 0
        if thread_ids:
            with self._cursor() as cursor, cursor.connection.transaction():
                for table in _TABLES:
                    gone += cursor.execute(f"DELETE FROM {table} WHERE thread_id = ANY(%s)", ([*thread_ids],)).rowcount  # noqa: S608  # ours
        rewrite(self._address, _TABLES)
        return gone

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Async twin of `get_tuple`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the name is LangGraph's
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Async twin of `list`."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (item := await asyncio.to_thread(next, found, None)) is not None:
            yield item

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Async twin of `put`."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Async twin of `put_writes`."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Async twin of `delete_thread`."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Async twin of `prune`."""
        await asyncio.to_thread(self.prune, thread_ids, strategy=strategy)


def _lay_out(connection: psycopg.Connection[Any]) -> None:
    """Make the tables or bring them up to date, one process at a time, and keep words out of the statistics."""
    connection.execute("SELECT pg_advisory_lock(%s)", (_SETUP_LOCK,))
    try:
        PostgresSaver(connection).setup()
        for table, column in _WORDS:
            # What ANALYZE samples, it copies into tables of the server's own, where no erasure of ours reaches it.
            connection.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", (_SETUP_LOCK,))
