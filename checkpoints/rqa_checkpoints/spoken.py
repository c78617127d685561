"""What was said, whole? Read-only questions about the messages of committed turns and about stored long texts.

Items are cut from these messages, but the messages themselves are never indexed and never injected.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, or_, select

from rqa_checkpoints import tables
from rqa_checkpoints.provenance import Scope, SourceClass, text_mark
from rqa_checkpoints.queries import owned

__all__ = ["PartRecord", "blob_text", "part", "parts", "reply_before", "speaker_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRecord:
    """A committed part of a turn, with its words."""

    turn_id: str
    part: str
    thread: str
    forked_from: str
    recorded_at: str
    outcome: str
    digest: str
    written: tuple[str, ...]
    cited: tuple[str, ...]
    seq: int
    user_text: str
    reply_text: str
    report: Mapping[str, Any]
    removed: tuple[Mapping[str, Any], ...]


def _spoken() -> Select[Any]:
    said, content = tables.part, tables.content
    return select(said, content.c.private).select_from(said.join(content, content.c.seq == said.c.seq))


def _part(row: Any) -> PartRecord:
    words = json.loads(row.private)
    names = ("turn_id", "part", "thread", "forked_from", "recorded_at", "outcome", "digest", "seq")
    return PartRecord(
        **{name: row._mapping[name] for name in names},
        written=tuple(json.loads(row.written)),
        cited=tuple(json.loads(row.cited)),
        user_text=words["user_text"],
        reply_text=words["reply_text"],
        report=words["report"],
        removed=tuple(words["removed"]),
    )


def part(view: Connection, scope: Scope, turn_id: str, name: str) -> PartRecord | None:
    """One committed part of a turn."""
    said = tables.part
    query = _spoken().where(owned(said, scope), said.c.turn_id == turn_id, said.c.part == name)
    row = view.execute(query).first()
    return None if row is None else _part(row)


def parts(
    view: Connection, scope: Scope, *, turn_id: str = "", thread: str = "", limit: int | None = None
) -> list[PartRecord]:
    """Committed parts, the newest first."""
    said = tables.part
    query = _spoken().where(owned(said, scope)).order_by(said.c.seq.desc()).limit(limit)
    if turn_id:
        query = query.where(said.c.turn_id == turn_id)
    if thread:
        query = query.where(said.c.thread == thread)
    return [_part(row) for row in view.execute(query)]


def reply_before(view: Connection, thread: str, scope: Scope, turn_id: str) -> str:
    """The assistant's last message in a thread before this turn; empty for none."""
    said = tables.part
    query = _spoken().where(
        owned(said, scope), said.c.thread == thread, said.c.turn_id != turn_id, said.c.reply_mark != ""
    )
    row = view.execute(query.order_by(said.c.seq.desc()).limit(1)).first()
    return "" if row is None else _part(row).reply_text


def speaker_of(view: Connection, text: str, scope: Scope, thread: str = "") -> SourceClass | None:
    """Who said this very message, by our own record (P10); None for a message that was never recorded."""
    said, mark = tables.part, text_mark(text)
    if not mark:
        return None
    query = select(said.c.user_mark).where(owned(said, scope), or_(said.c.user_mark == mark, said.c.reply_mark == mark))
    if thread:
        query = query.where(said.c.thread == thread)
    marks = view.execute(query.order_by(said.c.seq.desc())).scalars().all()
    if not marks:
        return None
    # A message that both have sent proves nothing about the user.
    return SourceClass.user if all(found == mark for found in marks) else SourceClass.assistant


def blob_text(view: Connection, digest: str, scope: Scope) -> str | None:
    """The long text with this digest."""
    blob, content = tables.blob, tables.content
    joined = blob.join(content, content.c.seq == blob.c.seq)
    query = select(content.c.private).select_from(joined).where(owned(blob, scope), blob.c.digest == digest)
    row = view.execute(query).first()
    return None if row is None else str(json.loads(row.private)["text"])
