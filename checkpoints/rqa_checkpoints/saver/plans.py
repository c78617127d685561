"""What must be written, and what deleted, so that a thread stays whole?

Pure: plain payloads in, points and ids out. `core` fetches what a plan needs and applies what it answers.
Invariants: a checkpoint never names a value that is not stored; the head of a place is its newest checkpoint; what a
checkpoint wrote goes when the last one that names a value of it goes. `DeltaChannel` forces one more: its checkpoints
hold no value, only a way back through their ancestors' writes to the last snapshot, so that way is never cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.base import WRITES_IDX_MAP, ChannelVersions, Checkpoint, CheckpointMetadata, writes_sort_key

from rqa_checkpoints.saver.records import (
    Encoded,
    Payload,
    Place,
    PointKind,
    Stored,
    list_channels,
    pack,
    stored_channels,
    stored_values,
    unpack,
)

__all__ = [
    "SCANNED",
    "Change",
    "Thread",
    "keep_latest",
    "own_id",
    "plan_copy",
    "plan_put",
    "plan_removal",
    "plan_writes",
    "sorted_writes",
]

Encode = Callable[[Any], Encoded]

SCANNED = ("kind", "thread", "ns", "cid", "parent", "channels", "delta")
"""The fields that plans over a whole thread read; the heavy ones stay in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Points to write, then ids to delete."""

    points: Mapping[str, Payload] = field(default_factory=dict)
    drop: Sequence[str] = ()


def plan_put(
    place: Place,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    new_versions: ChannelVersions,
    *,
    parent: str | None,
    found: Mapping[str, Payload],
    encode: Encode,
) -> Change:
    """Plan one checkpoint: itself, the values that are new, and the head.

    Args:
        place: Where it goes.
        checkpoint: With all its channel values.
        metadata: As it is to be read back.
        new_versions: Channels written since the parent.
        parent: Id of the parent checkpoint, if there is one.
        found: What the store holds under the ids of the head, of the parent, and of this checkpoint's own values.
        encode: Makes a value storable.
    """
    cid = checkpoint["id"]
    values = checkpoint["channel_values"]
    inherited = stored_channels(found.get(place.checkpoint_id(parent), {})) if parent else {}
    channels: list[Stored] = []
    written = stored_values(found.get(place.values_id(cid), {}))
    for channel, version in checkpoint["channel_versions"].items():
        known = inherited.get(channel)
        if channel not in new_versions and known is not None and known.version == version:
            channels.append(known)
        elif channel in values:
            channels.append(Stored(channel, cid, version))
            written[channel] = encode(values[channel])
    # LangGraph counts, for each delta channel, how far back its last snapshot lies; those counted have no value here.
    kept = {stored.channel for stored in channels}
    body = {key: value for key, value in checkpoint.items() if key != "channel_values"}
    # What is listed with its writer need not be said twice.
    body["channel_versions"] = {key: at for key, at in checkpoint["channel_versions"].items() if key not in kept}
    points: dict[str, Payload] = {}
    if written:
        rows = [[channel, *value] for channel, value in written.items()]
        points[place.values_id(cid)] = place.payload(PointKind.values, cid, rows=pack(rows))
    points[place.checkpoint_id(cid)] = place.payload(
        PointKind.checkpoint,
        cid,
        parent=parent,
        run=metadata.get("run_id"),
        channels=list_channels(channels),
        delta=sorted(metadata.get("counters_since_delta_snapshot", {}).keys() - kept),
        body=pack([encode(body), encode(metadata)]),
    )
    newest = max(cid, found.get(place.head_id(), {}).get("cid", ""))
    points[place.head_id()] = place.payload(PointKind.head, newest)
    return Change(points=points)


def plan_writes(
    place: Place,
    cid: str,
    writes: Sequence[tuple[str, Any]],
    *,
    task: str,
    path: str,
    found: Mapping[str, Payload],
    encode: Encode,
) -> Change:
    """Plan a task's pending writes: an ordinary one is kept as first written, a special one is replaced."""
    tasks_id, writes_id = place.tasks_id(cid), place.writes_id(cid, task)
    before = found.get(writes_id, {})
    rows: dict[int, list[Any]] = {row[0]: row for row in (unpack(before["rows"]) if before else ())}
    for position, (channel, value) in enumerate(writes):
        index = WRITES_IDX_MAP.get(channel, position)
        if index < 0 or index not in rows:
            rows[index] = [index, channel, *encode(value)]
    points = {
        writes_id: place.payload(
            PointKind.writes,
            cid,
            task=task,
            path=before.get("path", path),
            rows=pack([rows[index] for index in sorted(rows)]),
        )
    }
    tasks = found.get(tasks_id, {}).get("tasks", [])
    if task not in tasks:
        points[tasks_id] = place.payload(PointKind.tasks, cid, tasks=[*tasks, task])
    return Change(points=points)


