"""How does one question that many ask at once cost one deliberation?

The first who asks leads, the others wait for what the leader finds. A leader that fails hands over to one of those who
wait; its error is told to nobody else and is not kept. Who waits too long is told so, and asks again later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar

__all__ = ["Flown", "SingleFlight"]

Result = TypeVar("Result")
_FAILED: Final = object()
WAIT_SECONDS: Final = 30.0
"""How long a follower waits."""


class Flown(NamedTuple, Generic[Result]):
    """What came of it, and for whom."""

    result: Result
    role: Literal["leader", "follower"]


class SingleFlight:
    """One flight a key in this process."""

    def __init__(self, *, wait_s: float = WAIT_SECONDS) -> None:
        self._wait_s = wait_s
        self._flying: dict[str, Future[Any]] = {}
        self._lock = Lock()

    def run(self, key: str, work: Callable[[], Result]) -> Flown[Result]:
        """Do the work, or wait for who does it.

        Raises:
            TimeoutError: the leader took longer than a follower waits.
            Exception: whatever `work` raised, for the leader alone.
        """
        while (future := self._join(key)) is not None:
            found = future.result(timeout=self._wait_s)
            if found is not _FAILED:
                return Flown(found, "follower")
        with self._leading(key) as landed:
            return Flown(landed(work()), "leader")

    async def arun(self, key: str, work: Callable[[], Awaitable[Result]]) -> Flown[Result]:
        """Async form of `run`."""
        while (future := self._join(key)) is not None:
            found = await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(future)), self._wait_s)
            if found is not _FAILED:
                return Flown(found, "follower")
        with self._leading(key) as landed:
            return Flown(landed(await work()), "leader")

    def _join(self, key: str) -> Future[Any] | None:
        """The flight to wait for; None for who begins one."""
        with self._lock:
            found = self._flying.get(key)
            if found is None:
                self._flying[key] = Future()
            return found

    @contextmanager
    def _leading(self, key: str) -> Iterator[Callable[[Result], Result]]:
        outcome: list[Any] = [_FAILED]

        def landed(result: Result) -> Result:
            outcome[0] = result
            return result

        try:
            yield landed
        finally:
            with self._lock:
                future = self._flying.pop(key)
            future.set_result(outcome[0])
