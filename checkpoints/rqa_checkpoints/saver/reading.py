"""How is a checkpoint put together again from its points?

Two reads for any number of checkpoints: first they and their lists of tasks, then all values and writes. A value that
a checkpoint names and the store lacks is an error, never an empty channel: a turn resumed on half a state is worse
than one that does not resume.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from langgraph.checkpoint.base import Checkpoint, CheckpointTuple, PendingWrite
from langgraph.checkpoint.serde.base import SerializerProtocol

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.saver.engines import PointStore
from rqa_checkpoints.saver.plans import sorted_writes
from rqa_checkpoints.saver.records import Encoded, Payload, Place, stored_body, stored_channels, stored_values

__all__ = ["load"]


def load(
    store: PointStore, wanted: Sequence[tuple[Place, str]], serde: SerializerProtocol, matching: Mapping[str, Any]
) -> list[CheckpointTuple]:
    """Return those of the checkpoints that exist and whose metadata has all of `matching`, in the order asked.

    Raises:
        CheckpointError: a value is missing.
    """
    firsts = store.retrieve([key for place, cid in wanted for key in (place.checkpoint_id(cid), place.tasks_id(cid))])
    chosen: list[tuple[Place, Payload, list[str]]] = []
    for place, cid in wanted:
        payload = firsts.get(place.checkpoint_id(cid))
        if payload is None or not _matches(payload, serde, matching):
            continue
        tasks = firsts.get(place.tasks_id(cid), {}).get("tasks", [])
        chosen.append((place, payload, [place.writes_id(cid, task) for task in tasks]))
    ids = [key for place, payload, writes in chosen for key in (*_values_ids(place, payload), *writes)]
    parts = store.retrieve(list(dict.fromkeys(ids))) if ids else {}
    return [_assembled(place, payload, writes, parts, serde) for place, payload, writes in chosen]


def _matches(payload: Payload, serde: SerializerProtocol, matching: Mapping[str, Any]) -> bool:
    if not matching:
        return True
    metadata = serde.loads_typed(stored_body(payload)[1])
    return all(metadata.get(key) == value for key, value in matching.items())


def _values_ids(place: Place, payload: Payload) -> Iterator[str]:
    return (place.values_id(writer) for writer in {stored.writer for stored in stored_channels(payload).values()})


def _assembled(
    place: Place,
    payload: Payload,
    writes: Sequence[str],
    parts: Mapping[str, Payload],
    serde: SerializerProtocol,
) -> CheckpointTuple:
    values: dict[str, Any] = {}
    written: dict[str, Mapping[str, Encoded]] = {}
    channels = stored_channels(payload)
    for stored in channels.values():
        if stored.writer not in written:
            written[stored.writer] = stored_values(parts.get(place.values_id(stored.writer), {}))
        value = written[stored.writer].get(stored.channel)
        if value is None:
            raise CheckpointError(
                f"Checkpoint {payload['cid']!r} lacks the value of channel {stored.channel!r}.",
                hint="The store was changed from outside; resume from an earlier checkpoint of the thread.",
            )
        values[stored.channel] = serde.loads_typed(value)
    pending: list[PendingWrite] = [
        (task, channel, serde.loads_typed(value))
        for task, channel, value in sorted_writes(parts[key] for key in writes if key in parts)
    ]
    body, metadata = map(serde.loads_typed, stored_body(payload))
    versions = {name: stored.version for name, stored in channels.items()} | body["channel_versions"]
    parent = payload.get("parent")
    return CheckpointTuple(
        config=place.config(payload["cid"]),
        checkpoint=cast("Checkpoint", {**body, "channel_versions": versions, "channel_values": values}),
        metadata=metadata,
        parent_config=place.config(parent) if parent else None,
        pending_writes=pending,
    )
