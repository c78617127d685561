"""What is near a query, and near enough to be shown?

The index proposes, the log disposes: ids come from the index, items and their state from the log, in one query. A floor
keeps out what is merely the nearest of nothing related. Where another process holds the index, the same question is
answered from the log by its words alone, and the answer says so.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from rqa_checkpoints import queries, sparse
from rqa_checkpoints.errors import FormatMismatchError, HomeNotWritableError
from rqa_checkpoints.fusion import Scale
from rqa_checkpoints.gravity import Plan, Snapshot, Wanted, plan
from rqa_checkpoints.index import find_collections, remove_collection
from rqa_checkpoints.log import EventLog
from rqa_checkpoints.mass import moment
from rqa_checkpoints.provenance import HeldBack, MemoryNode, Recall
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.selecting import (
    About,
    Found,
    candidates,
    outside,
    promising,
    quarantined,
    recalled,
    related_floor,
    unlisted,
)
from rqa_checkpoints.trail import Filter, Hit, Trail
from rqa_checkpoints.uses import holdings_of, opposed, proximities, shown_in

if TYPE_CHECKING:
    from rqa_checkpoints.embedding import Encoder

__all__ = ["COLLECTION", "Question", "Searcher", "TrailSource"]

_logger = logging.getLogger(__name__)

COLLECTION = "memory"
"""First part of the names of the collections that hold remembered items."""

_HITS = 64
"""Hits asked of the index. An item with no vector yet counts as far by meaning until the search has looked at it, so
that many items that are only fair on both sides may stand before the best match by words."""

_SPARE = 16
"""Hits read from the log beyond what is wanted: hidden, quarantined and unrelated ones fall out."""

_CATCH_UP_ROWS = 64
"""So many items that wait for their vectors are encoded before the first recall, in a second or so: a process that
ends after one command never gets to them in the background."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, beside the words."""

    where: Filter
    wanted: Wanted
    now: datetime
    as_of: datetime | None = None
    """Only what was recorded until then."""
    persona: tuple[str, ...] = ()
    """Ids of items whose neighbourhood in the graph counts a little."""
    explain: bool = False
    breakdown: bool = True


