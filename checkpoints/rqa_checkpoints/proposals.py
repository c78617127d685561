"""What waits for a person's decision, and what came of it?

Pure types of the review queue. A proposal is data until a person decides on the very version that they saw; what a
decision brings about is written as effects, in the same transaction as the decision, so that neither is there without
the other.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from rqa_checkpoints.records import Scope

__all__ = [
    "HOME_SCOPE",
    "Adopted",
    "Attestation",
    "Decided",
    "Effect",
    "Proposal",
    "QueueItem",
    "QueueStatus",
    "Queued",
    "adoption",
    "proposal_id",
]

HOME_SCOPE = Scope("@home", "@home")
"""Whose the things are that hold for a whole home and no single person, such as who judges questions."""

_ID_CHARACTERS = 10
"""40 bits of hash: two of 10,000 items of a person share an id with probability 0.005 %."""


class QueueStatus(StrEnum):
    """Where an item of the queue stands. Nothing leaves the last two."""

    pending = "pending"
    approved = "approved"
    rejected = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something to be decided, before it is in the queue."""

    kind: str
    payload: Mapping[str, Any]
    requester: str
    """The model or the person that proposes it."""
    key: str
    """The same kind and key of the same person again is the same item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """One item of the queue, as it stands."""

    scope: Scope
    id: str
    kind: str
    requester: str
    version: int
    """From 1; each edit makes the next."""
    status: QueueStatus
    asked_at: str
    payload: Mapping[str, Any]
    """Of the latest version; empty if it was erased."""
    edited_by: str = ""
    decided_by: str = ""
    decided_at: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON, without the scope."""
        fields = {name: value for name, value in asdict(self).items() if name != "scope"}
        return {**fields, "status": self.status.value, "payload": dict(self.payload)}


class Queued(NamedTuple):
    """What became of a proposal."""

    state: Literal["queued", "known", "full"]
    """`known`: it was there, decided or not, and nothing changed. `full`: too many wait, and it was not kept."""
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attestation:
    """A person's decision on one version of one item."""

    item: str
    version: int
    verdict: Literal["approve", "reject"]
    by: str
    at: str
    thread: str
    """The thread in which it was made: two threads never make the same decision."""
    note: str = ""

    @property
    def mark(self) -> str:
        """SHA-256 of all fields: the same decision written again is known by it."""
        fields = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(fields.encode("ascii")).hexdigest()


class Decided(NamedTuple):
    """What became of a decision."""

    state: Literal["decided", "repeated"]
    item: QueueItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """One version of an area that persons have changed."""

    area: str
    version: int
    content: Mapping[str, Any]
    by: str
    at: str
    item: str = ""
    """The item that was approved; empty for a rollback."""
    restores: int = -1
    """For a rollback: the version whose content stands again, 0 for the state before the first. Else -1."""
    rationale: str = ""

    @property
    def is_rollback(self) -> bool:
        """True if this version brought an earlier one back."""
        return not self.item

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "content": dict(self.content)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One event of the log that a decision brings about."""

    op: str
    public: Mapping[str, Any]
    private: Mapping[str, Any] = field(default_factory=dict)


def adoption(
    area: str, content: Mapping[str, Any], *, current: Adopted | None, attestation: Attestation, rationale: str = ""
) -> Effect:
    """The effect that makes `content` the next version of an area."""
    public = {
        "area": area,
        "version": current.version + 1 if current else 1,
        "item": attestation.item,
        "by": attestation.by,
        "at": attestation.at,
        "restores": -1,
    }
    return Effect(op="adopt", public=public, private={"content": dict(content), "rationale": rationale})


def proposal_id(scope: Scope, kind: str, key: str) -> str:
    """The id of an item, from what makes it the same one: `q` and hexadecimal digits."""
    parts = json.dumps([scope.tenant, scope.user, kind, key], separators=(",", ":"))
    return "q" + hashlib.sha256(parts.encode("ascii")).hexdigest()[:_ID_CHARACTERS]
