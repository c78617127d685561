"""What did persons have to decide, and how did they?

The queue lies in the event log, so it survives whatever a turn survives and is under the same hash chain. Each change
names the version it is about and is checked inside the transaction of the single appender: of several decisions on one
item exactly one is written, and what it brings about stands in the same transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from rqa_checkpoints import tables
from rqa_checkpoints.chain import canonical
from rqa_checkpoints.effects import apply_effects
from rqa_checkpoints.errors import (
    AlreadyDecidedError,
    QueueFullError,
    RuleBrokenError,
    StaleVersionError,
    UnknownProposalError,
)
from rqa_checkpoints.log import EventLog, Writer
from rqa_checkpoints.proposals import (
    Adopted,
    Attestation,
    Decided,
    Effect,
    Proposal,
    Queued,
    QueueItem,
    QueueStatus,
    proposal_id,
)
from rqa_checkpoints.records import Scope

__all__ = ["MAX_PAYLOAD_BYTES", "MAX_PENDING", "ReviewQueue", "put_proposal"]

MAX_PENDING = 100
"""Undecided items of one kind and person: a model that proposes something each turn fills no list without end."""
MAX_PAYLOAD_BYTES = 16 * 1024
"""As canonical JSON."""

Effects = Callable[[Callable[[str], Adopted | None]], Sequence[Effect]]
"""Given a way to read areas as they stand in the transaction: what an approval brings about."""


def put_proposal(writer: Writer, proposal: Proposal, *, scope: Scope, at: str) -> Queued:
    """Queue a proposal inside a transaction; one that is too large is treated as if the queue were full."""
    view, item = writer.connection, proposal_id(scope, proposal.kind, proposal.key)
    if _find(view, scope, item) is not None:
        return Queued("known", item)
    waiting = select(func.count()).select_from(tables.queue).where(_mine(scope))
    queue = tables.queue.c
    pending = view.execute(waiting.where(queue.kind == proposal.kind, queue.status == QueueStatus.pending)).scalar_one()
    if pending >= MAX_PENDING or len(canonical(dict(proposal.payload))) > MAX_PAYLOAD_BYTES:
        return Queued("full", item)
    public = {"id": item, "kind": proposal.kind, "requester": proposal.requester, "at": at}
    writer.append("queue", scope, public, {"payload": dict(proposal.payload)})
    return Queued("queued", item)


class ReviewQueue:
    """The queue of one log. Every call names the scope; an item of another person is an unknown item."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def put(self, proposal: Proposal, *, scope: Scope, at: str) -> Queued:
        """Queue a proposal, and return when it is on disk. Raises QueueFullError."""
        with self._log.writing() as writer:
            found = put_proposal(writer, proposal, scope=scope, at=at)
        if found.state == "full":
            raise QueueFullError(
                f"{proposal.kind!r} has {MAX_PENDING} undecided items, or this one is over {MAX_PAYLOAD_BYTES} bytes",
                hint="Decide on some of them first: `rqa review-queue list`.",
            )
        return found

    def get(self, item: str, *, scope: Scope) -> QueueItem:
        """One item. Raises UnknownProposalError."""
        with self._log.reading() as view:
            return _named(view, scope, item)

    def items(
        self, *, scope: Scope, kind: str = "", status: QueueStatus | None = None, limit: int = 100
    ) -> list[QueueItem]:
        """Items, the oldest first."""
        query = _select().where(_mine(scope)).order_by(tables.queue.c.born).limit(limit)
        if kind:
            query = query.where(tables.queue.c.kind == kind)
        if status:
            query = query.where(tables.queue.c.status == status.value)
        with self._log.reading() as view:
            return [_item(row) for row in view.execute(query)]

    def revise(
        self, item: str, payload: Mapping[str, Any], *, scope: Scope, version: int, by: str, at: str
    ) -> QueueItem:
        """Give an undecided item another payload, as its next version; the same payload again changes nothing.

        Raises:
            UnknownProposalError, AlreadyDecidedError: there is no such item, or it is decided.
            StaleVersionError: `version` is not the latest.
            QueueFullError: the payload is too large.
        """
        if len(canonical(dict(payload))) > MAX_PAYLOAD_BYTES:
            raise QueueFullError(f"the payload is over {MAX_PAYLOAD_BYTES} bytes", hint="Shorten it.")
        with self._log.writing() as writer:
            found = _named(writer.connection, scope, item)
            if found.version == version + 1 and dict(found.payload) == dict(payload) and found.edited_by == by:
                return found
            _check_open(found, version)
            if dict(found.payload) != dict(payload):
                public = {"id": item, "version": version + 1, "by": by, "at": at}
                writer.append("revise", scope, public, {"payload": dict(payload)})
            return _named(writer.connection, scope, item)

    def decide(self, attestation: Attestation, *, scope: Scope, effects: Effects) -> Decided:
        """Write a decision and what it brings about; the very same one again changes nothing.

        Args:
            attestation: Who decides what on which version.
            scope: Whose item it is.
            effects: Called inside the transaction of an approval.

        Raises:
            UnknownProposalError, AlreadyDecidedError, StaleVersionError: as in `revise`; nothing was written.
        """
        with self._log.writing() as writer:
            view = writer.connection
            found = _named(view, scope, attestation.item)
            if _mark(view, scope, attestation.item) == attestation.mark:
                return Decided("repeated", found)
            _check_open(found, attestation.version)
            approved = attestation.verdict == "approve"
            public = {
                "id": attestation.item,
                "version": attestation.version,
                "status": (QueueStatus.approved if approved else QueueStatus.rejected).value,
                "by": attestation.by,
                "at": attestation.at,
                "mark": attestation.mark,
            }
            writer.append("decide", scope, public, {"note": attestation.note})
            if approved:
                apply_effects(writer, effects(lambda area: _adopted(view, scope, area)), scope)
            return Decided("decided", _named(view, scope, attestation.item))

    def adopted(self, area: str, *, scope: Scope) -> Adopted | None:
        """The version of an area that stands; None if nobody changed it."""
        with self._log.reading() as view:
            return _adopted(view, scope, area)

    def areas(self, *, scope: Scope) -> list[Adopted]:
        """The version that stands of each area that was changed, in order of name."""
        names = select(tables.adopted.c.area).where(_mine(scope, tables.adopted)).distinct()
        with self._log.reading() as view:
            found = [_adopted(view, scope, area) for (area,) in view.execute(names.order_by(tables.adopted.c.area))]
        return [row for row in found if row is not None]

    def history(self, area: str, *, scope: Scope) -> list[Adopted]:
        """All versions of an area, the oldest first."""
        query = _versions(scope, area).order_by(tables.adopted.c.version)
        with self._log.reading() as view:
            return [_version(row) for row in view.execute(query)]

    def rollback(self, area: str, *, scope: Scope, by: str, at: str, version: int = 0, to: int = -1) -> Adopted:
        """Bring an earlier content back, as a new version.

        Args:
            area: What to roll back.
            scope: Whose it is.
            by: Who wants it.
            at: When.
            version: The version that the person saw; 0: whatever stands.
            to: The version to bring back, 0 for the state before the first; default: the one before the change that
                stands, so that repeated rollbacks go further back.

        Raises:
            StaleVersionError: another version stands.
            RuleBrokenError: there is no such version, or nothing to roll back.
        """
        with self._log.writing() as writer:
            view = writer.connection
            current = _adopted(view, scope, area)
            if current is None:
                raise RuleBrokenError(f"nobody changed {area!r}", hint="`rqa self show` lists what was changed.")
            if version not in {0, current.version}:
                raise _stale(f"{area!r}", version, current.version)
            target = to if to >= 0 else (current.restores if current.is_rollback else current.version) - 1
            if target < 0:
                raise RuleBrokenError(
                    f"{area!r} stands as it did before any change", hint="`--to N` brings a later version back."
                )
            content = _content_of(view, scope, area, target)
            if content is None:
                raise RuleBrokenError(
                    f"{area!r} has no version {target} to bring back; it stands at {current.version}",
                    hint=f"`rqa self show {area}` lists its versions.",
                )
            public = {
                "area": area,
                "version": current.version + 1,
                "item": "",
                "by": by,
                "at": at,
                "restores": target,
            }
            writer.append("adopt", scope, public, {"content": dict(content), "rationale": ""})
            stands = _adopted(view, scope, area)
            assert stands is not None  # written a line above
            return stands


