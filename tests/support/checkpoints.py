"""Checkpoints made by hand, for tests of savers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata


def place(thread: str, *, ns: str = "", cid: str | None = None) -> RunnableConfig:
    """Return a config for a thread."""
    options: dict[str, Any] = {"thread_id": thread, "checkpoint_ns": ns}
    return {"configurable": options if cid is None else {**options, "checkpoint_id": cid}}


def checkpoint(cid: str, values: Mapping[str, Any], versions: ChannelVersions) -> Checkpoint:
    """Return a whole checkpoint."""
    return {
        "v": 1,
        "id": cid,
        "ts": "2026-11-29T00:00:00+00:00",
        "channel_values": dict(values),
        "channel_versions": versions,
        "versions_seen": {"node": {}},
        "updated_channels": None,
    }


def put_line(
    saver: BaseCheckpointSaver[str], thread: str, cids: list[str], *, ns: str = "", run: str = "run"
) -> list[RunnableConfig]:
    """Put a line of checkpoints, each the parent of the next, each with a new value in `text`."""
    configs: list[RunnableConfig] = []
    config = place(thread, ns=ns)
    for step, cid in enumerate(cids):
        version = f"{step + 1:032}.0"
        metadata: CheckpointMetadata = {"source": "loop", "step": step, "parents": {}, "run_id": run}
        made = checkpoint(cid, {"text": f"text of {cid}"}, {"text": version})
        config = saver.put(config, made, metadata, {"text": version})
        configs.append(config)
    return configs


def ids_of(saver: BaseCheckpointSaver[str], config: RunnableConfig | None, **options: Any) -> list[str]:
    """Return the ids that `list` yields."""
    return [item.checkpoint["id"] for item in saver.list(config, **options)]
