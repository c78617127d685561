"""What the nodes need from outside, as promises: the graph wires what keeps them.

No node reads a clock, a random source, a file or the network by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol

from rqa_checkpoints.provenance import (
    Adopted,
    Answered,
    Ask,
    CommitResult,
    Entry,
    HeldBack,
    Kind,
    Lookup,
    MemoryNode,
    QueueItem,
    Recall,
    RecalledItem,
    Scope,
    SourceClass,
    TurnPart,
)

__all__ = [
    "Adoptions",
    "Cache",
    "Clock",
    "CommitResult",
    "HeldBack",
    "IdFactory",
    "Memory",
    "Recall",
    "RecalledItem",
    "TurnPart",
]

Clock = Callable[[], datetime]
"""Returns the current time, aware, in UTC."""

IdFactory = Callable[[], str]
"""Returns a new id, unique for ever: lower-case letters and digits."""


class Adoptions(Protocol):
    """What persons decide, and what they have changed by it."""

    def get(self, item: str, *, scope: Scope) -> QueueItem:
        """One item of the queue. Raises UnknownProposalError."""

    def areas(self, *, scope: Scope) -> Sequence[Adopted]:
        """The version that stands of each area that was changed."""


class Cache(Protocol):
    """Answers that were verified and attested before. Each call names the tenant."""

    def look(self, ask: Ask) -> Lookup:
        """Look a question up; never raises for what is stored, nor for an embedder that fails."""

    def confirm(self, ask: Ask, found: Lookup) -> Lookup:
        """Look at a hit once more when the response is built, and count the look-up."""

    def entry(self, entry: str, *, tenant: str) -> Entry:
        """One entry, proven. Raises UnknownEntryError, ChainBrokenError."""

    def quarantine(self, entry: str, *, tenant: str, reason: str) -> None:
        """Put an entry aside for good."""


class Memory(Protocol):
    """The remembered items of one person at a time. Every call names the scope; a foreign id is an unknown id."""

    def expect(self, query: str) -> None:
        """Say what the next recall is about to ask, so that it waits less; never raises, changes nothing."""

    def recall(
        self,
        query: str,
        *,
        scope: Scope,
        top_k: int = 8,
        at: str = "",
        actor: SourceClass | None = None,
        session: str = "",
    ) -> Recall:
        """Find what is near the query; changes nothing.

        `actor` is who will use what comes back, in the thread `session` and at the time `at` (ISO 8601): the answer
        says what that would change. Without an actor it is a mere look.
        """

    def recent_statements(self, *, scope: Scope, limit: int) -> list[MemoryNode]:
        """What the user said last, the newest first; questions are left out."""

    def get(self, ids: Sequence[str], *, scope: Scope) -> list[MemoryNode]:
        """Items by id, in the order asked; unknown ones are left out."""

    def answered(self, ids: Collection[str], *, scope: Scope) -> Mapping[str, Answered]:
        """The person's yes or no that stands to each of these items; unanswered ones are left out."""

    def newer(self, ids: Collection[str], *, scope: Scope) -> Mapping[str, tuple[MemoryNode, ...]]:
        """What the person said since in place of each of these items, what stands first; the rest is left out."""

    def lookup(self, reference: str, *, scope: Scope) -> Literal["exact", "prefix"] | None:
        """Is this string a handle or id of this person's items, or the beginning (4 characters or more) of one?"""

    def speakers_of(self, texts: Collection[str], *, scope: Scope, thread: str = "") -> Mapping[str, SourceClass]:
        """Who said these very messages, by our own record; one that was never recorded is left out."""

    def plan(
        self,
        text: str,
        *,
        scope: Scope,
        thread: str,
        turn_id: str,
        role: Literal["user", "assistant"],
        author: str,
        recorded_at: str,
        source: SourceClass,
        kind: Kind | None = None,
        derived_from: Sequence[str] = (),
        injected: Sequence[str] = (),
    ) -> list[MemoryNode]:
        """Cut a message into the items that it will leave (first 8 sentences); writes nothing.

        `injected` are texts shown to the model this turn: in any text that is not the user's, sentences that repeat
        them leave no item (P2).
        """

    def keep_source(self, text: str, *, scope: Scope, tool: str, locator: str, digest: str, thread: str) -> MemoryNode:
        """Store what a tool found, as class `external`; what is there already is that item, shown again.

        Raises RefusedTextError for a text that must not become memory.
        """

    @property
    def queue(self) -> Adoptions:
        """What persons decided on."""

    def is_intact(self) -> bool:
        """Is the log as it was written? Cheap after the first call, which walks all of it."""

    def commit(self, part: TurnPart) -> CommitResult:
        """Write one part in one transaction, and return when it is on disk."""

    def put_blob(self, text: str, *, scope: Scope) -> str:
        """Store a long text once, erasable; return its digest."""

    def get_blob(self, digest: str, *, scope: Scope) -> str:
        """The text of a digest; raises UnknownNodeError."""
