"""An Integrity Cache in memory or on disk with a clock that a test sets, and answers to put into it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rqa_checkpoints.cache.entries import prepare
from rqa_checkpoints.cache.ledger import Ledger
from rqa_checkpoints.cache.policy import PolicyBook
from rqa_checkpoints.cache.records import Ask, CachedSource, Draft
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.log import EventLog
from tests.support.memories import Ids, closed_later, log_at

__all__ = ["NOW", "POLICIES", "SetClock", "ask", "book", "draft", "open_store", "put", "source"]

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
    log = closed_later(EventLog.open(log_at(place) or place, clock=clock, ids=Ids()))
    return CacheStore(Ledger(log, KeyRing.in_memory()), clock=clock)


def put(store: CacheStore, given: Draft, *, supersedes: str = "", clock: SetClock | None = None) -> str:
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
