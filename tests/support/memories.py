"""A memory with a counted clock and counted ids, and turns taken in it as the graph takes them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from rqa_checkpoints.log import EventLog
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import CommitResult, Kind, MemoryNode, Scope, SourceClass, TurnPart

__all__ = ["ANN", "AT", "BOB", "Clock", "Ids", "open_log", "open_memory", "plan", "take_turn", "texts"]

ANN = Scope("local", "ann")
BOB = Scope("local", "bob")
AT = "2026-03-01T09:00:00+00:00"


class Clock:
    """A second passes at every look."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now


class Ids:
    """id0001, id0002, ..."""

    def __init__(self, prefix: str = "id") -> None:
        self._prefix = prefix
        self._numbers = count(1)

    def __call__(self) -> str:
        return f"{self._prefix}{next(self._numbers):04d}"


def open_memory(home: Path | str = ":memory:", *, read_only: bool = False, ids: str = "id") -> ProvenanceMemory:
    return ProvenanceMemory.open(home, clock=Clock(), ids=Ids(ids), embedder="hash", read_only=read_only)


def open_log(place: Path | str = ":memory:", *, read_only: bool = False) -> EventLog:
    return EventLog.open(place, clock=Clock(), ids=Ids(), read_only=read_only)


def plan(
    memory: ProvenanceMemory,
    text: str,
    *,
    source: SourceClass = SourceClass.user,
    turn: str = "t1",
    thread: str = "th",
    scope: Scope = ANN,
    kind: Kind | None = None,
    injected: Sequence[str] = (),
    derived_from: Sequence[str] = (),
) -> list[MemoryNode]:
    return memory.plan(
        text,
        scope=scope,
        thread=thread,
        turn_id=turn,
        role="user" if source is SourceClass.user else "assistant",
        author=scope.user if source is SourceClass.user else "engine",
        recorded_at=AT,
        source=source,
        kind=kind,
        injected=injected,
        derived_from=derived_from,
    )


def take_turn(
    memory: ProvenanceMemory,
    said: str,
    reply: str = "",
    *,
    turn: str,
    thread: str = "th",
    scope: Scope = ANN,
    part: str = "answer",
    injected: Sequence[str] = (),
    cited: Sequence[str] = (),
) -> CommitResult:
    nodes = plan(memory, said, turn=turn, thread=thread, scope=scope) if said else []
    nodes += plan(memory, reply, source=SourceClass.assistant, turn=turn, thread=thread, scope=scope, injected=injected)
    return memory.commit(
        TurnPart(
            scope=scope,
            thread=thread,
            turn_id=turn,
            part=part,
            recorded_at=AT,
            user_text=said,
            reply_text=reply,
            nodes=tuple(nodes),
            cited=tuple(cited),
            report={"counts": {"valid": len(cited)}},
        )
    )


def texts(memory: ProvenanceMemory, source: SourceClass | None = None, *, scope: Scope = ANN) -> list[str]:
    """Texts of the visible items, oldest first."""
    nodes = memory.list(scope=scope, limit=1000)[::-1]
    return [node.text for node in nodes if source is None or node.source is source]
