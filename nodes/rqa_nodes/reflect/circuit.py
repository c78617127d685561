"""Is it worth asking the evaluator now?

After three failures in a row nobody waits for it for a minute; then one call may try. Monotonic time is injected, so
a changed wall clock neither holds the circuit open nor closes it early.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

__all__ = ["CircuitBreaker"]

FAILURES: Final = 3
OPEN_SECONDS: Final = 60.0


class CircuitBreaker:
    """Counts failures in a row. Safe to share between threads."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        failures: int = FAILURES,
        open_seconds: float = OPEN_SECONDS,
        before: tuple[int, float] = (0, 0.0),
        keep: Callable[[int], None] = lambda _failures: None,
    ) -> None:
        """A breaker that may go on where another one stood.

        Args:
            monotonic: seconds, never going back.
            failures: in a row, from which on the circuit is open.
            open_seconds: for so long.
            before: failures in a row that were counted before, and how many seconds ago the last one was.
            keep: called with the failures in a row whenever one is counted, a try begins, or they are over.
        """
        self._monotonic = monotonic
        self._limit = failures
        self._open_seconds = open_seconds
        self._failures = before[0]
        self._opened_at = monotonic() - before[1]
        self._keep = keep
        self._lock = threading.Lock()

    def is_open(self) -> bool:
        """True while no call should be made. Asking changes nothing."""
        with self._lock:
            return self._failures >= self._limit and self._monotonic() - self._opened_at < self._open_seconds

    def begin(self) -> bool:
        """May this caller make a call now? When the time is over one caller may try, and the others wait for its word.

        A try of which nothing is ever reported counts like a failure: the next one comes after the full time.
        """
        with self._lock:
            now = self._monotonic()
            if self._failures < self._limit:
                return True
            if now - self._opened_at < self._open_seconds:
                return False
            self._opened_at = now
            self._keep(self._failures)
            return True

    def succeeded(self) -> None:
        """A call brought a usable answer: the count starts again."""
        with self._lock:
            if self._failures:
                self._keep(0)
            self._failures = 0

    def failed(self) -> None:
        """A call failed. From the third in a row on, each failure opens the circuit for its full time."""
        with self._lock:
            self._failures += 1
            self._opened_at = self._monotonic()
            self._keep(self._failures)
