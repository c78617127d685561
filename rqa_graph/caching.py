"""Where does the Integrity Cache of a home lie, and who opens it?

Its entries are in the home's log, its vectors in an index beside that of the memory, its key in a file of the home. A
command that only reads, and the kill switch, work beside the process that holds the home: they need the log alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

from rqa_checkpoints.cache.integrity import IntegrityCache, Recorder
from rqa_checkpoints.cache.policy import PolicyBook
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.cache.vectors import QuestionIndex
from rqa_checkpoints.embedding import open_embedder
from rqa_checkpoints.home import Home
from rqa_checkpoints.log import EventLog
from rqa_graph.resources import load_config
from rqa_graph.settings import Settings
from rqa_graph.telemetry import TELEMETRY_FILE, TelemetryFile

__all__ = ["LEDGER_KEY", "cache_over", "open_cache", "open_ring"]

LEDGER_KEY: Final = "ledger.key"


def open_ring(home: Path, *, make: bool) -> KeyRing:
    """The signing key of a home. Without `make`, a home that has none gets a key that signs and proves nothing.

    Raises:
        LedgerKeyError: it cannot be read, or others may read it.
    """
    path = home / LEDGER_KEY
    return KeyRing.open(path) if make or path.exists() else KeyRing.in_memory()


def cache_over(
    log: EventLog,
    settings: Settings,
    *,
    clock: Callable[[], datetime],
    semantic: bool,
    recorder: Recorder,
    make_key: bool = True,
) -> IntegrityCache:
    """The cache over a log that is open. `semantic` needs the home to be held: the index has one holder."""

    def questions(store: CacheStore) -> QuestionIndex:
        index = settings.memory.index
        location = Home(settings.home).index if index == "edge" else index
        return QuestionIndex.open(store, open_embedder(settings.memory.embedder), location)

    return IntegrityCache(
        log,
        ring=open_ring(settings.home, make=make_key),
        policies=PolicyBook.from_mapping(load_config("cache_policies", settings.home)),
        clock=clock,
        open_questions=questions if semantic else None,
        recorder=recorder,
    )


@contextmanager
def open_cache(
    settings: Settings, *, clock: Callable[[], datetime], ids: Callable[[], str], read_only: bool
) -> Iterator[IntegrityCache]:
    """The cache of a home over its log alone, beside whoever holds the home.

    Raises:
        CachePolicyError, LedgerKeyError: the policies or the key cannot be used.
        HomeNotWritableError: something is to be written, and there is no home that can be.
    """
    place = Home(settings.home).log if settings.memory.log == "sqlite" else settings.memory.log
    if not read_only:
        settings.home.mkdir(parents=True, exist_ok=True)
    log = EventLog.open(place, clock=clock, ids=ids, read_only=read_only)
    kept = TelemetryFile(settings.home / TELEMETRY_FILE)
    try:
        yield cache_over(log, settings, clock=clock, semantic=False, recorder=kept, make_key=not read_only)
    finally:
        log.close()
