"""Where do the points lie: in an embedded shard or behind a client?

Both engines keep the same few promises (`PointStore`), so everything above is written once. Facts that shape this
file: the embedded engine refuses a collection without vectors, so its points carry one number that means nothing; it
lets one process in (a lock on its write-ahead log); its exceptions have no classes, so their words are read here and
nowhere else.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

from rqa_checkpoints.errors import CheckpointError, HomeLockedError, HomeNotWritableError, StoreUnavailableError
from rqa_checkpoints.saver.records import Payload
from rqa_checkpoints.space import FOR_NEW_SHARD_BYTES, FOR_WRITING_BYTES, require_space

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

__all__ = ["ClientPoints", "EdgePoints", "PointStore", "open_points"]

_INDEXED = ("thread", "kind", "run")
"""Fields that scans filter by; without an index each scan would read every payload."""

_PAGE = 256
_FRESH = ".fresh"
_OLD = ".old"
"""Ends of the names of the folders beside the store while it is built anew."""
_BATCH = 128
"""Points in one request to a server; its request limit is 32 MB."""

_TIMEOUT_SECONDS = 30

_QUIET_SECONDS = 0.3
_LOOKS = 20
"""A flush waits until nothing was written for so long, and no longer than so many times that."""


class PointStore(Protocol):
    """Points by id, with JSON payloads. Calls come one at a time, from any thread."""

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads by id (all fields, or those named); unknown ids are left out."""

    def scan(self, match: Mapping[str, Sequence[str]], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """Payloads of all points whose fields have one of the values given for each."""

    def pages(self) -> Iterator[dict[str, Payload]]:
        """Everything that is stored, some hundred points at a time."""

    def rebuild(self, keeps: Callable[[Payload], bool]) -> int:
        """Leave only the points that `keeps` wants, in new files; return how many went.

        In a folder no byte of the others is left: deleting them would leave their bytes in the engine's files. On a
        server they are deleted, and their bytes go when the server merges its segments.
        """

    def apply(self, points: Mapping[str, Payload], drop: Sequence[str] = ()) -> None:
        """Write points, then delete those in `drop`. On return a kill of the process loses nothing of it."""

    def settle(self) -> None:
        """Begin to make all that was applied safe against loss of power; return at once.

        Raises the error of the last time, if that failed.
        """

    def close(self) -> None:
        """Finish what `settle` began and let go of the files."""


def open_points(location: str, *, collection: str, api_key: str | None = None) -> PointStore:
    """Open a store: `http(s)://...` or `:memory:` through the client, anything else as a folder.

    Raises:
        HomeLockedError: another process (or another saver of this one) has the folder open.
        HomeNotWritableError: the folder cannot be made or written.
        StoreUnavailableError: no server answers at the URL.
    """
    if location == ":memory:" or location.startswith(("http://", "https://")):
        return ClientPoints(location, collection=collection, api_key=api_key)
    return EdgePoints(Path(location).expanduser())


class EdgePoints:
    """The embedded engine in a folder of its own. Its write-ahead log is on."""

    def __init__(self, path: Path) -> None:
        import qdrant_edge

        self._api = qdrant_edge
        self._path = path
        self._flusher = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rqa-checkpoint-flush")
        self._flushing: Future[None] | None = None
        self._writes = 0
        self._closing = Event()
        with _edge_errors(path):
            _finish_swap(path)
            path.mkdir(parents=True, exist_ok=True)
        require_space(path, least=FOR_WRITING_BYTES if (path / "segments").is_dir() else FOR_NEW_SHARD_BYTES)
        with _edge_errors(path):
            self._shard = self._open(path)
            for end in (_FRESH, _OLD):  # left by a crash; nobody else uses them, since the store is ours now
                shutil.rmtree(_beside(path, end), ignore_errors=True)

    def _open(self, path: Path) -> Any:
        segments = path / "segments"
        if segments.is_dir() and any(segments.iterdir()):
            shard = self._api.EdgeShard.load(str(path))
        else:
            vectors = {"": self._api.EdgeVectorParams(size=1, distance=self._api.Distance.Dot)}
            shard = self._api.EdgeShard.create(str(path), self._api.EdgeConfig(vectors=vectors))
        # A kill between making the shard and this point would otherwise leave it without indexes for ever.
        for field in set(_INDEXED) - shard.info().payload_schema.keys():
            shard.update(self._api.UpdateOperation.create_field_index(field, self._api.PayloadSchemaType.Keyword))
        return shard

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """See `PointStore.retrieve`."""
        with _edge_errors(self._path):
            rows = self._shard.retrieve([*ids], True if fields is None else [*fields], False)
        return {str(row.id): row.payload or {} for row in rows}

    def scan(self, match: Mapping[str, Sequence[str]], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """See `PointStore.scan`."""
        api = self._api
        conditions = [api.FieldCondition(key, match=api.MatchAny([*values])) for key, values in match.items()]
        found: dict[str, Payload] = {}
        offset: Any = None
        while True:
            request = api.ScrollRequest(
                offset=offset,
                limit=_PAGE,
                filter=api.Filter(must=conditions),
                with_payload=True if fields is None else [*fields],
                with_vector=False,
            )
            with _edge_errors(self._path):
                rows, offset = self._shard.scroll(request)
            found.update((str(row.id), row.payload or {}) for row in rows)
            if offset is None:
                return found

    def pages(self) -> Iterator[dict[str, Payload]]:
        """See `PointStore.pages`."""
        offset: Any = None
        while True:
            request = self._api.ScrollRequest(offset=offset, limit=_PAGE, with_payload=True, with_vector=False)
            with _edge_errors(self._path):
                rows, offset = self._shard.scroll(request)
            yield {str(row.id): row.payload or {} for row in rows}
            if offset is None:
                return

    def rebuild(self, keeps: Callable[[Payload], bool]) -> int:
        """See `PointStore.rebuild`. A crash leaves the old store or the new one, whole."""
        fresh, old = _beside(self._path, _FRESH), _beside(self._path, _OLD)
        require_space(self._path, least=FOR_NEW_SHARD_BYTES)
        gone = 0
        with _edge_errors(self._path):
            shutil.rmtree(fresh, ignore_errors=True)
            fresh.mkdir()
            shard = self._open(fresh)
            for page in self.pages():
                kept = [self._api.Point(key, [0.0], payload) for key, payload in page.items() if keeps(payload)]
                gone += len(page) - len(kept)
                if kept:
                    shard.update(self._api.UpdateOperation.upsert_points(kept))
            shard.flush()
            shard.close()
            self._finish_flush()
            self._shard.close()
            shutil.rmtree(old, ignore_errors=True)
            self._path.rename(old)
            fresh.rename(self._path)
            self._shard = self._open(self._path)
            shutil.rmtree(old)
        return gone

    def _finish_flush(self) -> None:
        """Wait for a flush that `settle` began."""
        if self._flushing is not None:
            self._flushing.result()
            self._flushing = None

    def apply(self, points: Mapping[str, Payload], drop: Sequence[str] = ()) -> None:
        """See `PointStore.apply`. Each of the two steps is one record of the engine's log: whole or not at all."""
        operation = self._api.UpdateOperation
        self._writes += 1
        require_space(self._path)
        with _edge_errors(self._path):
            if points:
                rows = [self._api.Point(key, [0.0], payload) for key, payload in points.items()]
                self._shard.update(operation.upsert_points(rows))
            if drop:
                self._shard.update(operation.delete_points([*drop]))

    def settle(self) -> None:
        """Flush behind the caller's back, between two turns.

        It takes 6 ms on an idle disk and 100 on a busy one, and the engine holds other calls meanwhile.
        """
        if self._flushing is not None and not self._flushing.done():
            return
        with _edge_errors(self._path):
            if self._flushing is not None:
                self._flushing.result()
            self._flushing = self._flusher.submit(self._flush_when_quiet)

    def _flush_when_quiet(self) -> None:
        for _look in range(_LOOKS):
            seen = self._writes
            if self._closing.wait(_QUIET_SECONDS) or seen == self._writes:
                break
        self._shard.flush()

    def close(self) -> None:
        """See `PointStore.close`."""
        self._closing.set()
        self._flusher.shutdown(wait=True)
        with _edge_errors(self._path):
            self._shard.close()


def _beside(path: Path, end: str) -> Path:
    return path.with_name(path.name + end)


def _finish_swap(path: Path) -> None:
    """A crash between the two renames of a rebuild leaves the old folder aside: put it back."""
    old = _beside(path, _OLD)
    if old.is_dir() and not path.exists():
        old.rename(path)


@contextmanager
def _edge_errors(path: Path) -> Iterator[None]:
    """Turn the engine's words into the layer's errors."""
    try:
        yield
    except Exception as error:
        raise _edge_error(path, str(error)) from error


def _edge_error(path: Path, words: str) -> CheckpointError:
    if "WouldBlock" in words:
        return HomeLockedError(
            f"The checkpoints in {str(path)!r} are already open, here or in another process.",
            hint="Stop that process, talk to it over HTTP, or name another folder with --home or RQA_HOME.",
        )
    if "os error" in words or "Errno" in words:
        return HomeNotWritableError(
            f"The checkpoints in {str(path)!r} cannot be written: {words}",
            hint="Check the folder's owner, rights and free space, or name another with --home or RQA_HOME.",
        )
    return CheckpointError(f"The checkpoints in {str(path)!r} failed: {words}", hint="Close and open the saver again.")


class ClientPoints:
    """A collection without vectors, on a server or in memory."""

    def __init__(self, location: str, *, collection: str, api_key: str | None = None) -> None:
        from qdrant_client import QdrantClient

        self._location = location
        self._collection = collection
        local = location == ":memory:"
        self._client: QdrantClient = (
            QdrantClient(location, force_disable_check_same_thread=True)
            if local
            else QdrantClient(url=location, api_key=api_key, timeout=_TIMEOUT_SECONDS, check_compatibility=False)
        )
        with _client_errors(location):
            self._prepare(indexes=not local)

    def _prepare(self, *, indexes: bool) -> None:
        from qdrant_client import models

        if self._client.collection_exists(self._collection):
            return
        self._client.create_collection(self._collection, vectors_config={})
        for field in _INDEXED if indexes else ():
            self._client.create_payload_index(self._collection, field, models.PayloadSchemaType.KEYWORD)

    def retrieve(self, ids: Sequence[str], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """See `PointStore.retrieve`."""
        with _client_errors(self._location):
            rows = self._client.retrieve(
                self._collection, [*ids], with_payload=True if fields is None else [*fields], with_vectors=False
            )
        return {str(row.id): row.payload or {} for row in rows}

    def scan(self, match: Mapping[str, Sequence[str]], fields: Sequence[str] | None = None) -> dict[str, Payload]:
        """See `PointStore.scan`."""
        from qdrant_client import models

        conditions: list[models.Condition] = [
            models.FieldCondition(key=key, match=models.MatchAny(any=[*values])) for key, values in match.items()
        ]
        found: dict[str, Payload] = {}
        offset: Any = None
        while True:
            with _client_errors(self._location):
                rows, offset = self._client.scroll(
                    self._collection,
                    scroll_filter=models.Filter(must=conditions),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=True if fields is None else [*fields],
                    with_vectors=False,
                )
            found.update((str(row.id), row.payload or {}) for row in rows)
            if offset is None:
                return found

    def pages(self) -> Iterator[dict[str, Payload]]:
        """See `PointStore.pages`."""
        offset: Any = None
        while True:
            with _client_errors(self._location):
                rows, offset = self._client.scroll(
                    self._collection, limit=_PAGE, offset=offset, with_payload=True, with_vectors=False
                )
            yield {str(row.id): row.payload or {} for row in rows}
            if offset is None:
                return

    def rebuild(self, keeps: Callable[[Payload], bool]) -> int:
        """See `PointStore.rebuild`."""
        gone = [key for page in self.pages() for key, payload in page.items() if not keeps(payload)]
        self.apply({}, gone)
        return len(gone)

    def apply(self, points: Mapping[str, Payload], drop: Sequence[str] = ()) -> None:
        """See `PointStore.apply`. One request for up to 128 points."""
        from qdrant_client import models

        rows = [models.PointStruct(id=key, vector={}, payload=payload) for key, payload in points.items()]
        with _client_errors(self._location):
            for start in range(0, len(rows), _BATCH):
                self._client.upsert(self._collection, rows[start : start + _BATCH], wait=True)
            for start in range(0, len(drop), _BATCH):
                chosen = models.PointIdsList(points=[*drop[start : start + _BATCH]])
                self._client.delete(self._collection, chosen, wait=True)

    def settle(self) -> None:
        """Nothing to do: a server decides for itself when to flush."""

    def close(self) -> None:
        """See `PointStore.close`."""
        self._client.close()


@contextmanager
def _client_errors(location: str) -> Iterator[None]:
    from qdrant_client.http.exceptions import ApiException

    try:
        yield
    except (ApiException, OSError) as error:
        raise StoreUnavailableError(
            f"The Qdrant server at {location!r} did not serve the checkpoints: {str(error)[:300]}",
            hint="Check the URL and the key, or use a folder instead.",
        ) from error
