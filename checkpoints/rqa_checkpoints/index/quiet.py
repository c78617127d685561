"""When are the search graphs of an index built?

Without them a search compares every vector; to build them takes seconds to minutes, so nobody may wait for it. They are
built in a thread of their own once enough is new and nothing has come for a while; what comes meanwhile is indexed and
found as before. The engine itself knows which segments are large enough to need a graph, keeps graphs on disk, and
searches small scopes without them.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

from rqa_checkpoints.errors import StoreUnavailableError
from rqa_checkpoints.index.base import VectorIndex

__all__ = ["QuietOptimizer"]

_log = logging.getLogger(__name__)

_ROWS: Final = 5_000
_QUIET_SECONDS: Final = 35
"""Search graphs are built when so many rows are new, or were there when the index was opened, and nothing came for so
long."""


class QuietOptimizer:
    """Builds the graphs of one index; any thread may use it."""

    def __init__(self, index: VectorIndex, *, by_itself: bool = True) -> None:
        """`by_itself`: also when nobody asks for it, in the background."""
        self._index = index
        self._by_itself = by_itself
        self._lock = threading.Lock()
        self._new = 0
        """Rows that came since the graphs were built, as far as is known."""
        self._last = 0.0
        self._waiting = False
        self._closed = threading.Event()
        self.wrote(index.count())

    def wrote(self, rows: int) -> None:
        """Say that so many rows were written. Never raises, never waits."""
        with self._lock:
            self._new += rows
            self._last = time.monotonic()
            if not self._by_itself or self._waiting or self._new < _ROWS or self._closed.is_set():
                return
            self._waiting = True
        threading.Thread(target=self._when_quiet, name="rqa-optimize", daemon=True).start()

    def build(self) -> bool:
        """Build what is missing now; False where nothing is.

        Raises:
            StoreUnavailableError: the engine cannot. Searches work as before.
        """
        with self._lock:
            self._new = 0
        return self._index.optimize()

    def close(self) -> None:
        """Begin nothing more; what has begun is nobody's to wait for."""
        self._closed.set()

    def _when_quiet(self) -> None:
        while (left := self._last + _QUIET_SECONDS - time.monotonic()) > 0:
            if self._closed.wait(left):
                return
        with self._lock:
            self._waiting = False
        try:
            self.build()
        except StoreUnavailableError as error:
            if not self._closed.is_set():
                _log.warning("%s %s", error.message, error.hint)
