"""How do two rankings become one?

By the ranks alone (reciprocal rank fusion), since a cosine and a BM25 score have no common scale. The raw scores stay
with each hit: a rank says which is nearer, only a score says whether it is near.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from rqa_checkpoints.index.base import Found

__all__ = ["RRF_K", "Hit", "SearchResult", "fuse"]

RRF_K: Final = 60
"""Cormack, Clarke and Buettcher 2009, Reciprocal Rank Fusion outperforms Condorcet: sum of 1 / (60 + rank)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One item found, and what each side says of it."""

    id: str
    score: float
    """Sum of 1 / (60 + rank) over the sides; only its order means something."""
    cosine: float | None = None
    """None where the item has no vector yet, or in lexical mode."""
    lexical: float = 0.0
    """BM25 over grams; 0 where no gram is shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """Hits, best first, ties by id."""

    hits: tuple[Hit, ...] = ()
    mode: Literal["hybrid", "lexical"] = "hybrid"


def fuse(found: Found, *, limit: int) -> list[Hit]:
    """Fuse the two sides by reciprocal rank; the best `limit`, best first, ties by id."""
    cosines, lexicals = dict(found.dense), dict(found.sparse)
    scores: dict[str, float] = {}
    for side in (found.dense, found.sparse):
        for rank, (id_, _) in enumerate(side, start=1):
            scores[id_] = scores.get(id_, 0.0) + 1 / (RRF_K + rank)
    ranked = sorted((-score, id_) for id_, score in scores.items())[:limit]
    return [Hit(id=i, score=-s, cosine=cosines.get(i), lexical=lexicals.get(i, 0.0)) for s, i in ranked]
