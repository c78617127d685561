"""Was this very question asked before, of a memory that has not changed since?

The last 64 recalls, by everything that they depend on: words, parameters, and the version of the store. Nothing is
kept past a change, so nothing is ever out of date; a kept answer says that it is one, and plans nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import replace
from threading import Lock
from typing import Final

from rqa_checkpoints.provenance import Recall, TrainingDelta

__all__ = ["KeptRecalls"]

_KEPT: Final = 64


class KeptRecalls:
    """Recalls by key, the least recently asked dropped first. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Recall] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Recall | None:
        """The kept answer, marked as such; None if there is none."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
        return replace(found, training_delta=found.training_delta and TrainingDelta(cache_hit=True))

    def put(self, key: Hashable, recall: Recall) -> Recall:
        """Keep an answer and return it."""
        with self._lock:
            self._kept[key] = recall
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return recall
