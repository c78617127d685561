"""What is near a query, and near enough to be shown?

The index proposes, the log disposes: ids come from the index, items and their state from the log, in one query. A floor
keeps out what is merely the nearest of nothing related. Where another process holds the index, the same question is
answered from the log by its words alone, and the answer says so.
"""

from __future__ import annotations

import logging
import math
import shutil
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import RLock
from typing import Any, Literal

from rqa_checkpoints import queries, sparse
from rqa_checkpoints.chunking import query_window
from rqa_checkpoints.embedding import Encoder, open_embedder
from rqa_checkpoints.errors import FormatMismatchError, HomeNotWritableError
from rqa_checkpoints.index import find_collections, remove_collection
from rqa_checkpoints.log import EventLog
from rqa_checkpoints.provenance import HeldBack, MemoryNode, Recall, RecalledItem, has_block_markers
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.trail import Filter, Hit, Trail

__all__ = ["COLLECTION", "Searcher", "TrailSource", "is_related", "related_floor"]

_logger = logging.getLogger(__name__)

COLLECTION = "memory"
"""First part of the names of the collections that hold remembered items."""

_HITS = 64
"""Hits asked of the index. An item with no vector yet has one rank of two, so that up to 62 items that are only fair
on both sides (1/(60+r1) + 1/(60+r2) > 1/61) stand before the best match by words."""

_SPARE = 16
"""Hits read from the log beyond what is wanted: hidden, quarantined and unrelated ones fall out."""

_PROMISING = 0.5
"""Share of the best score by words from which a hit is read before those that neither side speaks for."""

_SPREAD = 0.03
"""How far below the nearest item's cosine another one may lie, for a query of many sentences. Measured on our design
note with multilingual-e5-small: sentences about it at 0.85, unrelated ones at 0.80 to 0.82, both above the floor."""

_LONG_QUERY_CHARACTERS = 400
"""From here on a query is a document, and no question."""

_CATCH_UP_ROWS = 64
"""So many items that wait for their vectors are encoded before the first recall, in a second or so: a process that
ends after one command never gets to them in the background."""

_LEAST_COVERAGE = 0.34
"""Share of the grams of the shorter side that the other must have, where the vectors do not vouch."""

_TEXT_CHARACTERS = 2000
"""So much of a long item is compared by words; a sentence is shorter."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search gave, before the log was asked."""

    hits: Sequence[Hit]
    mode: Literal["hybrid", "lexical"]
    floor: float


class Searcher:
    """The recall side of a memory; opens the index with the first recall."""

    def __init__(self, log: EventLog, source: TrailSource | None) -> None:
        self._log = log
        self._source = source
        self._opened: tuple[Trail, float] | None = None
        self._opening = RLock()

    @property
    def trail(self) -> Trail | None:
        """The index behind the log; None where it cannot be held."""
        opened = self._ensure()
        return opened[0] if opened else None

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build the index anew from the log; return how many changes were read. Raises HomeNotWritableError."""
        if self._source is None:
            raise HomeNotWritableError(
                f"{self._log.place!r} was opened for reading", hint="Wait until the process that holds it has ended."
            )
        with self._opening:
            self.close()
            trail, _ = self._source.open(replacing=True)
            with trail:
                return trail.reindex(progress)

    def notify(self) -> None:
        """Say that the log has grown; an index that was never opened catches up when it is."""
        opened = self._opened
        if opened is not None:
            opened[0].notify()

    def expect(self, query: str) -> None:
        """Say what is about to be asked, so that its vector is ready; an index that is not open yet stays closed."""
        opened = self._opened
        if opened is not None:
            opened[0].expect(query)

    def recall(self, query: str, *, where: Filter, top_k: int) -> Recall:
        """The nearest items that are related, visible and fit to be shown, best first."""
        if top_k <= 0 or not query.strip():
            return Recall(mode="lexical" if self._source is None else "hybrid")
        found = self._search(query, where=where, limit=max(_HITS, top_k + _SPARE))
        found = replace(found, hits=_promising(found)[: top_k + _SPARE])
        with self._log.reading() as view:
            nodes = queries.nodes_by_id(view, [hit.id for hit in found.hits], where.scope)
        return _select(query, found, nodes, top_k=top_k)

    def rank(self, query: str, *, ids: Collection[str], where: Filter) -> list[tuple[str, float]]:
        """(id, score) of these items as a search ranks them, without a floor; it waits for what was written before."""
        opened = self._ensure()
        if opened is not None:
            opened[0].wait_for(self._log.last_seq())
        limit = 2 * len(ids) + _SPARE
        while True:
            hits = self._search(query, where=where, limit=limit).hits
            found = [(hit.id, hit.score) for hit in hits if hit.id in ids]
            if len(found) == len(ids) or len(hits) < limit:
                return found
            limit *= 4

    def close(self) -> None:
        """Give the index back."""
        with self._opening:
            opened, self._opened = self._opened, None
            if opened is not None:
                opened[0].close()

    def discard(self) -> None:
        """Remove the index with all its files; the next recall builds it anew from the log."""
        with self._opening:
            self.close()
            if self._source is not None:
                self._source.remove()

    def _ensure(self) -> tuple[Trail, float] | None:
        with self._opening:
            if self._opened is None and self._source is not None:
                self._opened = self._source.open()
                trail = self._opened[0]
                if 0 < self._log.last_seq() - trail.watermark <= _CATCH_UP_ROWS:
                    trail.catch_up()
            return self._opened

    def _search(self, query: str, *, where: Filter, limit: int) -> _Found:
        opened = self._ensure()
        if opened is None:
            return _Found(self._by_words(query, where=where, limit=limit), "lexical", 0.0)
        trail, floor = opened
        result = trail.search(query, where=where, limit=limit)
        return _Found(result.hits, result.mode, floor)

    def _by_words(self, query: str, *, where: Filter, limit: int) -> list[Hit]:
        chosen = NodeFilter(sources=where.sources or frozenset(), kinds=where.kinds or frozenset())
        with self._log.reading() as view:
            nodes = queries.all_nodes(view, where.scope, chosen)
            texts = ((node.id, node.text) for node in nodes if _in_namespace(node, where.namespace))
            ranked = sparse.rank(query, texts, limit=limit)
        return [Hit(id=row.id, score=row.score, lexical=row.score) for row in ranked]


def _in_namespace(node: MemoryNode, prefix: tuple[str, ...] | None) -> bool:
    return prefix is None or node.namespace[: len(prefix)] == prefix


def _promising(found: _Found) -> list[Hit]:
    """The hits in their order, those that neither side speaks for put last."""
    best = max((hit.lexical for hit in found.hits), default=0.0)

    def speaks(hit: Hit) -> bool:
        near = hit.cosine is not None and hit.cosine >= found.floor
        return near or (hit.lexical > 0 and hit.lexical >= _PROMISING * best)

    return sorted(found.hits, key=lambda hit: not speaks(hit))


def is_related(grams: sparse.SparseVector, text: str, hit: Hit, floor: float) -> bool:
    """Is a hit near enough to be shown: by its vector, or by enough words shared with the query's `grams`?"""
    if hit.cosine is not None and hit.cosine >= floor:
        return True
    if not hit.lexical:
        return False
    own = sparse.encode_query(text[:_TEXT_CHARACTERS])
    return max(_share(grams, own), _share(own, grams)) >= _LEAST_COVERAGE