class Searcher:
    """The recall side of a memory; opens the index with the first recall."""

    def __init__(self, log: EventLog, source: TrailSource | None) -> None:
        self._log = log
        self._source = source
        self._opened: Trail | None = None
        self._opening = RLock()

    @property
    def trail(self) -> Trail | None:
        """The index behind the log; None where it cannot be held."""
        return self._ensure()

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build the index anew from the log; return how many changes were read. Raises HomeNotWritableError."""
        if self._source is None:
            raise HomeNotWritableError(
                f"{self._log.place!r} was opened for reading", hint="Wait until the process that holds it has ended."
            )
        with self._opening:
            self.close()
            with self._source.open(replacing=True) as trail:
                return trail.reindex(progress)

    def notify(self) -> None:
        """Say that the log has grown; an index that was never opened catches up when it is."""
        trail = self._opened
        if trail is not None:
            trail.notify()

    @property
    def version(self) -> tuple[int, bool]:
        """Up to where the index is complete, opened by this, and whether it has vectors to compare with."""
        trail = self._ensure()
        return (trail.watermark, trail.has_vectors) if trail else (0, False)

    def expect(self, query: str) -> None:
        """Say what is about to be asked, so that its vector is ready; an index that is not open yet stays closed."""
        trail = self._opened
        if trail is not None:
            trail.expect(query)

    def recall(self, query: str, asked: Question) -> Recall:
        """The nearest items that are related, visible and fit to be shown, best first."""
        if asked.wanted.top_k <= 0 or not query.strip():
            return Recall(mode="lexical" if self._source is None else "hybrid")
        found = self._found(query, where=asked.where, top_k=asked.wanted.top_k)
        with self._log.reading() as view:
            nodes = queries.nodes_by_id(view, [hit.id for hit in found.hits], asked.where.scope)
            snapshot = _snapshot(view, query, found, nodes, asked)
        planned = plan(asked.wanted, snapshot)
        floor = found.floor
        near_from = related_floor(query, found.hits, floor)
        held = [*quarantined(found, nodes), *unlisted(planned, explain=asked.explain, floor=near_from)]
        if asked.explain:
            held += self._kept_out(query, asked, planned)
        return Recall(
            items=tuple(recalled(one, floor=floor, breakdown=asked.breakdown) for one in planned.listed),
            held_back=tuple(held),
            mode="lexical" if found.lexical else "hybrid",
            training_delta=planned.delta,
        )

    def _found(self, query: str, *, where: Filter, top_k: int) -> Found:
        found = self._search(query, where=where, limit=max(_HITS, top_k + _SPARE))
        return replace(found, hits=promising(found)[: top_k + _SPARE])

    def _kept_out(self, query: str, asked: Question, planned: Plan) -> list[HeldBack]:
        """What would be listed, did the caller not restrict the question."""
        free = Filter(scope=asked.where.scope, namespace=asked.where.namespace)
        if free == asked.where and asked.as_of is None:
            return []
        open_question = replace(asked, where=free, as_of=None, wanted=replace(asked.wanted, actor=None), explain=False)
        return outside(self.recall(query, open_question).items, known={one.id for one in planned.listed})

    def rank(self, query: str, *, ids: Collection[str], where: Filter) -> list[tuple[str, float]]:
        """(id, score) of these items as a search ranks them, without a floor; it waits for what was written before."""
        trail = self._ensure()
        if trail is not None:
            trail.wait_for(self._log.last_seq())
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
            trail, self._opened = self._opened, None
            if trail is not None:
                trail.close()

    def discard(self) -> None:
        """Remove the index with all its files; the next recall builds it anew from the log."""
        with self._opening:
            self.close()
            if self._source is not None:
                self._source.remove()

    def _ensure(self) -> Trail | None:
        with self._opening:
            if self._opened is None and self._source is not None:
                trail = self._opened = self._source.open()
                if 0 < self._log.last_seq() - trail.watermark <= _CATCH_UP_ROWS:
                    trail.catch_up()
            return self._opened

    def _search(self, query: str, *, where: Filter, limit: int) -> Found:
        trail = self._ensure()
        if trail is None:
            return Found(self._by_words(query, where=where, limit=limit), True, 0.0)
        result = trail.search(query, where=where, limit=limit)
        return Found(result.hits, result.mode == "lexical", trail.floor(query))

    def _by_words(self, query: str, *, where: Filter, limit: int) -> list[Hit]:
        chosen = NodeFilter(sources=where.sources or frozenset(), kinds=where.kinds or frozenset())
        tags = where.tags
        with self._log.reading() as view:
            nodes = queries.all_nodes(view, where.scope, chosen)
            fit = (node for node in nodes if tags is None or not tags.isdisjoint(node.tags))
            texts = ((node.id, node.text) for node in fit if _in_namespace(node, where.namespace))
            ranked = sparse.rank(query, texts, limit=limit)
        scale = Scale(far=None, words=ranked[0].score if ranked else 0.0)
        return scale.order([Hit(id=row.id, score=0.0, lexical=row.score) for row in ranked])


def _in_namespace(node: MemoryNode, prefix: tuple[str, ...] | None) -> bool:
    return prefix is None or node.namespace[: len(prefix)] == prefix


def _snapshot(view: Connection, query: str, found: Found, nodes: Mapping[str, MemoryNode], asked: Question) -> Snapshot:
    """What the log says about the hits, read in one view."""
    scope = asked.where.scope
    about = About(
        opposed=opposed(view, list(nodes), scope),
        proximity=proximities(view, asked.persona, scope) if asked.persona else {},
        forced=asked.where.tags is not None,
        shown=shown_in(view, asked.wanted.session, scope) if asked.wanted.session else {},
    )
    known = [
        one
        for one in candidates(query, found, nodes, about)
        if asked.as_of is None or moment(one.node.recorded_at) <= asked.as_of
    ]
    trained = {one.node.id: one.node for one in known} if asked.wanted.actor else {}
    holdings = holdings_of(view, trained, scope, against=about.opposed, now=asked.now)
    return Snapshot(now=asked.now, candidates=known, holdings=holdings)


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

    def open(self, *, replacing: bool = False) -> Trail:
        """The index behind the log.

        Where the stored vectors come from another embedder, they are never mixed: until the index is built anew, it is
        searched by words alone, and every answer says so.
        """
        from rqa_checkpoints.embedding import open_embedder

        encoder = open_embedder(self._embedder) if isinstance(self._embedder, str) else self._embedder
        place: dict[str, Any] = {"location": self._location, "base": COLLECTION}
        try:
            trail = Trail.open(self._log, encoder=encoder, replacing=replacing, **place)
        except FormatMismatchError as error:
            _logger.warning("%s %s", error.message, error.hint)
            return Trail.open_lexical(self._log, **place)
        return trail
