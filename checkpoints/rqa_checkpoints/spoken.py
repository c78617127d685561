"""What was said, whole? Read-only questions about the messages of committed turns and about stored long texts.

Items are cut from these messages, but the messages themselves are never indexed and never injected.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    bindparam,
    func,
    select,
    union_all,
)

from rqa_checkpoints import tables
from rqa_checkpoints.provenance import Scope, SourceClass, text_mark
from rqa_checkpoints.queries import asker, owned, owned_by_asker

__all__ = [
    "Conversation",
    "PartRecord",
    "blob_text",
    "conversations",
    "part",
    "parts",
    "reply_before",
    "speakers_of",
]


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
    given: Mapping[str, Any]
    removed: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A thread of one person, as far as it was committed."""

    thread: str
    turns: int
    first_words: str
    """What the person said first; "" where the thread began without words."""
    last_at: str


def _spoken() -> Select[Any]:
    said, content = tables.part, tables.content
    return select(said, content.c.private).select_from(said.join(content, content.c.seq == said.c.seq))


# The questions of every turn, made once: to put a statement together takes as long as to execute it.
_PART = _spoken().where(
    owned_by_asker(tables.part), tables.part.c.turn_id == bindparam("turn_id"), tables.part.c.part == bindparam("part")
)
_REPLY_BEFORE = (
    _spoken()
    .where(
        owned_by_asker(tables.part),
        tables.part.c.thread == bindparam("thread"),
        tables.part.c.turn_id != bindparam("turn_id"),
        tables.part.c.reply_mark != "",
    )
    .order_by(tables.part.c.seq.desc())
    .limit(1)
)


def _said(*more: ColumnElement[bool]) -> CompoundSelect[Any]:
    """Both marks of the messages with these marks. Two questions in one: of an OR, SQLite would read all messages."""
    said = tables.part.c
    marks: BindParameter[Any] = bindparam("marks", expanding=True)
    either = select(said.user_mark, said.reply_mark).where(owned_by_asker(tables.part), *more)
    return union_all(either.where(said.user_mark.in_(marks)), either.where(said.reply_mark.in_(marks)))


_SAID = _said()
_SAID_IN_THREAD = _said(tables.part.c.thread == bindparam("thread"))


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
        given=words.get("given", {}),
        removed=tuple(words["removed"]),
    )


def part(view: Connection, scope: Scope, turn_id: str, name: str) -> PartRecord | None:
    """One committed part of a turn."""
    row = view.execute(_PART, asker(scope) | {"turn_id": turn_id, "part": name}).first()
    return None if row is None else _part(row)


def parts(
    view: Connection, scope: Scope, *, turn_id: str = "", thread: str = "", limit: int | None = None
) -> list[PartRecord]:
    """Committed parts, the newest first."""
    named = {name: value for name, value in (("turn_id", turn_id), ("thread", thread)) if value}
    query = _newest(tuple(named), limited=limit is not None)
    asked = asker(scope) | named | ({} if limit is None else {"most": limit})
    return [_part(row) for row in view.execute(query, asked)]


@cache
def _newest(named: tuple[str, ...], *, limited: bool) -> Select[Any]:
    """Parts with these columns named."""
    said = tables.part
    query = _spoken().where(owned_by_asker(said), *(said.c[name] == bindparam(name) for name in named))
    query = query.order_by(said.c.seq.desc())
    return query.limit(bindparam("most")) if limited else query


def conversations(view: Connection, scope: Scope, *, limit: int) -> list[Conversation]:
    """The threads of a person, the one that was spoken in last first."""
    said, content = tables.part, tables.content
    threads = (
        select(
            said.c.thread,
            func.count(said.c.turn_id.distinct()).label("turns"),
            func.min(said.c.seq).label("first"),
            func.max(said.c.seq).label("last"),
            func.max(said.c.recorded_at).label("last_at"),
        )
        .where(owned(said, scope), said.c.thread != "")
        .group_by(said.c.thread)
        .order_by(func.max(said.c.seq).desc())
        .limit(limit)
        .subquery()
    )
    query = select(threads, content.c.private).join(content, content.c.seq == threads.c.first)
    return [
        Conversation(
            thread=row.thread, turns=row.turns, first_words=json.loads(row.private)["user_text"], last_at=row.last_at
        )
        for row in view.execute(query.order_by(threads.c.last.desc()))
    ]


def reply_before(view: Connection, thread: str, scope: Scope, turn_id: str) -> str:
    """The assistant's last message in a thread before this turn; empty for none."""
    row = view.execute(_REPLY_BEFORE, asker(scope) | {"thread": thread, "turn_id": turn_id}).first()
    return "" if row is None else _part(row).reply_text


def speakers_of(view: Connection, texts: Collection[str], scope: Scope, thread: str = "") -> dict[str, SourceClass]:
    """Who said these very messages, by our own record (P10); a message that was never recorded is left out."""
    marks = {text: mark for text in texts if (mark := text_mark(text))}
    if not marks:
        return {}
    asked = asker(scope) | {"marks": list(set(marks.values()))}
    rows = view.execute(_SAID_IN_THREAD, asked | {"thread": thread}) if thread else view.execute(_SAID, asked)
    users, assistants = set(), set()
    for user_mark, reply_mark in rows:
        users.add(user_mark)
        # A message that both have sent proves nothing about the user.
        assistants |= {reply_mark} - {user_mark}
    return {
        text: SourceClass.assistant if mark in assistants else SourceClass.user
        for text, mark in marks.items()
        if mark in assistants or mark in users
    }


def blob_text(view: Connection, digest: str, scope: Scope) -> str | None:
    """The long text with this digest."""
    blob, content = tables.blob, tables.content
    joined = blob.join(content, content.c.seq == blob.c.seq)
    query = select(content.c.private).select_from(joined).where(owned(blob, scope), blob.c.digest == digest)
    row = view.execute(query).first()
    return None if row is None else str(json.loads(row.private)["text"])
