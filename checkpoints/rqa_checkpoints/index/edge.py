"""How does the index lie in a folder of this machine?

Qdrant Edge is the server's engine inside this process. Its write-ahead log survives the death of the process and locks
the folder against a second one. Searches, writes and the optimizer were run together from several threads without a
fault (tests), so only closing and swapping wait for them. A new folder is built under another name and renamed when it
is complete: a crash leaves either nothing or a whole shard.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self

import qdrant_edge as qe

from rqa_checkpoints.errors import FormatMismatchError, HomeLockedError, HomeNotWritableError, StoreUnavailableError
from rqa_checkpoints.floors import Floors
from rqa_checkpoints.index.base import (
    DENSE,
    FORMAT,
    INDEXED_FIELDS,
    MARKER_ID,
    OWNER,
    SPARSE,
    Filter,
    Found,
    IndexPoint,
    Marker,
    VectorIndex,
    best_chunks,
    check_marker,
    conditions,
    marker_payload,
    payload_of,
    point_id,
    read_marker,
)
from rqa_checkpoints.index.gate import Gate
from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.space import FOR_NEW_SHARD_BYTES, require_space
from rqa_checkpoints.sparse import SparseVector

__all__ = ["EdgeIndex"]

_BUILDING: Final = ".building"
_FRESH: Final = ".fresh"
_OLD: Final = ".old"
_GRAPH_SHARE: Final = 0.75
"""A filter that matches less of the points is answered by a scan of what matches, however large that is. Of 100,000
vectors near 2,000 centres the graph found 1,998 of the 2,000 nearest where 77 % matched, and 992 where 20 % did; the
scan of those took 27 ms of processor time."""


class EdgeIndex:
    """A collection in `folder/name`, held by this process."""

    def __init__(self, path: Path, shard: qe.EdgeShard, *, dimension: int) -> None:
        self._path = path
        self._shard: qe.EdgeShard | None = shard
        self._dimension = dimension
        self._gate = Gate()
        self._optimizing = Lock()
        self._floors: Floors | None = None

    @classmethod
    def open(cls, folder: Path, *, name: str, dimension: int) -> Self:
        """Open or create; errors as `open_index`."""
        path = folder / name
        _finish_swap(path)
        if not path.exists():
            _create(path, dimension)
        shard = _load(path)
        # By a crash; nobody else can be using it, since the shard is ours now.
        shutil.rmtree(path.with_name(path.name + _OLD), ignore_errors=True)
        index = cls(path, shard, dimension=dimension)
        try:
            marker = index._marker()
            check_marker(marker, name=name, dimension=dimension)
        except FormatMismatchError:
            index.close()
            raise
        index._floors = marker.floors
        return index

    @property
    def name(self) -> str:
        """The folder's name."""
        return self._path.name

    @property
    def dimension(self) -> int:
        """Length of a dense vector."""
        return self._dimension

    def upsert(self, points: Sequence[IndexPoint], *, only_new: bool = False) -> None:
        """Store points."""
        mode = qe.UpdateMode.InsertOnly if only_new else qe.UpdateMode.Upsert
        if points:
            self._update(qe.UpdateOperation.upsert_points([_edge_point(p) for p in points], update_mode=mode))

    def drop(self, ids: Sequence[str]) -> None:
        """Remove every chunk of these items."""
        if ids:
            gone = qe.Filter(must=[qe.FieldCondition("id", match=qe.MatchAny(list(ids)))])
            self._update(qe.UpdateOperation.delete_points_by_filter(gone))

    def search(
        self,
        *,
        where: Filter,
        limit: int,
        dense: Sequence[float] | None,
        sparse: SparseVector,
        ids: Sequence[str] | None = None,
    ) -> Found:
        """Find the nearest items on each side."""
        filter_ = _edge_filter(conditions(where, ids=ids))
        corpus = _edge_filter(conditions(Filter(scope=where.scope)))
        requests: dict[str, qe.QueryRequest] = {}
        if dense is not None:
            nearest = qe.Query.Nearest(list(dense), using=DENSE)
            requests[DENSE] = qe.QueryRequest(
                limit=limit,
                query=nearest,
                filter=filter_,
                with_payload=["id"],
                params=qe.SearchParams(exact=ids is not None or self._is_part(filter_)),
            )
        if sparse:
            grams = qe.SparseVector(list(sparse.indices), list(sparse.values))
            requests[SPARSE] = qe.QueryRequest(
                limit=limit,
                query=qe.Query.Nearest(grams, using=SPARSE),
                filter=filter_,
                with_payload=["id"],
                params=qe.SearchParams(idf=qe.IdfParams(corpus=corpus)),
            )
        if not requests:
            return Found()
        with self._working() as shard:
            answers = shard.query_batch(qe.QueryBatchRequest(list(requests.values())))
        lists = {side: _scored(answer) for side, answer in zip(requests, answers, strict=True)}
        return Found(dense=best_chunks(lists.get(DENSE, [])), sparse=best_chunks(lists.get(SPARSE, [])))

    def _is_part(self, filter_: qe.Filter) -> bool:
        """Does the filter leave out so much that a graph would miss what is near? Estimated, in a tenth of 1 ms."""
        with self._working() as shard:
            matching = int(shard.count(qe.CountRequest(exact=False, filter=filter_)))
            return matching < _GRAPH_SHARE * int(shard.count(qe.CountRequest(exact=False)))

    def count(self, scope: Scope | None = None) -> int:
        """How many points there are."""
        filter_ = None if scope is None else _edge_filter(conditions(Filter(scope=scope)))
        with self._working() as shard:
            counted = int(shard.count(qe.CountRequest(filter=filter_)))
        return counted if scope is not None else counted - 1

    def watermark(self) -> int:
        """Sequence number up to which the log is in here."""
        return self._marker().watermark

    def set_watermark(self, seq: int) -> None:
        """Flush, then record `seq`."""
        with self._working() as shard:
            shard.flush()
            shard.update(_mark(Marker(FORMAT, self._dimension, seq, self._floors)))

    def floors(self) -> Floors | None:
        """What the embedder of the vectors calls related."""
        return self._floors

    def set_floors(self, floors: Floors) -> None:
        """Keep what was measured beside the vectors."""
        self._floors = floors
        self.set_watermark(self.watermark())

    def fresh(self) -> EdgeIndex:
        """Return an empty twin in a folder beside this one."""
        path = self._path.with_name(self._path.name + _FRESH)
        shutil.rmtree(path, ignore_errors=True)
        _create(path, self._dimension)
        return EdgeIndex(path, _load(path), dimension=self._dimension)

    def unfinished(self) -> EdgeIndex | None:
        """The twin that a rebuild left when it was cut short; None where there is none that can be used."""
        path = self._path.with_name(self._path.name + _FRESH)
        if not path.exists():
            return None
        try:
            twin = EdgeIndex(path, _load(path), dimension=self._dimension)
        except StoreUnavailableError:
            return None
        try:
            check_marker(twin._marker(), name=twin.name, dimension=self._dimension)
        except FormatMismatchError:
            twin.close()
            return None
        return twin

    def replace_with(self, fresh: VectorIndex) -> None:
        """Put the twin's folder in this one's place."""
        if not isinstance(fresh, EdgeIndex):
            raise TypeError(f"expected the twin that `fresh()` returned, found {type(fresh).__name__}")
        fresh.close()
        old = self._path.with_name(self._path.name + _OLD)
        with self._optimizing, self._gate.alone():
            if self._shard is not None:
                self._shard.close()
                self._shard = None
            shutil.rmtree(old, ignore_errors=True)
            self._path.rename(old)
            fresh._path.rename(self._path)
            self._shard = _load(self._path)
        self._floors = fresh._floors
        shutil.rmtree(old, ignore_errors=True)

    def optimize(self) -> bool:
        """Build search graphs and merge segments; searches, writes and closing do not wait for it."""
        with self._optimizing:
            with self._working() as shard:
                pass
            try:
                return bool(shard.optimize())
            except Exception as error:  # the engine raises plain `Exception` for all its faults
                if self._shard is None:
                    return False
                raise StoreUnavailableError(
                    f"the index in {str(self._path)!r} cannot be optimized: {error}",
                    hint="Searches work as before. Look at the free space of the disk.",
                ) from error

    def close(self) -> None:
        """Flush and release the folder; while the optimizer runs, the folder is released when it has ended."""
        idle = self._optimizing.acquire(blocking=False)
        try:
            with self._gate.alone():
                shard, self._shard = self._shard, None
                if shard is not None:
                    shard.flush()
                    if idle:
                        shard.close()
        finally:
            if idle:
                self._optimizing.release()

    @contextmanager
    def _working(self) -> Iterator[qe.EdgeShard]:
        with self._gate.shared():
            if self._shard is None:
                raise StoreUnavailableError(f"index {self.name!r} is closed", hint="Open it again before using it.")
            try:
                yield self._shard
            except Exception as error:  # the engine raises plain `Exception` for all its faults
                raise StoreUnavailableError(
                    f"the index in {str(self._path)!r} failed: {error}",
                    hint="Look at the free space of the disk; `rqa reindex` builds the index anew.",
                ) from error

    def _update(self, operation: qe.UpdateOperation) -> None:
        require_space(self._path)
        with self._working() as shard:
            shard.update(operation)

    def _marker(self) -> Marker:
        with self._working() as shard:
            records = shard.retrieve([MARKER_ID], with_payload=True, with_vector=False)
        payload = records[0].payload if records else None
        return read_marker(payload)


