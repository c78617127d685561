"""Which stored questions lie near a new one?

The vectors lie in an index of their own beside the log, made of the normalised questions by one embedder; the index
trails the log by a watermark and can be built anew at any time. Its search graphs are built when nothing comes. Tenant,
domain, locale and jurisdiction are conditions of the search and never part of what is embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Final

from sqlalchemy import RowMapping

from rqa_checkpoints.cache.records import CACHE_USER, Ask, EntryStatus
from rqa_checkpoints.cache.similarity import embedded_text
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.errors import CheckpointError, EmbedderUnavailableError
from rqa_checkpoints.index import Filter, IndexPoint, Scored, VectorIndex, collection_name, open_index
from rqa_checkpoints.index.quiet import QuietOptimizer
from rqa_checkpoints.records import Kind, MemoryNode, Scope, SourceClass
from rqa_checkpoints.sparse import SparseVector

__all__ = ["QuestionIndex"]

_BASE: Final = "questions"
_PAGE: Final = 256
_NO_GRAMS: Final = SparseVector()


class QuestionIndex:
    """The vectors of the active entries of one log."""

    def __init__(self, store: CacheStore, encoder: Encoder, index: VectorIndex) -> None:
        self.encoder = encoder
        self._store = store
        self._index = index
        self._lock = Lock()
        self._graphs = QuietOptimizer(index)

    @classmethod
    def open(cls, store: CacheStore, encoder: Encoder, location: str | Path) -> QuestionIndex:
        """Open or create the collection of this embedder; errors as in `open_index`."""
        name = collection_name(_BASE, embedder=encoder.name, dimension=encoder.dimension)
        return cls(store, encoder, open_index(location, name=name, dimension=encoder.dimension))

    def catch_up(self) -> int:
        """Take over what changed in the log since; return how many rows were looked at."""
        looked = 0
        with self._lock:
            while changed := self._changed():
                active = {row["id"]: question for row, question in changed if question}
                self._index.upsert([self._point(row, question) for row, question in changed if row["id"] in active])
                self._index.drop([row["id"] for row, _ in changed if row["id"] not in active])
                self._index.set_watermark(changed[-1][0]["changed"])
                looked += len(changed)
                self._graphs.wrote(len(changed))
        return looked

    def optimize(self) -> bool:
        """Build the search graphs now; seconds to minutes, which no look-up waits for. Errors as `QuietOptimizer`."""
        return self._graphs.build()

    def embed(self, question: str) -> list[float]:
        """The vector of an `embedded_text`. Raises EmbedderUnavailableError, whatever the embedder raised."""
        try:
            return self.encoder.embed_query(question)
        except CheckpointError:
            raise
        except Exception as error:  # an embedder of somebody else costs the tier, never the turn
            raise EmbedderUnavailableError(
                f"the embedder {self.encoder.name!r} failed: {error}", hint="Check it; the exact tier works without."
            ) from error

    def nearest(self, vector: Sequence[float], ask: Ask, *, limit: int) -> tuple[Scored, ...]:
        """Ids of the nearest entries of the same tenant, domain, locale and jurisdiction, with raw cosines."""
        where = Filter(
            scope=Scope(ask.tenant, CACHE_USER), namespace=_namespace(ask.domain, ask.locale, ask.jurisdiction)
        )
        return self._index.search(where=where, limit=limit, dense=vector, sparse=_NO_GRAMS).dense

    def close(self) -> None:
        """Give the index back."""
        self._graphs.close()
        self._index.close()

    def _changed(self) -> list[tuple[RowMapping, str]]:
        """Rows that changed, in the order of their change, each with its question; "" for one that is not served."""
        with self._store.reading() as view:
            rows = self._store.changed_after(view, self._index.watermark(), limit=_PAGE)
            payloads = [self._store.payload(view, row) if _is_active(row) else None for row in rows]
        questions = [
            embedded_text(str(payload["question_norm"]), str(payload["locale"])) if payload else ""
            for payload in payloads
        ]
        return list(zip(rows, questions, strict=True))

    def _point(self, row: RowMapping, question: str) -> IndexPoint:
        node = MemoryNode(
            id=str(row["id"]),
            handle=str(row["id"]),
            tenant=str(row["tenant"]),
            user=CACHE_USER,
            thread="",
            turn_id="",
            source=SourceClass.external,
            author="",
            kind=Kind.question,
            text="",
            recorded_at="",
            namespace=_namespace(str(row["domain"]), str(row["locale"]), str(row["jurisdiction"])),
        )
        return IndexPoint(node=node, chunk=0, sparse=_NO_GRAMS, dense=self.embed(question))


def _is_active(row: RowMapping) -> bool:
    return row["status"] == EntryStatus.active.value and not row["quarantined"]


def _namespace(domain: str, locale: str, jurisdiction: str) -> tuple[str, ...]:
    return (domain, locale, jurisdiction)
