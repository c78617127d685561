"""How does a checkpoint lie in a store of points that hold JSON?

Pure: ids, payloads, and the serializer's bytes as base64 text (payloads are JSON, so bytes would become number lists).
Every id is a uuid5 of the natural key, so the hot path names the points that it needs and never searches.
A checkpoint lists, for each channel, the checkpoint that wrote its value and the version it had then. Two branches of
a thread may reach the same version number with different values; naming the writer keeps them apart.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.base import SerializerProtocol

from rqa_checkpoints.errors import CheckpointError

__all__ = ["LAYOUT", "LAYOUT_ID", "Encoded", "Payload", "Place", "PointKind", "Stored", "decode", "encode", "point_id"]

Payload = dict[str, Any]
Encoded = Sequence[str]
"""Type name and base64 of the bytes, as the serializer gave them."""

_SPACE = UUID("6f9a7c0e-6a55-5d0c-9a55-3d1f2f0c8a11")
"""Namespace of all ids here. Drawn once; a change makes every stored point unreachable."""


class PointKind(StrEnum):
    """What a point holds."""

    layout = "layout"
    head = "head"
    """The newest checkpoint of a place."""
    checkpoint = "checkpoint"
    value = "value"
    """One channel's value, as one checkpoint wrote it."""
    writes = "writes"
    """Pending writes of one task."""
    tasks = "tasks"
    """Which tasks have pending writes under one checkpoint."""


def point_id(kind: PointKind, *key: str) -> str:
    """Return the id of the point with this natural key. Any strings are safe, lone surrogates too."""
    return str(uuid5(_SPACE, json.dumps([kind.value, *key])))


LAYOUT: Payload = {"kind": PointKind.layout.value, "version": 1}
"""Stored once in a collection, and compared on opening."""

LAYOUT_ID = point_id(PointKind.layout)


def encode(serde: SerializerProtocol, value: Any) -> Encoded:
    """Serialize a value into two strings."""
    kind, data = serde.dumps_typed(value)
    return [kind, b64encode(data).decode("ascii")]


def decode(serde: SerializerProtocol, encoded: Encoded) -> Any:
    """Undo `encode`."""
    kind, text = encoded
    return serde.loads_typed((kind, b64decode(text)))


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """One line of checkpoints: a thread and a namespace within it ("" is the graph itself)."""

    thread: str
    ns: str = ""

    @classmethod
    def of(cls, config: RunnableConfig) -> Place:
        """Read the place from a config.

        Raises:
            CheckpointError: `thread_id` is missing or cannot be stored as text.
        """
        options = config.get("configurable", {})
        if "thread_id" not in options:
            raise CheckpointError(
                f"No `thread_id` in configurable: {sorted(options)!r}",
                hint='Call the graph with config={"configurable": {"thread_id": "..."}}.',
            )
        thread = str(options["thread_id"])
        try:
            thread.encode()
        except UnicodeEncodeError as error:
            raise CheckpointError(
                f"`thread_id` is not valid Unicode text: {thread!r}", hint="Remove the lone surrogates."
            ) from error
        return cls(thread, options.get("checkpoint_ns") or "")

    def head_id(self) -> str:
        """Id of the point that names the newest checkpoint."""
        return point_id(PointKind.head, self.thread, self.ns)

    def checkpoint_id(self, cid: str) -> str:
        """Id of a checkpoint's point."""
        return point_id(PointKind.checkpoint, self.thread, self.ns, cid)

    def value_id(self, writer: str, channel: str) -> str:
        """Id of the value that checkpoint `writer` gave a channel."""
        return point_id(PointKind.value, self.thread, self.ns, writer, channel)

    def tasks_id(self, cid: str) -> str:
        """Id of the list of tasks with pending writes."""
        return point_id(PointKind.tasks, self.thread, self.ns, cid)

    def writes_id(self, cid: str, task: str) -> str:
        """Id of one task's pending writes."""
        return point_id(PointKind.writes, self.thread, self.ns, cid, task)

    def payload(self, kind: PointKind, cid: str, **more: Any) -> Payload:
        """Build a payload with the fields that every point of this place has."""
        return {"kind": kind.value, "thread": self.thread, "ns": self.ns, "cid": cid, **more}

    def config(self, cid: str) -> RunnableConfig:
        """Return the config that names a checkpoint of this place."""
        return {"configurable": {"thread_id": self.thread, "checkpoint_ns": self.ns, "checkpoint_id": cid}}


class Stored(NamedTuple):
    """Where a channel's value lies, as a checkpoint lists it."""

    channel: str
    writer: str
    """Id of the checkpoint that wrote it."""
    version: str | int | float


def stored_channels(payload: Mapping[str, Any]) -> dict[str, Stored]:
    """Return what a checkpoint's payload lists, by channel."""
    return {row[0]: Stored(*row) for row in payload.get("channels", ())}
