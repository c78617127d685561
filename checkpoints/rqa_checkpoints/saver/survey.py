"""Whose is a thread, and does any text in it hold certain words?

Values are read as the bytes that the serializer wrote: msgpack and JSON hold text as it is, so nothing stored is turned
into objects. Only what a cipher closed goes through the serializer, and the facts of a turn, which say whose the thread
is. A thread without them is nobody's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from rqa_checkpoints.saver.plans import sorted_writes
from rqa_checkpoints.saver.records import Encoded, Payload, PointKind, stored_body, stored_values

__all__ = ["ThreadFacts", "add_value", "survey"]

_PLAIN = JsonPlusSerializer()
_FACTS = "turn"
"""The channel in which a turn of ours keeps whose it is, as `tenant` and `user`."""


@dataclass(slots=True, kw_only=True)
class ThreadFacts:
    """What a thread's checkpoints say."""

    owners: set[tuple[str, str]] = field(default_factory=set)
    """(tenant, user) of its turns; empty where its state names nobody."""
    holds: bool = False


def survey(
    points: Iterable[Payload], serde: SerializerProtocol, holds: Callable[[str], bool]
) -> dict[str, ThreadFacts]:
    """Read the points of all threads once; see `QdrantSaver.survey_threads`."""
    found: dict[str, ThreadFacts] = {}
    for payload in points:
        facts = found.setdefault(payload["thread"], ThreadFacts())
        for channel, value in _values(payload):
            add_value(facts, channel, value, serde, holds)
    return found


def add_value(
    facts: ThreadFacts, channel: str, value: Encoded, serde: SerializerProtocol, holds: Callable[[str], bool]
) -> None:
    """Add what one stored value says, given as (type, bytes) of the serializer; no channel for a saver's own fields."""
    kind, data = value
    if "+" in kind:  # closed by a cipher
        data = _PLAIN.dumps_typed(serde.loads_typed(value))[1]
    facts.holds = facts.holds or holds(data.decode("utf-8", "replace"))
    if channel == _FACTS:
        facts.owners |= _owner(serde.loads_typed(value))


def _owner(turn: Any) -> set[tuple[str, str]]:
    """The person that a turn's facts name; threads of other graphs may have anything there."""
    names = (turn.get("tenant"), turn.get("user")) if isinstance(turn, Mapping) else ()
    return {(str(names[0]), str(names[1]))} if names and all(names) else set()


def _values(payload: Payload) -> Iterator[tuple[str, Encoded]]:
    """(channel, encoded value) of everything in a point; no channel for its own fields."""
    match payload["kind"]:
        case PointKind.values:
            yield from stored_values(payload).items()
        case PointKind.writes:
            yield from ((channel, value) for _, channel, value in sorted_writes([payload]))
        case PointKind.checkpoint:
            yield from (("", value) for value in stored_body(payload))
        case _:
            return
