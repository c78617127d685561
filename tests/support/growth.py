"""Does some work cost more than its input explains? No two machines are equally fast, so two sizes of one run compare.

What is compared is processor time of this thread, the least of a few runs, with the garbage collector still: what else
goes on in the machine only ever adds to it. The first pair that holds ends the measurement.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Final

__all__ = ["assert_linear", "assert_no_more_than"]

_MARGIN: Final = 2.5
"""What caches and a busy neighbour may add. The square of eight times the input would be 64 times the cost, not 20."""
_TRIES: Final = 5
_FLOOR_SECONDS: Final = 0.001
"""Below this a measurement is noise; less than it is taken for it."""


def assert_linear(work: Callable[[str], object], of: Callable[[int], str], *, largest: int) -> None:
    """A text of `largest` repetitions costs eight times what one of an eighth of them costs, within the margin.

    Args:
        work: Is given the text.
        of: Makes a text of so many repetitions.
        largest: The larger of the two numbers.
    """
    smalls = [of(largest // 8 - at) for at in range(_TRIES)]
    larges = [of(largest - 8 * at) for at in range(_TRIES)]
    assert_no_more_than(8 * _MARGIN, lambda at: work(smalls[at]), lambda at: work(larges[at]))


def assert_no_more_than(times: float, small: Callable[[int], object], large: Callable[[int], object]) -> None:
    """The large work costs no more than so many times the small one.

    Each is given the number of the try, so that it need not repeat what an earlier one has left in a cache.
    """
    small(_TRIES - 1)  # what is made once, such as compiled patterns, is part of neither
    smalls, larges = list[float](), list[float]()
    for at in range(_TRIES):
        smalls.append(_cpu_seconds(lambda: small(at)))  # noqa: B023  # called at once
        larges.append(_cpu_seconds(lambda: large(at)))  # noqa: B023
        if min(larges) <= times * max(min(smalls), _FLOOR_SECONDS):
            return
    raise AssertionError(f"{min(larges):.4f} s is more than {times:g} times {min(smalls):.4f} s")


def _cpu_seconds(work: Callable[[], object]) -> float:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        start = time.thread_time()
        work()
        return time.thread_time() - start
    finally:
        if was_enabled:
            gc.enable()
