"""How does what is searchable follow what is true?

The log is the truth; the index trails it by a watermark, which is recorded only after the points before it are durable,
so that a crash costs work and never data. One background thread encodes and indexes, and gives way to searches. A
search first lets in the grams of the rows that nobody has encoded yet (they need no encoder), so it never misses what
was just said: those rows score by the sparse side alone until the thread reaches them. Up to 256 such rows are let in
at once; beyond that the search works the backlog off first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from rqa_checkpoints import sparse
from rqa_checkpoints.changes import Change, ChangeSource, DocumentEncoder, plan
from rqa_checkpoints.chunking import query_window
from rqa_checkpoints.errors import (
    EmbedderUnavailableError,
    FormatMismatchError,
    HomeNotWritableError,
    StoreUnavailableError,
)
from rqa_checkpoints.floors import kept_floors
from rqa_checkpoints.fusion import Hit, Scale, SearchResult, fuse
from rqa_checkpoints.index import (
    Filter,
    VectorIndex,
    collection_name,
    find_collections,
    open_index,
    remove_collection,
)
from rqa_checkpoints.index.quiet import QuietOptimizer
from rqa_checkpoints.precedence import PatientEncoder, Precedence
from rqa_checkpoints.provenance import Scope

if TYPE_CHECKING:
    from rqa_checkpoints.embedding import Encoder

__all__ = ["Change", "ChangeSource", "Filter", "Hit", "SearchResult", "Trail"]

_log = logging.getLogger(__name__)

TAIL_ROWS: Final = 256
"""So many rows without a vector are searched by their grams; more would make recall lexical without saying so."""
_STEP_ROWS: Final = 32
"""Rows encoded at a time: about half a second of the default encoder on one core."""
_LEAST_CANDIDATES: Final = 64
_CANDIDATES_PER_HIT: Final = 4
"""Chunks asked of each side for every hit wanted: fusion needs the lower ranks too."""
_MARK_ROWS: Final = 1024
_IDLE_SECONDS: Final = 5
"""The watermark is made durable after so many rows, or when nothing new came for so long, and on closing: it takes a
flush, which held searches up for 0.2 to 0.4 s. What a crash leaves unmarked is indexed once more."""
_KEPT_ROWS: Final = 512
"""A rebuild that is cut short loses so many rows at most: about ten seconds of the default encoder."""
_ALL_ROWS: Final = 2**31
_CHUNKS_PER_HIT: Final = 64
_JOIN_SECONDS: Final = 30


class _Tail(NamedTuple):
    """Rows of one person that are in the index by their grams alone."""

    seq: int = 0
    rows: int = 0


class Trail:
    """The searchable side of a log: owns the index, the encoder and the watermark.

    Without an encoder (the stored vectors come from another one) it searches by grams and leaves the stored watermark
    alone.
    """

    def __init__(
        self, source: ChangeSource, *, index: VectorIndex, encoder: Encoder | None, background: bool = True
    ) -> None:
        self._source = source
        self._index = index
        self._encoder = encoder
        self._precedence = Precedence()
        self._patient = encoder and PatientEncoder(encoder, self._precedence)
        known = index.watermark()
        self._watermark = known if known <= source.last_seq() else 0  # else the index has seen another log
        self._tails: dict[Scope, _Tail] = {}
        self._unmarked = 0
        self._graphs = QuietOptimizer(index, by_itself=background)
        self._replaced: list[Callable[[], None]] = []
        """Removes the indexes of other encoders, once this one is complete."""
        self._step_lock = threading.RLock()
        """One step at a time; held while encoding, so never taken by a search that finds little to do."""
        self._write_lock = threading.RLock()
        """Orders what is written to the index with `_watermark` and `_tails`."""
        self._failure: Exception | None = None
        self._wake = threading.Event()
        self._closing = False
        self._closed = False
        self._ahead = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rqa-query")
        self._expected: tuple[str, Future[list[float] | None]] | None = None
        self._thread: threading.Thread | None = None
        if background:
            self._thread = threading.Thread(target=self._follow, name="rqa-trail", daemon=True)
            self._thread.start()
            self.notify()

    @classmethod
    def open(
        cls,
        source: ChangeSource,
        *,
        location: str | Path,
        encoder: Encoder,
        base: str = "memory",
        replacing: bool = False,
        background: bool = True,
        api_key: str | None = None,
    ) -> Self:
        """Open the index that belongs to this encoder.

        Args:
            source: the log.
            location: see `open_index`.
            encoder: made, or will make, the vectors.
            base: what the collection is for.
            replacing: open it although `reindex` has to follow, which removes the indexes of other encoders.
            background: index behind the log in a thread of its own; never while `replacing`.
            api_key: for a server.

        Raises:
            FormatMismatchError: the stored index comes from another encoder or another log; `open_lexical` still
                searches it.
        """
        name = collection_name(base, embedder=encoder.name, dimension=encoder.dimension)
        others = [other for other in find_collections(location, base=base, api_key=api_key) if other != name]
        if others and not replacing:
            raise FormatMismatchError(
                f"the index was made by another embedder: found {others[0]!r}, expected {name!r}",
                hint="Run `rqa reindex`, or set the embedder back; until then recall works by words alone.",
            )
        index = open_index(location, name=name, dimension=encoder.dimension, api_key=api_key)
        index_seq, log_seq = index.watermark(), source.last_seq()
        if index_seq > log_seq and not replacing:
            index.close()
            raise FormatMismatchError(
                f"the index {name!r} knows entry {index_seq} of a log that ends at {log_seq}",
                hint="The log was replaced or restored. Run `rqa reindex`.",
            )
        trail = cls(source, index=index, encoder=encoder, background=background and not replacing)
        trail._replaced = [partial(remove_collection, location, name=other, api_key=api_key) for other in others]
        return trail

    @classmethod
    def open_lexical(
        cls,
        source: ChangeSource,
        *,
        location: str | Path,
        base: str = "memory",
        background: bool = True,
        api_key: str | None = None,
    ) -> Self:
        """Open a stored index whose vectors nobody can compare with, and search it by grams alone.

        Raises:
            StoreUnavailableError: nothing is stored at this location.
        """
        names = find_collections(location, base=base, api_key=api_key)
        if not names:
            raise StoreUnavailableError(f"no index is stored in {str(location)!r}", hint="Run `rqa reindex`.")
        dimension = int(names[0].rsplit("-", 1)[-1])
        index = open_index(location, name=names[0], dimension=dimension, api_key=api_key)
        return cls(source, index=index, encoder=None, background=background)

    @property
    def watermark(self) -> int:
        """Sequence number up to which everything is encoded and indexed."""
        return self._watermark

    @property
    def has_vectors(self) -> bool:
        """Is there an encoder whose vectors can be compared with those of the index?"""
        return self._encoder is not None

    def floor(self, query: str) -> float:
        """Cosine from which on an item is related to a query; 0 where there is no encoder.

        Raises what the encoder raises, where it has to be measured.
        """
        if self._encoder is None:
            return 0.0
        floors = self._index.floors()
        if floors is None:  # a search that only reads does not wait for what is being indexed
            with self._write_lock:
                floors = kept_floors(self._index, self._encoder)
        return floors.of(query)

    def notify(self) -> None:
        """Say that the log has new entries. Never raises, never waits."""
        self._wake.set()

    def catch_up(self) -> int:
        """Index everything that is in the log now; return how many changes that took.

        Raises:
            StoreUnavailableError: the encoder or the index fails, now or earlier in the background.
        """
        self._raise_failure()
        target = self._source.last_seq()
        done = 0
        while self._watermark < target:
            done += self._step(self._encoder)
        self._mark()
        return done

    def wait_for(self, seq: int) -> None:
        """Return when the log is indexed up to `seq`, doing the work if need be."""
        self._raise_failure()
        while self._watermark < min(seq, self._source.last_seq()):
            self._step(self._encoder)

    def expect(self, query: str) -> None:
        """Begin to encode a query that is about to be searched for; never raises, never waits."""
        window = query_window(query)
        if window and not self._closing:
            self._expected = (window, self._ahead.submit(self._encode_first, window))

    def search(self, query: str, *, where: Filter, limit: int) -> SearchResult:
        """Find the items nearest to a query.

        Args:
            query: of any length; of a long one the beginning and the end count.
            where: whose items, and which.
            limit: most hits returned; 0 or less finds nothing.

        Raises:
            StoreUnavailableError: the index fails, or failed in the background since the last call. An encoder that
                fails is no error here: the answer is lexical and says so.
        """
        self._raise_failure(but=EmbedderUnavailableError)
        if limit <= 0:
            return SearchResult(mode="hybrid" if self._encoder else "lexical")
        self._reach_tail(where.scope)
        window = query_window(query)
        grams = sparse.encode_query(window)
        candidates = max(limit * _CANDIDATES_PER_HIT, _LEAST_CANDIDATES)
        with self._precedence.first():
            dense = self._vector_of(window)
            found = self._index.search(where=where, limit=candidates, dense=dense, sparse=grams)
        best = fuse(found, limit=limit)
        hits = self._complete(best, where=where, dense=dense, grams=grams)
        return SearchResult(hits=tuple(Scale.of(found).order(hits)), mode="lexical" if dense is None else "hybrid")

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Build the index anew from the log and swap it in, removing those of other encoders; return how many changes.

        One that was cut short goes on where its watermark stands.

        Args:
            progress: called with (sequence number reached, last sequence number) after each batch.

        Raises:
            FormatMismatchError: opened without an encoder, so there is nothing to build vectors with.
        """
        if self._encoder is None:
            raise FormatMismatchError("an index without its encoder cannot be built anew", hint="Name the embedder.")
        with self._step_lock:
            fresh = self._begun_twin()
            seq, done = fresh.watermark(), 0
            while batch := self._source.changes_after(seq, limit=_STEP_ROWS):
                drops, points = plan(batch, self._encoder)
                fresh.drop(drops)
                fresh.upsert(points)
                seq, done = batch[-1].seq, done + len(batch)
                if done % _KEPT_ROWS < _STEP_ROWS:
                    fresh.set_watermark(seq)
                if progress is not None:
                    progress(seq, max(seq, self._source.last_seq()))
            fresh.set_watermark(seq)
            with self._write_lock:
                self._index.replace_with(fresh)
                self._watermark = seq
                self._tails.clear()
            for remove in self._replaced:
                remove()
            self._replaced = []
            return done

    def _begun_twin(self) -> VectorIndex:
        """The twin of a rebuild that was cut short, unless it has seen another log; else an empty one."""
        begun = self._index.unfinished()
        if begun is not None and 0 < begun.watermark() <= self._source.last_seq():
            return begun
        if begun is not None:
            begun.close()
        return self._index.fresh()

    def optimize(self) -> bool:
        """Let the index build its search graphs; seconds to minutes, which nobody else waits for."""
        return self._graphs.build()

    def close(self) -> None:
        """Stop the thread and release the index. May be called twice, and from any thread."""
        self._closing = True
        self._graphs.close()
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_SECONDS)
        self._ahead.shutdown()
        with self._step_lock:
            if not self._closed:
                self._closed = True
                self._mark()
                self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _follow(self) -> None:
        while not self._closing:
            try:
                if not self._wake.wait(_IDLE_SECONDS):
                    self._mark()
                    self._wake.wait()
                self._wake.clear()
                while not self._closing and self._watermark < self._source.last_seq():
                    self._step(self._patient)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next caller must hear of it
                if not self._closing:
                    _log.warning("indexing stopped: %s", error)
                    self._failure = error

    def _raise_failure(self, *, but: type[Exception] | None = None) -> None:
        failure, self._failure = self._failure, None
        if failure is None:
            return
        self._wake.set()
        if but is None or not isinstance(failure, but):
            if isinstance(failure, HomeNotWritableError):
                raise failure
            raise StoreUnavailableError(
                f"indexing failed in the background after entry {self._watermark}: {failure}",
                hint="Nothing is lost: the log has it all, and indexing was started again.",
            ) from failure

    def _step(self, encoder: DocumentEncoder | None) -> int:
        """Encode and index the next rows; return how many."""
        with self._step_lock:
            last = self._source.last_seq()
            batch = self._source.changes_after(self._watermark, limit=_STEP_ROWS)
            full = len(batch) == _STEP_ROWS
            reached = batch[-1].seq if full else max([last, *(change.seq for change in batch)])
            drops, points = plan(batch, encoder)
            with self._write_lock:
                self._index.drop(drops)
                self._index.upsert(points, only_new=self._encoder is None)
                self._watermark = reached
                self._tails.clear()
            self._unmarked += len(batch)
            self._graphs.wrote(len(batch))
            if self._unmarked >= _MARK_ROWS:
                self._mark()
            return len(batch)

    def _mark(self) -> None:
        """Make the watermark durable; never one of vectors that another encoder has to make."""
        with self._step_lock:
            if self._unmarked and self._encoder is not None:
                self._index.set_watermark(self._watermark)
            self._unmarked = 0

    def _reach_tail(self, scope: Scope) -> None:
        """Make everything in the log searchable for this person: by vectors where they are, by grams at the tail."""
        try:
            while not self._let_tail_in(scope, most=TAIL_ROWS):
                self._step(self._encoder)
        except EmbedderUnavailableError as error:
            _log.warning("a backlog is searched by words alone: %s", error)
            self._let_tail_in(scope, most=_ALL_ROWS)

    def _let_tail_in(self, scope: Scope, *, most: int) -> bool:
        """Let this person's rows after the watermark in by their grams; False if there are more than `most`."""
        with self._write_lock:
            tail = self._tails.get(scope, _Tail(self._watermark))
            last = self._source.last_seq()
            if last <= tail.seq:
                return True
            rows = self._source.changes_after(tail.seq, limit=most + 1, scope=scope)
            if tail.rows + len(rows) > most:
                return False
            drops, points = plan(rows, None)
            self._index.drop(drops)
            self._index.upsert(points, only_new=True)
            self._tails[scope] = _Tail(max([last, *(row.seq for row in rows)]), tail.rows + len(rows))
            return True

    def _vector_of(self, window: str) -> list[float] | None:
        expected, self._expected = self._expected, None
        return expected[1].result() if expected and expected[0] == window else self._encode_query(window)

    def _encode_first(self, window: str) -> list[float] | None:
        with self._precedence.first():
            return self._encode_query(window)

    def _encode_query(self, window: str) -> list[float] | None:
        if self._encoder is None or not window:
            return None
        try:
            return self._encoder.embed_query(window)
        except EmbedderUnavailableError as error:
            _log.warning("searching by words alone: %s", error)
            return None

    def _complete(
        self,
        hits: Sequence[Hit],
        *,
        where: Filter,
        dense: Sequence[float] | None,
        grams: sparse.SparseVector,
    ) -> tuple[Hit, ...]:
        """Fetch the score of the other side for hits that only one side listed."""
        half = [hit.id for hit in hits if (dense is not None and hit.cosine is None) or (grams and not hit.lexical)]
        if not half:
            return tuple(hits)
        asked = frozenset(half)
        found = self._index.search(where=where, limit=len(half) * _CHUNKS_PER_HIT, dense=dense, sparse=grams, ids=half)
        cosines, lexicals = dict(found.dense), dict(found.sparse)
        return tuple(
            replace(hit, cosine=cosines.get(hit.id, hit.cosine), lexical=lexicals.get(hit.id, hit.lexical))
            if hit.id in asked
            else hit
            for hit in hits
        )