def sorted_writes(payloads: Iterable[Payload]) -> list[tuple[str, str, Encoded]]:
    """Return (task, channel, encoded value) in the order in which a run applies them."""
    rows = [(payload["path"], payload["task"], row) for payload in payloads for row in unpack(payload["rows"])]
    rows.sort(key=lambda item: writes_sort_key(item[0], item[1], item[2][0]))
    return [(task, channel, (kind, data)) for _, task, (_, channel, kind, data) in rows]


class Thread:
    """All points of one thread, as a scan of the fields in `SCANNED` gave them."""

    def __init__(self, points: Mapping[str, Payload]) -> None:
        self.points = points
        self.checkpoints: dict[Place, dict[str, Payload]] = {}
        for payload in points.values():
            if payload["kind"] == PointKind.checkpoint:
                place = Place(payload["thread"], payload["ns"])
                self.checkpoints.setdefault(place, {})[payload["cid"]] = payload

    def history(self, place: Place, cid: str) -> set[str]:
        """Return the ancestors without which the delta channels of a checkpoint cannot be rebuilt."""
        line = self.checkpoints[place]
        wanted = set(line[cid].get("delta") or ())
        needed: set[str] = set()
        ancestor = line[cid].get("parent")
        while wanted and ancestor is not None and ancestor in line:
            needed.add(ancestor)
            wanted -= stored_channels(line[ancestor]).keys()
            ancestor = line[ancestor].get("parent")
        return needed


def keep_latest(thread: Thread) -> dict[Place, set[str]]:
    """Return the checkpoints to remove so that the newest of each place is left, and what it is rebuilt from."""
    removed: dict[Place, set[str]] = {}
    for place, line in thread.checkpoints.items():
        newest = max(line)
        removed[place] = set(line) - {newest} - thread.history(place, newest)
    return removed


def plan_removal(thread: Thread, removed: Mapping[Place, set[str]]) -> Change:
    """Plan the removal of checkpoints with their pending writes, and of every value that nothing names any more.

    Writes whose checkpoint is not there stay: LangGraph may store them before the checkpoint itself.
    """
    left = {
        place: {cid: row for cid, row in line.items() if cid not in removed.get(place, ())}
        for place, line in thread.checkpoints.items()
    }
    named = {
        place.values_id(stored.writer)
        for place, line in left.items()
        for row in line.values()
        for stored in stored_channels(row).values()
    }
    heads = {place.head_id(): place.payload(PointKind.head, max(line)) for place, line in left.items() if line}
    drop = [key for key, payload in thread.points.items() if _goes(key, payload, removed, named, heads)]
    return Change(points=heads, drop=drop)


def _goes(
    key: str, payload: Payload, removed: Mapping[Place, set[str]], named: set[str], heads: Mapping[str, Payload]
) -> bool:
    match payload["kind"]:
        case PointKind.values:
            return key not in named
        case PointKind.head:
            return key not in heads
        case _:
            return payload["cid"] in removed.get(Place(payload["thread"], payload["ns"]), ())


_COPY_ORDER = (PointKind.values, PointKind.writes, PointKind.tasks, PointKind.checkpoint, PointKind.head)
"""What a point names comes before it, so a copy cut short shows whole checkpoints only."""


def plan_copy(points: Iterable[Payload], target: str, *, heads: Mapping[str, Payload]) -> dict[str, Payload]:
    """Plan the copy of a thread's points under another thread id, in the order to write them.

    Args:
        points: Whole payloads of the source.
        target: The other thread id.
        heads: What the store holds under the ids of the target's heads; a newer one stays the head.
    """
    copied: dict[str, Payload] = {}
    for payload in sorted(points, key=lambda item: _COPY_ORDER.index(item["kind"])):
        key = own_id({**payload, "thread": target})
        newest = max(payload["cid"], heads[key]["cid"]) if key in heads else payload["cid"]
        copied[key] = {**payload, "thread": target, "cid": newest}
    return copied


def own_id(payload: Payload) -> str:
    """Return the id under which a payload lies."""
    place, cid = Place(payload["thread"], payload["ns"]), payload["cid"]
    match payload["kind"]:
        case PointKind.head:
            return place.head_id()
        case PointKind.checkpoint:
            return place.checkpoint_id(cid)
        case PointKind.values:
            return place.values_id(cid)
        case PointKind.tasks:
            return place.tasks_id(cid)
        case _:
            return place.writes_id(cid, payload["task"])
