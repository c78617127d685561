"""A memory with a counted clock and counted ids, and turns taken in it as the graph takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from sqlalchemy import Connection

from rqa_checkpoints.database import Database
from rqa_checkpoints.log import EventLog
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import CommitResult, Kind, MemoryNode, Scope, SourceClass, TurnPart

__all__ = [
    "ANN",
    "AT",
    "BOB",
    "Clock",
    "Ids",
    "close_all",
    "closed_later",
    "log_at",
    "log_places",
    "open_log",
    "open_memory",
    "plan",
    "take_turn",
    "tamper",
    "texts",
]

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


log_places: list[Callable[[str], str]] = []
"""Set by the fixture `log_engine`: says at which address the log of a home, or of `:memory:`, lies."""


_opened: list[EventLog] = []


def closed_later(log: EventLog) -> EventLog:
    """Have the fixture `log_engine` close a log that nobody else closes: connections to a server are no garbage."""
    _opened.append(log)
    return log


def close_all() -> None:
    while _opened:
        _opened.pop().close()


def log_at(home: Path | str) -> str:
    """The address of the log of a home; "" where it lies in the home."""
    return log_places[-1](str(home)) if log_places else ""


def open_memory(
    home: Path | str = ":memory:",
    *,
    read_only: bool = False,
    ids: str = "id",
    clock: Callable[[], datetime] | None = None,
) -> ProvenanceMemory:
    return ProvenanceMemory.open(
        home, clock=clock or Clock(), ids=Ids(ids), embedder="hash", log=log_at(home), read_only=read_only
    )


def open_log(home: Path | str = ":memory:", *, read_only: bool = False) -> EventLog:
    """The log of a home, without the rest."""
    place = home if str(home) == ":memory:" else Path(home) / "log.sqlite"
    if isinstance(place, Path):
        place.parent.mkdir(exist_ok=True)
    return EventLog.open(log_at(home) or place, clock=Clock(), ids=Ids(), read_only=read_only)


def tamper(home: Path, change: Callable[[Connection], int]) -> None:
    """Change the log of a home behind its back; `change` returns how many rows it changed."""
    database = Database.open(log_at(home) or home / "log.sqlite")
    with database.writing() as connection:
        assert change(connection) > 0
    database.close()


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