def _edge_point(point: IndexPoint) -> qe.Point:
    vectors: dict[str, Any] = {}
    if point.sparse:
        vectors[SPARSE] = qe.SparseVector(list(point.sparse.indices), list(point.sparse.values))
    if point.dense is not None:
        vectors[DENSE] = list(point.dense)
    return qe.Point(point_id(point.node.id, point.chunk), vectors, payload_of(point))


def _edge_filter(rows: Sequence[tuple[str, list[str]]]) -> qe.Filter:
    return qe.Filter(
        must=[
            qe.FieldCondition(field, match=qe.MatchValue(values[0]) if len(values) == 1 else qe.MatchAny(values))
            for field, values in rows
        ]
    )


def _scored(answer: Sequence[qe.ScoredPoint]) -> list[tuple[str, float]]:
    # Each look at `payload` makes a new dictionary of it.
    return [(payload["id"], point.score) for point in answer if (payload := point.payload)]


def _mark(marker: Marker) -> qe.UpdateOperation:
    return qe.UpdateOperation.upsert_points([qe.Point(MARKER_ID, {}, marker_payload(marker))])


def _create(path: Path, dimension: int) -> None:
    building = path.with_name(path.name + _BUILDING)
    shutil.rmtree(building, ignore_errors=True)
    try:
        building.mkdir(parents=True)
        require_space(building, least=FOR_NEW_SHARD_BYTES)
        _build(building, dimension)
        building.rename(path)
    except HomeNotWritableError:
        building.rmdir()
        raise
    except Exception as error:  # the engine raises plain `Exception` for all its faults
        raise HomeNotWritableError(
            f"cannot write the index folder {str(path)!r}: {error}", hint="Choose another `--home`, or free some space."
        ) from error