def _mine(scope: Scope, table: Any = tables.queue) -> Any:
    return (table.c.tenant == scope.tenant) & (table.c.user == scope.user)


def _select() -> Select[Any]:
    queue, content = tables.queue, tables.content
    joined = queue.outerjoin(content, content.c.seq == queue.c.payload)
    return select(*queue.c, content.c.private, _note()).select_from(joined)


def _note() -> Any:
    """The words that a person gave with the decision."""
    words = tables.content.alias("words")
    return select(words.c.private).where(words.c.seq == tables.queue.c.decision).scalar_subquery().label("words")


def _item(row: Row[Any]) -> QueueItem:
    names = ("id", "kind", "requester", "version", "asked_at", "edited_by", "decided_by", "decided_at")
    return QueueItem(
        **{name: row._mapping[name] for name in names},
        scope=Scope(row.tenant, row.user),
        status=QueueStatus(row.status),
        payload=json.loads(row.private)["payload"] if row.private else {},
        note=json.loads(row.words)["note"] if row.words else "",
    )


def _find(view: Connection, scope: Scope, item: str) -> QueueItem | None:
    row = view.execute(_select().where(_mine(scope), tables.queue.c.id == item)).first()
    return None if row is None else _item(row)


def _named(view: Connection, scope: Scope, item: str) -> QueueItem:
    found = _find(view, scope, item)
    if found is None:
        raise UnknownProposalError(f"no item of the queue is called {item!r}", hint="`rqa review-queue list` has them.")
    return found


