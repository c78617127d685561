"""How does a suite avoid encoding the same thousands of texts for every arm?

The same encoder gives the same vector, so a run with kept vectors and one without them give the same result.
"""

from __future__ import annotations

from rqa_checkpoints.embedding import Encoder

__all__ = ["KeptVectors"]


class KeptVectors:
    """An encoder that remembers."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.name, self.dimension, self.floors = encoder.name, encoder.dimension, encoder.floors
        self._documents: dict[str, list[float]] = {}
        self._queries: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""
        if missing := [text for text in dict.fromkeys(texts) if text not in self._documents]:
            self._documents.update(zip(missing, self._encoder.embed_documents(missing), strict=True))
        return [self._documents[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question."""
        if text not in self._queries:
            self._queries[text] = self._encoder.embed_query(text)
        return self._queries[text]
