"""A log in a list and items made by hand, for tests of what is searchable."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Literal

from rqa_checkpoints.embedding import HashEmbedder
from rqa_checkpoints.errors import EmbedderUnavailableError
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass
from rqa_checkpoints.trail import Change, Filter

ME = Scope("local", "me")
MINE = Filter(scope=ME)


def item(
    text: str,
    *,
    id: str = "",  # noqa: A002 - the name of the field
    scope: Scope = ME,
    source: SourceClass = SourceClass.user,
    kind: Kind = Kind.statement,
    namespace: tuple[str, ...] = (),
) -> MemoryNode:
    """Make an item; without an id, one that follows from its owner and text."""
    made = id or "n_" + hashlib.sha256(f"{scope}{text}".encode("utf-8", "replace")).hexdigest()[:12]
    return MemoryNode(
        id=made,
        handle=made[-6:],
        tenant=scope.tenant,
        user=scope.user,
        thread="thread",
        turn_id="turn",
        source=source,
        author=scope.user,
        kind=kind,
        text=text,
        recorded_at="2026-11-29T00:00:00+00:00",
        namespace=namespace,
    )


class ListLog:
    """A log that only the index needs: a `ChangeSource` in a list."""

    def __init__(self, *nodes: MemoryNode) -> None:
        self._rows: list[Change] = []
        self._lock = threading.Lock()
        self._other_entries = 0
        self.fault: Exception | None = None
        """Raised by the next read, once."""
        self.add(*nodes)

    def add(self, *nodes: MemoryNode, op: Literal["put", "drop"] = "put") -> None:
        """Append one change for each item."""
        with self._lock:
            for node in nodes:
                self._rows.append(Change(seq=self.last_seq() + 1, op=op, node=node))

    def add_other(self) -> None:
        """Append an entry that means nothing to the index."""
        self._other_entries += 1

    def changes_after(self, seq: int, *, limit: int, scope: Scope | None = None) -> Sequence[Change]:
        """Changes with a greater sequence number."""
        fault, self.fault = self.fault, None
        if fault is not None:
            raise fault
        rows = [row for row in self._rows if row.seq > seq]
        return [row for row in rows if scope is None or Scope(row.node.tenant, row.node.user) == scope][:limit]

    def last_seq(self) -> int:
        """Sequence number of the last entry."""
        return len(self._rows) + self._other_entries


class CountingEmbedder(HashEmbedder):
    """The hash embedder, which counts what it encodes, and fails while `down` is set."""

    def __init__(self) -> None:
        self.encoded = 0
        self.queries = 0
        self.down = False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""
        if self.down:
            raise EmbedderUnavailableError("the embedder is switched off by the test")
        self.encoded += len(texts)
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        """Vector of a text."""
        if self.down:
            raise EmbedderUnavailableError("the embedder is switched off by the test")
        self.queries += 1
        return super().embed_query(text)
