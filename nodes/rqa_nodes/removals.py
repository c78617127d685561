"""Where removed words wait between the node that removed them and the commit that files them.

They may enter no channel, so they wait in the process, bounded; the commit puts them into the turn's audit record. If
the process dies in between, the resumed turn's record says what was removed by kind and span, without the words.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

__all__ = ["RemovalStash"]

_MOST_PARTS = 256
"""More turns than run at once in one process; the oldest give way."""


class RemovalStash:
    """Thread-safe; keyed by `turn_id/part` or, in a reflection, `turn_id/part/round`."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Mapping[str, Any], ...]] = OrderedDict()
        self._lock = Lock()

    def keep(self, key: str, removed: Sequence[Mapping[str, Any]]) -> None:
        """Remember under a key; a second call replaces the first."""
        with self._lock:
            self._kept[key] = tuple(removed)
            while len(self._kept) > _MOST_PARTS:
                self._kept.popitem(last=False)

    def take(self, key: str) -> tuple[Mapping[str, Any], ...]:
        """What was kept under a key and its rounds, once."""
        with self._lock:
            found = [name for name in self._kept if name == key or name.startswith(f"{key}/")]
            return tuple(row for name in found for row in self._kept.pop(name))