def _share(wanted: sparse.SparseVector, found: sparse.SparseVector) -> float:
    """Share of the weight of one side's grams that the other has."""
    there, total = set(found.indices), sum(wanted.values)
    present = sum(weight for gram, weight in zip(wanted.indices, wanted.values, strict=True) if gram in there)
    return present / total if total else 0.0


def related_floor(query: str, hits: Sequence[Hit], floor: float) -> float:
    """The embedder's floor; for a long query, what is not much farther than the nearest: it is near to everything."""
    if len(query) < _LONG_QUERY_CHARACTERS:
        return floor
    nearest = max((hit.cosine for hit in hits if hit.cosine is not None), default=0.0)
    return max(floor, nearest - _SPREAD)


def _select(query: str, found: _Found, nodes: dict[str, MemoryNode], *, top_k: int) -> Recall:
    grams = sparse.encode_query(query_window(query))
    floor = related_floor(query, found.hits, found.floor)
    items: list[RecalledItem] = []
    held: list[HeldBack] = []
    for hit in found.hits:
        node = nodes.get(hit.id)
        if node is None or node.hidden:
            continue
        reason = _reason(grams, node, hit, floor=floor, full=len(items) >= top_k)
        if reason:
            held.append(HeldBack(id=node.id, handle=node.handle, reason=reason))
        else:
            items.append(_item(node, hit))
    return Recall(items=tuple(items), held_back=tuple(held), mode=found.mode)


def _reason(grams: sparse.SparseVector, node: MemoryNode, hit: Hit, *, floor: float, full: bool) -> str:
    if has_block_markers(node.text):
        return "quarantined"
    if not is_related(grams, node.text, hit, floor):
        return "below_floor"
    return "budget" if full else ""


def _item(node: MemoryNode, hit: Hit) -> RecalledItem:
    words = "" if hit.cosine is None else f"cosine {hit.cosine:.3f}"
    parts = [part for part in (words, f"words {hit.lexical:.2f}" if hit.lexical else "") if part]
    return RecalledItem(
        node=node, score=hit.score, cosine=hit.cosine, lexical=hit.lexical, why=", ".join(parts) or "near"
    )


class TrailSource:
    """How to open the index with its encoder, later: both are slow to load, and most commands need neither."""

    def __init__(self, log: EventLog, *, embedder: str | Encoder, location: str | Path) -> None:
        self._log = log
        self._embedder = embedder
        self._location = location

    def remove(self) -> None:
        """Remove every collection of remembered items, whatever its embedder; nobody may hold one open.

        Raises:
            HomeNotWritableError: A file stays; an erasure must not call it cleared.
        """
        if isinstance(self._location, Path):
            try:
                shutil.rmtree(self._location)  # with what a rebuild that was cut short left beside
            except FileNotFoundError:
                return
            except OSError as error:
                raise HomeNotWritableError(
                    f"the index in {str(self._location)!r} cannot be removed: {error}",
                    hint="Make the folder writable and try again.",
                ) from error
            return
        for name in find_collections(self._location, base=COLLECTION):
            remove_collection(self._location, name=name)

    def open(self, *, replacing: bool = False) -> tuple[Trail, float]:
        """The index behind the log, and the cosine from which on two texts are related.

        Where the stored vectors come from another embedder, they are never mixed: until the index is built anew, it is
        searched by words alone, and every answer says so.
        """
        encoder = open_embedder(self._embedder) if isinstance(self._embedder, str) else self._embedder
        place: dict[str, Any] = {"location": self._location, "base": COLLECTION}
        try:
            trail = Trail.open(self._log, encoder=encoder, replacing=replacing, **place)
        except FormatMismatchError as error:
            _logger.warning("%s %s", error.message, error.hint)
            return Trail.open_lexical(self._log, **place), math.inf
        return trail, encoder.floor
