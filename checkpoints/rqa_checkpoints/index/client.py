"""How does the index lie on a Qdrant server, or in memory for tests?

Everybody reads through an alias that carries the collection's name, so that a rebuilt collection takes the old one's
place in one request. The in-memory mode of qdrant-client is a Python scan: right for tests, too slow for people.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

from rqa_checkpoints.errors import FormatMismatchError, StoreUnavailableError
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
from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.sparse import SparseVector

__all__ = ["ClientIndex", "remove_stored", "stored_names"]

_TIMEOUT_SECONDS: Final = 10
_GENERATION = re.compile(r"\.g(\d+)$")


class ClientIndex:
    """A collection behind the alias `name`, or a twin that no alias names yet."""

    def __init__(self, client: QdrantClient, *, name: str, dimension: int, local: bool, twin: str = "") -> None:
        self._client = client
        self._name = name
        self._dimension = dimension
        self._local = local
        self._twin = twin
        self._collection = twin or name
        """What requests name: through the alias they follow a swap that another process makes."""
        self._guard = threading.RLock() if local else None
        self._closed = False
        self._floors: Floors | None = None

    @classmethod
    def open(cls, location: str | Path, *, name: str, dimension: int, api_key: str | None = None) -> Self:
        """Open or create. `location` is a URL, `:memory:`, or a folder of qdrant-client's own local mode."""
        local = not str(location).startswith("http")
        client = _connect(location, api_key=api_key)
        with _named_errors(str(location)):
            if not _aliased(client, name):
                _create(client, f"{name}.g1", dimension, local=local)
                _point_alias(client, name, f"{name}.g1")
            index = cls(client, name=name, dimension=dimension, local=local)
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
        """The alias."""
        return self._name

    @property
    def dimension(self) -> int:
        """Length of a dense vector."""
        return self._dimension

    def upsert(self, points: Sequence[IndexPoint], *, only_new: bool = False) -> None:
        """Store points."""
        if not points:
            return
        mode = models.UpdateMode.INSERT_ONLY if only_new else models.UpdateMode.UPSERT
        with self._working() as client:
            client.upsert(self._collection, [_client_point(p) for p in points], wait=True, update_mode=mode)

    def drop(self, ids: Sequence[str]) -> None:
        """Remove every chunk of these items."""
        if not ids:
            return
        gone = models.FilterSelector(filter=_client_filter([("id", list(ids))]))
        with self._working() as client:
            client.delete(self._collection, gone, wait=True)

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
        shared: dict[str, Any] = {"limit": limit, "filter": _client_filter(conditions(where, ids=ids))}
        shared["with_payload"] = ["id"]
        corpus = models.IdfCorpusParams(corpus=_client_filter(conditions(Filter(scope=where.scope))))
        requests: dict[str, models.QueryRequest] = {}
        if dense is not None:
            requests[DENSE] = models.QueryRequest(query=list(dense), using=DENSE, **shared)
        if sparse:
            grams = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
            params = models.SearchParams(idf=corpus)
            requests[SPARSE] = models.QueryRequest(query=grams, using=SPARSE, params=params, **shared)
        if not requests:
            return Found()
        with self._working() as client:
            answers = client.query_batch_points(self._collection, list(requests.values()))
        lists = {side: _scored(answer.points) for side, answer in zip(requests, answers, strict=True)}
        return Found(dense=best_chunks(lists.get(DENSE, [])), sparse=best_chunks(lists.get(SPARSE, [])))

    def count(self, scope: Scope | None = None) -> int:
        """How many points there are."""
        filter_ = None if scope is None else _client_filter(conditions(Filter(scope=scope)))
        with self._working() as client:
            counted = client.count(self._collection, count_filter=filter_, exact=True).count
        return counted if scope is not None else counted - 1

    def watermark(self) -> int:
        """Sequence number up to which the log is in here."""
        with self._working():
            return self._marker().watermark

    def set_watermark(self, seq: int) -> None:
        """Record `seq`: the server has acknowledged every write before it."""
        with self._working() as client:
            client.upsert(self._collection, [_mark(Marker(FORMAT, self._dimension, seq, self._floors))], wait=True)

    def floors(self) -> Floors | None:
        """What the embedder of the vectors calls related."""
        return self._floors

    def set_floors(self, floors: Floors) -> None:
        """Keep what was measured beside the vectors."""
        self._floors = floors
        self.set_watermark(self.watermark())

    def fresh(self) -> ClientIndex:
        """Return an empty twin: the collection of the next generation."""
        with self._working() as client:
            collection = self._next_generation(client)
            client.delete_collection(collection)
            _create(client, collection, self._dimension, local=self._local)
        return ClientIndex(self._client, name=self._name, dimension=self._dimension, local=self._local, twin=collection)

    def unfinished(self) -> ClientIndex | None:
        """The twin that a rebuild left when it was cut short; None where there is none that can be used."""
        with self._working() as client:
            collection = self._next_generation(client)
            if not client.collection_exists(collection):
                return None
            twin = ClientIndex(
                self._client, name=self._name, dimension=self._dimension, local=self._local, twin=collection
            )
            marker = twin._marker()
        return twin if (marker.format, marker.dimension) == (FORMAT, self._dimension) else None

    def _next_generation(self, client: QdrantClient) -> str:
        numbered = _GENERATION.search(_aliased(client, self._name))
        return f"{self._name}.g{int(numbered.group(1)) + 1 if numbered else 1}"

    def replace_with(self, fresh: VectorIndex) -> None:
        """Point the alias at the twin, and remove what it pointed at before."""
        if not isinstance(fresh, ClientIndex):
            raise TypeError(f"expected the twin that `fresh()` returned, found {type(fresh).__name__}")
        with self._working() as client:
            old = _aliased(client, self._name)
            _point_alias(client, self._name, fresh._twin)
            client.delete_collection(old)
        self._floors = fresh._floors
        fresh._closed = True

    def optimize(self) -> bool:
        """Nothing to do: a server optimizes by itself."""
        return False

    def close(self) -> None:
        """Close the connection; a twin leaves it to the one that it is a twin of."""
        if not self._closed:
            self._closed = True
            if not self._twin:
                self._client.close()

    @contextmanager
    def _working(self) -> Iterator[QdrantClient]:
        if self._closed:
            raise StoreUnavailableError(f"index {self._name!r} is closed", hint="Open it again before using it.")
        with _named_errors(self._name):
            if self._guard is None:
                yield self._client
            else:
                with self._guard:
                    yield self._client

    def _marker(self) -> Marker:
        records = self._client.retrieve(self._collection, [MARKER_ID], with_payload=True)
        payload = records[0].payload if records else None
        return read_marker(payload)


