"""What the nodes need from outside, as promises: the graph wires what keeps them.

No node reads a clock, a random source, a file or the network by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass

__all__ = ["Clock", "CommitResult", "HeldBack", "IdFactory", "Memory", "Recall", "RecalledItem", "TurnPart"]

Clock = Callable[[], datetime]
"""Returns the current time, aware, in UTC."""

IdFactory = Callable[[], str]
"""Returns a new id, unique for ever: lower-case letters and digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledItem:
    """One item and why it was recalled."""

    node: MemoryNode
    score: float
    """Fused rank score; only its order means something."""
    cosine: float | None = None
    """Raw cosine of the dense side; None where it took no part (tail rows, lexical mode)."""
    lexical: float = 0.0
    """Score of the sparse side; 0 where nothing matched."""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldBack:
    """A match that was not returned, and the one reason."""

    id: str
    handle: str
    reason: str
    """below_floor, filter, budget or quarantined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What a query found."""

    items: tuple[RecalledItem, ...] = ()
    held_back: tuple[HeldBack, ...] = ()
    mode: Literal["hybrid", "lexical"] = "hybrid"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPart:
    """One transaction: everything that a verified part of a turn leaves behind.

    `part` is "answer", "question" or "write". Same (turn_id, part) and same texts again: nothing changes.
    """

    scope: Scope
    thread: str
    turn_id: str
    part: str
    recorded_at: str
    forked_from: str = ""
    user_text: str = ""
    reply_text: str = ""
    nodes: tuple[MemoryNode, ...] = ()
    cited: tuple[str, ...] = ()
    """Ids of the items that the reply cites."""
    report: Mapping[str, Any] = field(default_factory=dict)
    """Kinds, spans, references, actions and hashes: no removed words."""
    removed: tuple[Mapping[str, Any], ...] = ()
    """The removed words with their spans: audit record only, never indexed, never injected."""
    outcome: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitResult:
    """What a commit did."""

    state: Literal["written", "repeated", "conflict"]
    """`repeated`: the same part with the same texts was there. `conflict`: other texts under the same key; nothing
    was written (the caller mints a new turn_id with `forked_from`)."""
    written: tuple[str, ...] = ()
    """Ids of the items that this part holds (new, or seen once more)."""
    report: Mapping[str, Any] = field(default_factory=dict)
    """The stored report, when `repeated`."""


class Memory(Protocol):
    """The remembered items of one person at a time. Every call names the scope; a foreign id is an unknown id."""

    def recall(self, query: str, *, scope: Scope, top_k: int = 8) -> Recall:
        """Find what is near the query; changes nothing."""

    def get(self, ids: Sequence[str], *, scope: Scope) -> list[MemoryNode]:
        """Items by id, in the order asked; unknown ones are left out."""

    def lookup(self, reference: str, *, scope: Scope) -> Literal["exact", "prefix"] | None:
        """Is this string a handle or id of this person's items, or the beginning (4 characters or more) of one?"""

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

    def commit(self, part: TurnPart) -> CommitResult:
        """Write one part in one transaction, and return when it is on disk."""

    def put_blob(self, text: str, *, scope: Scope) -> str:
        """Store a long text once, erasable; return its digest."""

    def get_blob(self, digest: str, *, scope: Scope) -> str:
        """The text of a digest; raises UnknownNodeError."""
