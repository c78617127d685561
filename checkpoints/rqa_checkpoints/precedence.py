"""Who goes first when two want the same processor? Whoever somebody waits for.

Indexing behind the log can wait; a search cannot. Both encode with the same model on the same few cores, and an encoder
that is being used twice takes twice as long for each.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rqa_checkpoints.changes import DocumentEncoder

__all__ = ["PatientEncoder", "Precedence"]

_TEXTS: Final = 2
"""Texts encoded before looking whether somebody waits: about 40 ms of the default encoder on one core."""
_PATIENCE_SECONDS: Final = 0.5
"""So long a text waits at most: without an end, steady searching would let the index fall behind for ever."""


class Precedence:
    """Any number go first; the rest wait for a moment in which nobody does, but never for ever."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._first = 0

    @contextmanager
    def first(self) -> Iterator[None]:
        """Go first, beside others who do. Never waits."""
        with self._changed:
            self._first += 1
        try:
            yield
        finally:
            with self._changed:
                self._first -= 1
                if not self._first:
                    self._changed.notify_all()

    def give_way(self, *, seconds: float) -> bool:
        """Wait while others go first, at most so long; False if they still do."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._first, seconds)


class PatientEncoder:
    """An encoder of stored texts that lets others go first."""

    def __init__(self, encoder: DocumentEncoder, precedence: Precedence) -> None:
        self._encoder = encoder
        self._precedence = precedence

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _TEXTS):
            self._precedence.give_way(seconds=_PATIENCE_SECONDS)
            vectors += self._encoder.embed_documents(texts[start : start + _TEXTS])
        return vectors
