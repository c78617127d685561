"""Notes of one person in an index of their own, and what a question finds there."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from evals.arms import Asked
from rqa_checkpoints import sparse
from rqa_checkpoints.changes import Change, plan
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.index import Filter, VectorIndex, open_index
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass

__all__ = ["asked", "indexed", "note"]

_SCOPE: Final = Scope("local", "reader")
_BATCH: Final = 64


def note(id_: str, text: str, *, recorded_at: datetime) -> MemoryNode:
    """What the person said."""
    return MemoryNode(
        id=id_,
        handle=id_,
        tenant=_SCOPE.tenant,
        user=_SCOPE.user,
        thread="t",
        turn_id=id_,
        source=SourceClass.user,
        author=_SCOPE.user,
        kind=Kind.statement,
        text=text,
        recorded_at=recorded_at.isoformat(),
    )


def indexed(nodes: Sequence[MemoryNode], encoder: Encoder) -> VectorIndex:
    """An index in this process; whoever asked for it closes it."""
    index = open_index(":memory:", name="notes", dimension=encoder.dimension)
    changes = [Change(seq=number, op="put", node=node) for number, node in enumerate(nodes, start=1)]
    for start in range(0, len(changes), _BATCH):
        index.upsert(plan(changes[start : start + _BATCH], encoder).points)
    return index


def asked(index: VectorIndex, text: str, encoder: Encoder, *, limit: int) -> Asked:
    """A question with what both sides find."""
    vector, grams = encoder.embed_query(text), sparse.encode_query(text)
    return Asked(vector, index.search(where=Filter(scope=_SCOPE), limit=limit, dense=vector, sparse=grams))