def _build(folder: Path, dimension: int) -> None:
    config = qe.EdgeConfig(
        vectors={DENSE: qe.EdgeVectorParams(size=dimension, distance=qe.Distance.Cosine)},
        sparse_vectors={SPARSE: qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
        # The engine's defaults, but for the threads: a turn that comes while the graphs are built finds a core free.
        hnsw_config=qe.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000, max_indexing_threads=1),
    )
    shard = qe.EdgeShard.create(str(folder), config)
    for field in INDEXED_FIELDS:
        keyword = qe.KeywordIndexParams(is_tenant=field == OWNER)
        shard.update(qe.UpdateOperation.create_field_index(field, keyword))
    shard.update(_mark(Marker(FORMAT, dimension, 0)))
    shard.flush()
    shard.close()


def _load(path: Path) -> qe.EdgeShard:
    try:
        return qe.EdgeShard.load(str(path))
    except Exception as error:  # the engine raises plain `Exception` for all its faults
        if "WouldBlock" in str(error):
            raise HomeLockedError(
                f"the index in {str(path)!r} is held by another process",
                hint="Stop the other process, or use another `--home`.",
            ) from error
        raise StoreUnavailableError(
            f"the index in {str(path)!r} does not open: {error}", hint="Run `rqa reindex`: the log has everything."
        ) from error


def _finish_swap(path: Path) -> None:
    """A crash between the two renames of a swap leaves the old folder aside: put it back."""
    old = path.with_name(path.name + _OLD)
    if old.exists() and not path.exists():
        old.rename(path)
