"""What does a stretch of the log mean to the index?

Ids to drop and points to store. Of several changes of one item only the last counts, so a stretch may be read twice,
or read from further back, and the index ends the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from rqa_checkpoints import sparse
from rqa_checkpoints.chunking import chunk_text
from rqa_checkpoints.index.base import IndexPoint
from rqa_checkpoints.provenance import MemoryNode, Scope

__all__ = ["Change", "ChangeSource", "DocumentEncoder", "Plan", "plan"]

_MAX_VECTORS: Final = 64
"""Chunks of one item that get a vector (about 30,000 characters); the rest of a longer one is found by its grams."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one log entry means to the index."""

    seq: int
    op: Literal["put", "drop"]
    """`put` stores the item or refreshes it; `drop` (hidden, forgotten, erased) removes it."""
    node: MemoryNode


class ChangeSource(Protocol):
    """The log, as far as the index needs it."""

    def changes_after(self, seq: int, *, limit: int, scope: Scope | None = None) -> Sequence[Change]:
        """Changes with a greater sequence number, ascending; of one person, or of all."""

    def last_seq(self) -> int:
        """Sequence number of the last entry; 0 when empty."""


class DocumentEncoder(Protocol):
    """As much of an encoder as stored texts need."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""


class Plan(NamedTuple):
    """What to do to the index, drops first."""

    drops: list[str]
    points: list[IndexPoint]


def plan(batch: Sequence[Change], encoder: DocumentEncoder | None) -> Plan:
    """Turn changes into drops and points; without an encoder, into points that have no vectors.

    Raises:
        EmbedderUnavailableError: the encoder fails.
    """
    last = {change.node.id: change for change in batch}
    drops = [id_ for id_, change in last.items() if change.op == "drop"]
    puts = [change.node for change in last.values() if change.op == "put"]
    chunks = [(node, number, text) for node in puts for number, text in enumerate(chunk_text(node.text))]
    vectors: dict[int, list[float]] = {}
    if encoder is not None:
        chosen = [place for place, (_, number, _) in enumerate(chunks) if number < _MAX_VECTORS]
        encoded = encoder.embed_documents([chunks[place][2] for place in chosen]) if chosen else []
        vectors = dict(zip(chosen, encoded, strict=True))
    points = [
        IndexPoint(node=node, chunk=number, sparse=sparse.encode_document(text), dense=vectors.get(place))
        for place, (node, number, text) in enumerate(chunks)
    ]
    return Plan(drops, points)
