"""How does a suite avoid encoding the same thousands of texts again at every run?

Vectors of an encoder, kept in a file by the digest of the text: what is there is read, what is missing is encoded and
added. The same encoder gives the same vector, so a run with the file and one without it give the same result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rqa_checkpoints.embedding import Encoder

__all__ = ["KeptVectors"]


class KeptVectors:
    """An encoder that remembers; `save` writes what it knows."""

    def __init__(self, encoder: Encoder, path: Path | None) -> None:
        self._encoder = encoder
        self._path = path
        self.name, self.dimension, self.floors = encoder.name, encoder.dimension, encoder.floors
        self._known: dict[str, list[float]] = {}
        if path is not None and path.exists():
            with np.load(path) as stored:
                self._known = dict(zip(stored["marks"].tolist(), stored["vectors"].tolist(), strict=True))

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""
        return self._vectors("passage", texts, self._encoder.embed_documents)

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question."""
        return self._vectors("query", [text], lambda texts: [self._encoder.embed_query(one) for one in texts])[0]

    def _vectors(
        self, side: str, texts: list[str], encode: Callable[[list[str]], list[list[float]]]
    ) -> list[list[float]]:
        marks = [hashlib.sha256(f"{self.name}\0{side}\0{text}".encode()).hexdigest() for text in texts]
        missing = {mark: text for mark, text in zip(marks, texts, strict=True) if mark not in self._known}
        if missing:
            self._known.update(zip(missing, encode(list(missing.values())), strict=True))
        return [self._known[mark] for mark in marks]

    def save(self) -> None:
        """Write what is known, if a file was named."""
        if self._path is not None:
            vectors = np.array(list(self._known.values()), dtype=np.float64)
            np.savez_compressed(self._path, marks=np.array(list(self._known)), vectors=vectors)
