"""Which items was a turn given, which did it cite, which did it leave? Read from a checkpoint's metadata.

LangGraph makes the metadata of a checkpoint from the run's config, so no node can add to it; the saver sees the state
that a checkpoint holds. Studio and `get_state_history` show it, and `list` filters by it. Texts are not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata

from rqa_checkpoints.saver import QdrantSaver

__all__ = ["TurnSaver"]


class TurnSaver(QdrantSaver):
    """`QdrantSaver` whose metadata carries `{injected, cited, written}`, each a list of id, handle and source."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, see `QdrantSaver.put`; `aput` comes through here."""
        told: Any = {**metadata, **_provenance(metadata, checkpoint["channel_values"])}
        return super().put(config, checkpoint, told, new_versions)


def _provenance(metadata: CheckpointMetadata, values: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing until the turn has published something: a new input finds what the last turn left in the state."""
    if metadata.get("source") == "input" or not values.get("report"):
        return {}
    injected, cited = values.get("injected", []), set(values.get("cited", []))
    return {
        "injected": injected,
        "cited": [ref for ref in injected if ref["id"] in cited],
        "written": values.get("written", []),
    }
