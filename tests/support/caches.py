"""An Integrity Cache in memory or on disk with a clock that a test sets, and answers to put into it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rqa_checkpoints.cache.canonical import normalise
from rqa_checkpoints.cache.entries import prepare
from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.ledger import Ledger
from rqa_checkpoints.cache.policy import PolicyBook
from rqa_checkpoints.cache.records import Ask, CachedSource, Draft
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.cache.similarity import Scale
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.cache.vectors import QuestionIndex
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.floors import Floors
from rqa_checkpoints.log import EventLog
from tests.support.memories import Ids, closed_later, log_at

__all__ = [
    "LINEAR",
    "NOW",
    "POLICIES",
    "ScriptedEncoder",
    "SetClock",
    "ask",
    "book",
    "draft",
    "forge",
    "open_cache",
    "open_store",
    "put",
    "source",
    "write",
]

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)

POLICIES: Mapping[str, Any] = {
    "version": 1,
    "domains": {
        "facts": {"tag": "static"},
        "general": {"tag": "general"},
        "law": {"tag": "law", "jurisdiction": "required"},
        "news": {"tag": "news"},
        "daily": {"tag": "daily"},
        "yearly": {"tag": "yearly"},
        "care": {"tag": "static", "sensitive": True, "exact_gi": 985, "baseline_gi": 970},
    },
    "rollout": [{"phase": 4}],
}


class SetClock:
    """Stands still until a test moves it."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **units: float) -> None:
        self.now += timedelta(**units)


def book(**changes: Any) -> PolicyBook:
    return PolicyBook.from_mapping({**POLICIES, **changes})


def ask(question: str = "How tall is Mount Fuji?", **changes: Any) -> Ask:
    fields: dict[str, Any] = {"tenant": "local", "domain": "facts", "locale": "en", "cacheable": True, **changes}
    return Ask(question=question, **fields)


def source(
    span: str = "Mount Fuji is 3,776 metres high.", *, at: datetime = NOW, locator: str = "gsi.md", **changes: Any
) -> CachedSource:
    return CachedSource(
        locator=locator,
        publisher="Geospatial Authority",
        retrieved_at=at.isoformat(),
        sha256=hashlib.sha256(span.encode()).hexdigest(),
        span=span,
        **changes,
    )


def draft(
    question: str = "How tall is Mount Fuji?",
    answer: str = "Mount Fuji is 3,776 metres high.",
    *,
    run: str = "run1",
    gi: int = 980,
    sources: Sequence[CachedSource] | None = None,
    scope: Mapping[str, Any] | None = None,
    at: datetime = NOW,
    **changes: Any,
) -> Draft:
    return Draft(
        run_id=run,
        ask=ask(question, **(scope or {})),
        answer=answer,
        sources=[source(at=at)] if sources is None else sources,
        gi=gi,
        gi_components={"support": 1000, "agreement": 1000, "sources": 900, "reviewer": 1000},
        gi_version="gi-1",
        votes=[{"who": "engine-a", "family": "a", "vote": "approve"}],
        **changes,
    )


def open_store(place: Path | str = ":memory:", *, clock: SetClock | None = None) -> CacheStore:
    """A store whose key lies in memory."""
    clock = clock or SetClock()
    return store_over(closed_later(EventLog.open(log_at(place) or place, clock=clock, ids=Ids())), clock=clock)


def store_over(log: EventLog, *, clock: Callable[[], datetime] | None = None) -> CacheStore:
    """A store over a log that is open."""
    return CacheStore(Ledger(log, KeyRing.in_memory()), clock=clock or SetClock())


def put(store: CacheStore, given: Draft, *, supersedes: str = "", clock: Callable[[], datetime] | None = None) -> str:
    """Attest and commit, and return the entry's id."""
    prepared = prepare(
        given,
        book().of(given.ask.domain),
        phase=4,
        findings=(),
        embedding_model="hash",
        supersedes=supersedes,
        now=(clock or SetClock())(),
    )
    store.attest(prepared)
    return store.commit(prepared.id, tenant=given.ask.tenant).entry


class _Linear(Scale):
    """Cosines as they are."""

    def similarity(self, cosine: float) -> int:
        return math.floor(1000 * cosine + 1e-3)


def LINEAR(encoder: Encoder, lang: str) -> Scale:  # noqa: N802  # stands for a constant
    return _Linear(0.5, 0.9)


class ScriptedEncoder:
    """Vectors whose cosine with the first axis a test sets: 0 stands for 1; what it does not know is far from all."""

    name = "scripted"
    dimension = 4
    floors = Floors(en=0.5, ja=0.5)

    def __init__(self, cosines: Mapping[str, float]) -> None:
        self._cosines = {normalise(text): cosine or 1.0 for text, cosine in cosines.items()}
        self.asked: list[str] = []
        self.fails: BaseException | None = None

    def embed_query(self, text: str) -> list[float]:
        if self.fails is not None:
            raise self.fails
        self.asked.append(text)
        cosine = self._cosines.get(normalise(text))
        if cosine is None:
            return [0.0, 0.0, 0.0, 1.0]
        return [cosine, math.sqrt(1 - cosine**2), 0.0, 0.0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


class Lines:
    """Keeps figures in a list."""

    def __init__(self, kept: list[Any]) -> None:
        self._kept = kept

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        self._kept += lines


def open_cache(
    place: Path | str = ":memory:",
    *,
    clock: SetClock | None = None,
    encoder: Any = None,
    scale: Callable[[Encoder, str], Scale | None] = LINEAR,
    lines: list[Any] | None = None,
    policies: PolicyBook | None = None,
    ring: KeyRing | None = None,
) -> IntegrityCache:
    """A cache whose key and index lie in memory; without an encoder it has no semantic tier."""
    clock = clock or SetClock()

    def questions(store: CacheStore) -> QuestionIndex:
        return QuestionIndex.open(store, encoder, ":memory:")

    return IntegrityCache(
        EventLog.open(place, clock=clock, ids=Ids()),
        ring=ring or KeyRing.in_memory(),
        policies=policies or book(),
        clock=clock,
        open_questions=questions if encoder is not None else None,
        recorder=Lines(lines) if lines is not None else None,
        scale=scale,
    )


def write(cache: IntegrityCache, given: Draft) -> str:
    """Prepare, attest and commit, and return the entry's id."""
    prepared = cache.prepare(given)
    cache.attest(prepared)
    return cache.commit(prepared.id, tenant=given.ask.tenant).entry


def forge(cache: IntegrityCache, given: Draft) -> str:
    """Attest and commit whatever its score, as a program with a looser policy would."""
    store = cache.store
    policy = book().of(given.ask.domain)
    assert policy is not None
    policy = replace(policy, baseline_gi=0)
    prepared = prepare(given, policy, phase=4, findings=(), embedding_model="scripted", supersedes="", now=NOW)
    store.attest(prepared)
    return store.commit(prepared.id, tenant=given.ask.tenant).entry
