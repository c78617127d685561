"""How do several processes that share a log deliberate on a question once?

As in one process (`flights.py`), by a lease in the shared database. Who does not get it looks from time to time whether
the leader has landed, and takes over where the leader's time is up.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from rqa_checkpoints.cache.leases import Leases
from rqa_graph.flights import WAIT_SECONDS

__all__ = ["aled", "led"]

Result = TypeVar("Result")
_POLL_SECONDS: Final = 0.2
_MARGIN_SECONDS: Final = 10.0
"""A lease is longer than the deliberation that it is for."""


def led(
    leases: Leases | None,
    key: str,
    *,
    seconds: float,
    landed: Callable[[], Result | None],
    work: Callable[[], Result],
) -> Result:
    """Do the work as the leader of all processes, or return what another one has kept.

    Args:
        leases: Of the shared log; None where it is this process's alone.
        key: Tenant and scope key of the question.
        seconds: What the work may take.
        landed: What has been kept meanwhile; None for nothing.
        work: Finds it.

    Raises:
        TimeoutError: another process took longer than a follower waits.
    """
    begun = time.monotonic()
    while leases is not None:
        token = leases.take(key, seconds=seconds + _MARGIN_SECONDS)
        if token is not None:
            try:
                return landed() or work()
            finally:
                leases.give_back(key, token)
        if (found := landed()) is not None:
            return found
        _check(begun)
        time.sleep(_POLL_SECONDS)
    return landed() or work()


async def aled(
    leases: Leases | None,
    key: str,
    *,
    seconds: float,
    landed: Callable[[], Result | None],
    work: Callable[[], Awaitable[Result]],
) -> Result:
    """Async form of `led`."""
    begun = time.monotonic()
    while leases is not None:
        token = await asyncio.to_thread(leases.take, key, seconds=seconds + _MARGIN_SECONDS)
        if token is not None:
            try:
                return await asyncio.to_thread(landed) or await work()
            finally:
                await asyncio.to_thread(leases.give_back, key, token)
        if (found := await asyncio.to_thread(landed)) is not None:
            return found
        _check(begun)
        await asyncio.sleep(_POLL_SECONDS)
    return await asyncio.to_thread(landed) or await work()


def _check(begun: float) -> None:
    if time.monotonic() - begun > WAIT_SECONDS:
        raise TimeoutError("another process deliberates on this question")
