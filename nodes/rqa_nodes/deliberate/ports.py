"""What does a deliberation need from outside, as promises?

Where sources lie, who answers, where answers are kept, and who decides on them. No step reads a clock, a file or the
network by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from rqa_checkpoints.provenance import Ask, CachedSource, Draft, Proposal, Queued, Scope, source_handle
from rqa_nodes.deliberate.claims import Guard
from rqa_nodes.ports import Clock, IdFactory
from rqa_nodes.turn import ChatModel

__all__ = ["Bench", "Corpus", "Found", "Inquiry", "Kept", "Library", "Limits", "PendingQueue", "cached"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A verified source, and the part of it that bears on a question."""

    locator: str
    publisher: str
    family: str
    """Whose voice it is: two pages of one publisher are one voice."""
    retrieved_at: str
    """When we fetched it, ISO 8601."""
    sha256: str
    """Of the whole source."""
    text: str
    """The part, word for word; of a source that was fetched by its name, all of it."""
    authority: bool = False
    expires_at: str = ""

    @property
    def handle(self) -> str:
        """By what an answer cites it."""
        return source_handle(self.locator, self.sha256)


class Corpus(Protocol):
    """The sources that a person put on the list. What is not on it is never read; an answer of ours never is."""

    def search(self, question: str, *, domain: str, limit: int) -> Sequence[Found]:
        """The sources of a domain that bear on a question, best first."""

    def fetch(self, locator: str, *, domain: str) -> Found | None:
        """One source of a domain, whole and fetched now; None where it is not on the list or cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What holds for one request, in thousandths where it is a number."""

    baseline_gi: int
    sensitive: bool
    policy_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Where an answer stands that was kept."""

    entry: str
    ledger_seq: int
    ledger_hash: str
    verified_at: str
    valid_until: str


class Library(Protocol):
    """Where verified answers are kept. Every write may be repeated: the same run leaves the same."""

    def limits(self, ask: Ask) -> Limits | None:
        """What holds for a request; None where its domain is not on the list."""

    def findings(self, ask: Ask, answer: str) -> Sequence[str]:
        """What in question and answer forbids writing them down anywhere: kinds of personal data."""

    def importance(self, ask: Ask) -> int:
        """How much it matters that this is answered well: requests in 30 days times the risk of the domain."""

    def attest(self, draft: Draft) -> str:
        """Sign what the answer is; return the id that its entry will have. Raises EntryRefusedError."""

    def commit(self, entry: str, *, tenant: str) -> Kept:
        """Make it an entry, or adopt the one that another writer put under the same key meanwhile."""

    def note(self, run: str, ask: Ask, outcome: Mapping[str, Any]) -> None:
        """Write into the ledger what a deliberation came to: names and numbers, no words. Once a run."""


class PendingQueue(Protocol):
    """The product's one queue of what persons decide."""

    def put(self, proposal: Proposal, *, scope: Scope, at: str) -> Queued:
        """Queue a proposal; the same one again is the same item. Raises QueueFullError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Who takes part."""

    engines: tuple[str, ...]
    """Models that answer, by name."""
    alternates: tuple[str, ...] = ()
    """Those that are asked once more where the first ones came to nothing usable."""
    reviewer: str = ""
    """The model that judges; "" for none."""
    seconds: float = 120.0
    """For one deliberation."""
    sources: int = 6
    """Documents given to the engines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """One run of one step: what it works with."""

    clock: Clock
    ids: IdFactory
    bench: Bench
    corpus: Corpus
    answer_library: Library
    queue: PendingQueue
    guard: Guard
    chat: Callable[[str], ChatModel]
    scope: Scope
    """Who asks."""
    emit: Callable[[dict[str, Any]], None] = field(default=lambda _event: None)

    def deadline(self, given: str) -> datetime:
        """When it must be over. One that is resumed after its time gets the time anew."""
        now, fixed = self.clock(), datetime.fromisoformat(given)
        return fixed if now < fixed else now + timedelta(seconds=self.bench.seconds)


def cached(found: Found, span: str) -> CachedSource:
    """A source as it is attested, with the words of it that carry claims."""
    return CachedSource(
        locator=found.locator,
        publisher=found.publisher,
        retrieved_at=found.retrieved_at,
        sha256=found.sha256,
        span=span,
        expires_at=found.expires_at,
        family=found.family,
    )