def stored_names(url: str, *, api_key: str | None) -> list[str]:
    """Names under which collections are reached on a server."""
    client = _connect(url, api_key=api_key)
    with _named_errors(url):
        names = [alias.alias_name for alias in client.get_aliases().aliases]
    client.close()
    return names


def remove_stored(url: str, *, name: str, api_key: str | None) -> None:
    """Remove an alias of a server, the collection behind it, and what rebuilds of it left that were cut short."""
    client = _connect(url, api_key=api_key)
    with _named_errors(url):
        for collection in [found.name for found in client.get_collections().collections]:
            if collection == _aliased(client, name) or collection.startswith(f"{name}.g"):
                client.delete_collection(collection)
    client.close()


def _connect(location: str | Path, *, api_key: str | None) -> QdrantClient:
    if str(location).startswith("http"):
        return QdrantClient(url=str(location), api_key=api_key, timeout=_TIMEOUT_SECONDS, check_compatibility=False)
    if str(location) == ":memory:":
        return QdrantClient(":memory:")
    return QdrantClient(path=str(location), force_disable_check_same_thread=True)


@contextmanager
def _named_errors(where: str) -> Iterator[None]:
    try:
        yield
    except (ApiException, httpx.HTTPError, ConnectionError) as error:
        raise StoreUnavailableError(
            f"the Qdrant server of {where!r} does not answer: {error}",
            hint="Start it, or leave the index setting empty to use the embedded engine.",
        ) from error


def _create(client: QdrantClient, collection: str, dimension: int, *, local: bool) -> None:
    client.create_collection(
        collection,
        vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
        sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    if not local:  # the local mode has no payload indexes and would warn
        for field in INDEXED_FIELDS:
            keyword = models.KeywordIndexParams(
                type=models.KeywordIndexType.KEYWORD, is_tenant=True if field == OWNER else None
            )
            client.create_payload_index(collection, field, keyword, wait=True)
    client.upsert(collection, [_mark(Marker(FORMAT, dimension, 0))], wait=True)


def _point_alias(client: QdrantClient, alias: str, collection: str) -> None:
    drop = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias))
    make = models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name=collection, alias_name=alias))
    client.update_collection_aliases([drop, make] if _aliased(client, alias) else [make])


def _aliased(client: QdrantClient, alias: str) -> str:
    """The collection behind an alias; empty when there is none."""
    return next((a.collection_name for a in client.get_aliases().aliases if a.alias_name == alias), "")


def _client_point(point: IndexPoint) -> models.PointStruct:
    vectors: dict[str, Any] = {}
    if point.sparse:
        vectors[SPARSE] = models.SparseVector(indices=list(point.sparse.indices), values=list(point.sparse.values))
    if point.dense is not None:
        vectors[DENSE] = list(point.dense)
    return models.PointStruct(id=point_id(point.node.id, point.chunk), vector=vectors, payload=payload_of(point))


def _client_filter(rows: Sequence[tuple[str, list[str]]]) -> models.Filter:
    return models.Filter(
        must=[
            models.FieldCondition(
                key=field,
                match=models.MatchValue(value=values[0]) if len(values) == 1 else models.MatchAny(any=values),
            )
            for field, values in rows
        ]
    )


def _scored(points: Sequence[models.ScoredPoint]) -> list[tuple[str, float]]:
    return [(point.payload["id"], point.score) for point in points if point.payload]


def _mark(marker: Marker) -> models.PointStruct:
    return models.PointStruct(id=MARKER_ID, vector={}, payload=marker_payload(marker))
