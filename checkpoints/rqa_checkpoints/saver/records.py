"""How does a checkpoint lie in a store of points that hold JSON?

Pure: ids, payloads, and the serializer's bytes as base64 text (payloads are JSON, so bytes would become number lists).
What one point holds is compressed as a whole before that: its parts are short and repeat each other, and base64 adds a
third.
Every id is a uuid5 of the natural key, so the hot path names the points that it needs and never searches.
A checkpoint lists, for each channel, the checkpoint that wrote its value and the version it had then. Two branches of
a thread may reach the same version number with different values; naming the writer keeps them apart.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import sha1
from typing import Any, Final, NamedTuple
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from rqa_checkpoints.errors import CheckpointError

__all__ = [
    "LAYOUT",
    "LAYOUT_ID",
    "Encoded",
    "Payload",
    "Place",
    "PointKind",
    "Stored",
    "list_channels",
    "pack",
    "point_id",
    "stored_body",
    "stored_channels",
    "stored_values",
    "unpack",
]

Payload = dict[str, Any]
Encoded = tuple[str, bytes]
"""Type name and bytes, as the serializer gave them."""

_SPACE = UUID("6f9a7c0e-6a55-5d0c-9a55-3d1f2f0c8a11")
"""Namespace of all ids here. Drawn once; a change makes every stored point unreachable."""

_PLAIN: Final = JsonPlusSerializer()
"""For rows of strings, numbers and bytes only; what they mean is the serializer's of the saver."""


class PointKind(StrEnum):
    """What a point holds."""

    layout = "layout"
    head = "head"
    """The newest checkpoint of a place."""
    checkpoint = "checkpoint"
    values = "values"
    """The channel values that one checkpoint wrote: one point, because a turn begins by writing thirty of them."""
    writes = "writes"
    """Pending writes of one task."""
    tasks = "tasks"
    """Which tasks have pending writes under one checkpoint."""


@lru_cache(maxsize=1024)
def point_id(kind: PointKind, *key: str) -> str:
    """Return the id of the point with this natural key. Any strings are safe, lone surrogates too."""
    digest = sha1(_SPACE.bytes + json.dumps([kind.value, *key]).encode(), usedforsecurity=False).hexdigest()
    # A uuid5 (RFC 9562, section 5.5), written out: `uuid.uuid5` takes several times as long, and a turn names hundreds.
    variant = "89ab"[int(digest[16], 16) & 3]
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{variant}{digest[17:20]}-{digest[20:32]}"


LAYOUT: Payload = {"kind": PointKind.layout.value, "version": 2}
"""Stored once in a collection, and compared on opening."""

LAYOUT_ID = point_id(PointKind.layout)


def pack(rows: Sequence[Sequence[Any]]) -> str:
    """Return rows of strings, numbers and bytes as the text that a payload holds."""
    return b64encode(zlib.compress(_PLAIN.dumps_typed(rows)[1])).decode("ascii")


def unpack(text: str) -> list[list[Any]]:
    """Undo `pack`."""
    rows: list[list[Any]] = _PLAIN.loads_typed(("msgpack", zlib.decompress(b64decode(text))))
    return rows


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

    def values_id(self, writer: str) -> str:
        """Id of the values that checkpoint `writer` wrote."""
        return point_id(PointKind.values, self.thread, self.ns, writer)

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


def list_channels(channels: Sequence[Stored]) -> str:
    """Return where the values of a checkpoint lie, as its payload holds it: a few others wrote all of them."""
    names: dict[tuple[str, str | int | float], list[str]] = {}
    for channel, writer, version in channels:
        names.setdefault((writer, version), []).append(channel)
    return pack([[*written, written_names] for written, written_names in names.items()])


def stored_channels(payload: Mapping[str, Any]) -> dict[str, Stored]:
    """Return what a checkpoint's payload lists, by channel."""
    rows = unpack(payload["channels"]) if "channels" in payload else ()
    return {channel: Stored(channel, writer, version) for writer, version, names in rows for channel in names}


def stored_values(payload: Mapping[str, Any]) -> dict[str, Encoded]:
    """Return the values that a payload of kind `values` holds, by channel."""
    rows = unpack(payload["rows"]) if "rows" in payload else ()
    return {channel: (kind, data) for channel, kind, data in rows}


def stored_body(payload: Mapping[str, Any]) -> tuple[Encoded, Encoded]:
    """Return what a payload of kind `checkpoint` holds: the checkpoint without its values, and its metadata."""
    body, metadata = unpack(payload["body"])
    return (body[0], body[1]), (metadata[0], metadata[1])
