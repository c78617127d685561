"""Which checkpointer keeps a graph's threads in Qdrant?

`QdrantSaver` is the face that LangGraph sees: it reads configs, hands over to one core, and has each operation twice.
The async form runs the sync one in a worker thread, so that neither the engine's files nor the lock ever stop an
event loop: the development server kills a run that blocks its loop. Channel versions are strings of the width that the
LangGraph server writes, so a thread may go back and forth between the server and the command line.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.saver.core import CheckpointCore
from rqa_checkpoints.saver.engines import open_points
from rqa_checkpoints.saver.records import Place
from rqa_checkpoints.saver.survey import ThreadFacts, survey

__all__ = ["QdrantSaver"]

_CHUNK = 32
"""Checkpoints that `list` loads at a time."""

_STRATEGIES = ("keep_latest", "delete", "delete_all")
"""LangGraph's docstring says `delete`, its server says `delete_all`: the same thing."""


class QdrantSaver(BaseCheckpointSaver[str]):
    """LangGraph checkpoints in Qdrant: embedded in a folder, or in a collection on a server.

    Make one with `from_location`, and use it as a context manager (`with` or `async with`), or call `close` yourself.
    Every method may be called from any thread. Several processes may share a server, one thread of conversation at a
    time each; a folder belongs to one process.

    Example:
        with QdrantSaver.from_location("~/.rqa/checkpoints") as saver:
            graph = builder.compile(checkpointer=saver)
    """

    def __init__(self, core: CheckpointCore, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(serde=serde)
        self._core = core

    @classmethod
    def from_location(
        cls,
        location: str,
        *,
        serde: SerializerProtocol | None = None,
        collection: str = "rqa_checkpoints",
        api_key: str | None = None,
    ) -> Self:
        """Make a saver; it opens on entering, or at the first use.

        Args:
            location: A folder (Qdrant Edge, in process), an http(s) URL of a server, or ":memory:".
            serde: How values become bytes; msgpack by default. With an `EncryptedSerializer` the ids of threads, runs,
                tasks and channels stay readable, and all values and metadata are encrypted.
            collection: Its name on a server.
            api_key: For a server.

        Raises (on opening):
            HomeLockedError: another process holds the folder.
            HomeNotWritableError: the folder cannot be made or written.
            StoreUnavailableError: the server does not answer.
            FormatMismatchError: stored by another layout version.
        """
        return cls(
            CheckpointCore(lambda: open_points(location, collection=collection, api_key=api_key)),
            serde=serde,
        )

    def close(self) -> None:
        """Close the store. Closing twice is nothing; afterwards every use is an error until it is entered again."""
        self._core.close()

    def __enter__(self) -> Self:
        self._core.enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._core.leave()

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._core.enter)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self._core.leave)

    def get_next_version(self, current: str | int | None, channel: None) -> str:  # noqa: ARG002 - deprecated by LangGraph, still passed
        """Return the next version of a channel: the number before the point, plus one."""
        number = int(str(current).split(".")[0]) if current is not None else 0
        return f"{number + 1:032}.0000000000000000"

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the config names, or the newest of its thread and namespace."""
        return self._core.get(Place.of(config), get_checkpoint_id(config), self.serde)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - the name is LangGraph's
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first.

        Args:
            config: Thread, and if it names them namespace and checkpoint; None for all threads.
            filter: Metadata that must be equal, key by key.
            before: Only those older than the checkpoint that this config names.
            limit: At most so many; None for all.
        """
        wanted = self._candidates(config, before)
        left = len(wanted) if limit is None else limit
        size = _CHUNK if filter else min(_CHUNK, max(left, 1))
        for start in range(0, len(wanted), size):
            if left <= 0:
                return
            found = self._core.load(wanted[start : start + size], self.serde, filter or {})[:left]
            left -= len(found)
            yield from found

    def _candidates(self, config: RunnableConfig | None, before: RunnableConfig | None) -> Sequence[tuple[Place, str]]:
        thread = Place.of(config).thread if config else None
        wanted = self._core.candidates(thread, config["configurable"].get("checkpoint_ns") if config else None)
        if config and (only := get_checkpoint_id(config)):
            wanted = [item for item in wanted if item[1] == only]
        if before and (limit := get_checkpoint_id(before)):
            wanted = [item for item in wanted if item[1] < limit]
        return wanted

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; on return it survives a kill of the process. Return the config that names it."""
        place = Place.of(config)
        self._core.put(
            place,
            checkpoint,
            get_serializable_checkpoint_metadata(config, metadata),
            new_versions,
            parent=get_checkpoint_id(config),
            serde=self.serde,
        )
        return place.config(checkpoint["id"])

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store a task's pending writes under the checkpoint that the config names."""
        cid = get_checkpoint_id(config)
        if cid is None:
            raise CheckpointError("No `checkpoint_id` in configurable.", hint="Pass the config that `put` returned.")
        self._core.put_writes(Place.of(config), cid, writes, task=task_id, path=task_path, serde=self.serde)

    def delete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        self._core.delete_thread(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints and writes of these runs.

        Raises:
            CheckpointNeededError: a `DeltaChannel` of a later run is rebuilt from them; nothing was deleted.
        """
        self._core.delete_runs([str(run) for run in run_ids])

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes to another thread; an unknown source copies nothing."""
        self._core.copy_thread(str(source_thread_id), str(target_thread_id), self.serde)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Shorten the history of threads.

        `keep_latest` leaves the newest checkpoint of each namespace, and of a `DeltaChannel` the ancestors back to the
        last snapshot, without which it would come back empty. `delete` or `delete_all` leaves nothing.

        Raises:
            ValueError: an unknown strategy; nothing was deleted.
        """
        if strategy not in _STRATEGIES:
            raise ValueError(f"Unknown `strategy` {strategy!r}; expected one of {', '.join(_STRATEGIES)}.")
        for thread in map(str, thread_ids):
            if strategy == "keep_latest":
                self._core.prune(thread)
            else:
                self._core.delete_thread(thread)

    def survey_threads(self, holds: Callable[[str], bool]) -> dict[str, ThreadFacts]:
        """Say of each thread whose it is, by its state, and whether any text in it passes `holds`."""
        return survey((payload for _, payload in self._core.everything()), self.serde, holds)

    def points(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Everything of all threads as (id, JSON payload), for a backup."""
        return self._core.everything()

    def put_back(self, points: Sequence[tuple[str, dict[str, Any]]]) -> None:
        """Store what `points` gave. Raises CheckpointError for a point that does not lie where its payload says."""
        self._core.put_back(points)

    def erase_threads(self, thread_ids: Collection[str]) -> int:
        """Erase threads byte by byte: `delete_thread` leaves their bytes in the engine's files until it merges them.

        In a folder the store is written anew without them; on a server they are deleted, and the server frees the
        bytes in its own time. Returns how many points went.
        """
        return self._core.erase_threads(thread_ids)

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

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Async twin of `delete_for_runs`."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Async twin of `copy_thread`."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Async twin of `prune`."""
        await asyncio.to_thread(self.prune, thread_ids, strategy=strategy)