def _mark(view: Connection, scope: Scope, item: str) -> str:
    query = select(tables.queue.c.mark).where(_mine(scope), tables.queue.c.id == item)
    return str(view.execute(query).scalar_one())


def _check_open(found: QueueItem, version: int) -> None:
    if found.status is not QueueStatus.pending:
        raise AlreadyDecidedError(
            f"{found.id!r} was {found.status.value} by {found.decided_by!r} on {found.decided_at}; nothing was changed",
            hint="A decision stands. `rqa review-queue show` shows it.",
        )
    if found.version != version:
        raise _stale(f"{found.id!r}", version, found.version)


def _stale(what: str, seen: int, version: int) -> StaleVersionError:
    return StaleVersionError(
        f"{what} is at version {version}, and version {seen} was meant; nothing was changed",
        hint="Look at it again, and decide on what it says now.",
    )


def _versions(scope: Scope, area: str) -> Select[Any]:
    adopted, content = tables.adopted, tables.content
    joined = adopted.outerjoin(content, content.c.seq == adopted.c.seq)
    return (
        select(*adopted.c, content.c.private).select_from(joined).where(_mine(scope, adopted), adopted.c.area == area)
    )


def _version(row: Row[Any]) -> Adopted:
    words = json.loads(row.private) if row.private else {"content": {}, "rationale": ""}
    names = ("area", "version", "item", "by", "at", "restores")
    return Adopted(**{name: row._mapping[name] for name in names}, **words)


def _adopted(view: Connection, scope: Scope, area: str) -> Adopted | None:
    row = view.execute(_versions(scope, area).order_by(tables.adopted.c.version.desc()).limit(1)).first()
    return None if row is None else _version(row)


def _content_of(view: Connection, scope: Scope, area: str, version: int) -> Mapping[str, Any] | None:
    """What stood at a version; nothing stood before the first."""
    if version == 0:
        return {}
    row = view.execute(_versions(scope, area).where(tables.adopted.c.version == version)).first()
    return None if row is None else _version(row).content
