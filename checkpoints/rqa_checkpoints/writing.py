"""How does one text become one item, and until when does it stand?

A direct write keeps the text whole. Some kinds are not meant to last: a hypothesis that nobody took up, a task, a
promise. They have an end from their birth, which a person may set otherwise; what is over is skipped by whoever reads,
and stays in the log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import MappingProxyType

from sqlalchemy import Connection

from rqa_checkpoints import queries
from rqa_checkpoints.committing import check_text, store_nodes
from rqa_checkpoints.errors import RefusedTextError, UnknownNodeError
from rqa_checkpoints.log import Writer
from rqa_checkpoints.planning import Message, injected_marks, is_injected, plan_sentences, restated
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass, clean, settle_kind

__all__ = ["FOREVER", "LIFETIMES", "Edit", "check_known", "lifetime_of", "set_end", "write_text"]

FOREVER = timedelta.max
"""As a lifetime: without an end."""

LIFETIMES: Mapping[Kind, timedelta] = MappingProxyType(
    {Kind.claim: timedelta(days=7), Kind.task: timedelta(days=30), Kind.commitment: timedelta(days=14)}
)
"""How long what is written directly stands, by kind; all other kinds have no end. The periods are those of GaOTTT
(May-Kirihara, 2026: `hypothesis`, `task`, `commitment`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One transaction in which a person changes their memory."""

    writer: Writer
    scope: Scope
    now: str
    turn_id: str

    def named(self, reference: str) -> MemoryNode:
        """An item of this person by handle or id. Raises UnknownNodeError."""
        return queries.named(self.writer.connection, reference, self.scope)

    def message(self, kind: Kind | None = None) -> Message:
        """What every item has that the person writes directly."""
        return Message(
            scope=self.scope,
            thread="",
            turn_id=self.turn_id,
            role="write",
            author=self.scope.user,
            recorded_at=self.now,
            source=SourceClass.user,
            kind=kind,
        )

    def write(self, text: str, kind: Kind | None = None, *, lifetime: timedelta | None = None) -> MemoryNode:
        """Write the person's words as an item; of another kind than asked for is only a question.

        Raises:
            RefusedTextError: no words, our own block markers, or a question where a kind that asserts was asked for.
        """
        message = self.message(kind)
        if kind is not None and settle_kind(text, kind) is not kind:
            shown, hint = text[:80], "Say it as a statement."
            ja = (f"問いは {kind.value} になりません: 「{shown}」", "断定の文で述べてください。")
            raise RefusedTextError(f"a question is no {kind.value}: {shown!r}", hint=hint, ja=ja)
        return write_text(self.writer, text, message, lifetime=lifetime)


def write_text(writer: Writer, text: str, message: Message, *, lifetime: timedelta | None = None) -> MemoryNode:
    """Write one text, whole, as one item inside the transaction; the same statement again is seen once more (P6).

    Args:
        writer: The transaction.
        text: What was written.
        message: Who says it, and what it is.
        lifetime: How long it stands; None is that of its kind.

    Raises:
        RefusedTextError: No words, our own block markers, or, in a text that is not the user's, what was injected.
        UnknownNodeError: `message.derived_from` names what this person does not have.
    """
    text = clean(text)
    check_text(text)
    if is_injected(text, injected_marks(message)):
        raise RefusedTextError(f"injected this turn: {text[:80]!r}", hint="Memory does not store itself.")
    view = writer.connection
    check_known(view, message.derived_from, message.scope)
    planned = plan_sentences(view, [text], message) or restated(view, text, message.scope)
    [stored] = store_nodes(writer, planned[:1], thread=message.thread)
    span = LIFETIMES.get(stored.kind, FOREVER) if lifetime is None else lifetime
    return set_end(writer, stored, span, now=message.recorded_at)


def check_known(view: Connection, ids: Sequence[str], scope: Scope) -> None:
    """Raise UnknownNodeError for an id that names none of this person's items."""
    missing = set(ids) - queries.nodes_by_id(view, ids, scope).keys()
    if missing:
        raise UnknownNodeError(f"no such item: {min(missing)!r}", hint="Derive only from this person's items.")


def set_end(writer: Writer, node: MemoryNode, lifetime: timedelta, *, now: str) -> MemoryNode:
    """Let an item stand so long from now on; one that has no end and needs none gets no event."""
    try:
        end = "" if lifetime >= FOREVER else (datetime.fromisoformat(now) + lifetime).isoformat()
    except OverflowError:
        end = ""
    if end == node.expires_at:
        return node
    writer.append("expiry", node.scope, {"id": node.id, "expires_at": end, "ttl_minutes": 0.0})
    return replace(node, expires_at=end, ttl_minutes=0.0)


def lifetime_of(node: MemoryNode, since: str) -> timedelta:
    """How long an item was to stand when its end was last set, at `since`."""
    if not node.expires_at:
        return FOREVER
    return datetime.fromisoformat(node.expires_at) - datetime.fromisoformat(since)
