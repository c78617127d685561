"""Is the log as it was written?

Each event's hash covers its number, its public fields, the salted hash of its private ones and the hash before it. The
private words are not in the chain, only their salted hash: words and salt can be erased, and the chain still holds
where a later event says that they were. Words that are missing and were never said to be erased break it.
A cut at the end is found because the head is stored beside the events.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

__all__ = [
    "DIGEST",
    "ERASE",
    "GENESIS",
    "START",
    "Event",
    "Head",
    "canonical",
    "event_hash",
    "first_broken",
    "private_hash",
    "spans_of",
]

DIGEST = "sha256"
"""FIPS 180-4."""

GENESIS = "0" * 64
"""The hash before the first event."""

ERASE = "erase"
"""Kind of the event that names, in `seqs`, the events whose words were erased."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One row of the log."""

    seq: int
    """From 1, without a gap."""
    at: str
    op: str
    tenant: str
    user: str
    body: str
    """Canonical JSON of the public fields: ids, kinds, times, never words."""
    private_hash: str
    """Salted hash of the private fields, or empty where there are none."""
    prev: str
    hash: str
    salt: bytes | None = None
    private: bytes | None = None
    """Canonical JSON of the private fields; None where there are none."""

    def public(self) -> dict[str, Any]:
        """The public fields as they were given."""
        fields: dict[str, Any] = json.loads(self.body)
        return fields

    def secret(self) -> dict[str, Any]:
        """The private fields as they were given."""
        fields: dict[str, Any] = json.loads(self.private) if self.private else {}
        return fields


@dataclass(frozen=True, slots=True)
class Head:
    """Where the chain ends."""

    seq: int
    hash: str


START = Head(0, GENESIS)
"""Before the first event."""


def canonical(value: object) -> str:
    """JSON with sorted keys, no spaces and ASCII only: equal values give equal bytes on every machine."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def private_hash(salt: bytes, private: bytes) -> str:
    """The salted hash by which the chain knows private fields."""
    return hashlib.new(DIGEST, salt + private).hexdigest()


def event_hash(event: Event) -> str:
    """The hash of everything an event says, and of the event before it."""
    fields = [event.seq, event.at, event.op, event.tenant, event.user, event.body, event.private_hash, event.prev]
    return hashlib.new(DIGEST, canonical(fields).encode("ascii")).hexdigest()


def first_broken(events: Iterable[Event], head: Head, *, start: Head = START) -> int | None:
    """The number of the first event that is not as it was written, in order of number; None when all hold.

    A missing or foreign event breaks the place where it is noticed; a cut end breaks the first missing number.

    Args:
        events: The events after `start`.
        head: Where the chain is said to end.
        start: Where a part that is known to hold ended.
    """
    seq, prev = start.seq, start.hash
    missing: set[int] = set()
    for event in events:
        seq += 1
        if not _holds(event, seq, prev):
            return seq
        prev = event.hash
        if event.private is None and event.private_hash:
            missing.add(seq)
        if event.op == ERASE:
            missing.difference_update(*(range(first, last + 1) for first, last in event.public()["seqs"]))
    if missing:
        return min(missing)
    if (seq, prev) != (head.seq, head.hash):
        return min(seq, head.seq) + 1
    return None


def _holds(event: Event, seq: int, prev: str) -> bool:
    if event.seq != seq or event.prev != prev or event.hash != event_hash(event):
        return False
    if event.private is None or event.salt is None:
        return event.private is None and event.salt is None
    return event.private_hash == private_hash(event.salt, event.private)


def spans_of(seqs: Iterable[int]) -> list[list[int]]:
    """Numbers as runs [first, last], in order: those of one person's log are mostly neighbours."""
    spans: list[list[int]] = []
    for seq in sorted(set(seqs)):
        if spans and spans[-1][1] == seq - 1:
            spans[-1][1] = seq
        else:
            spans.append([seq, seq])
    return spans
