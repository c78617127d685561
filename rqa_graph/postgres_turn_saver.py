"""Checkpoints on a PostgreSQL server, whose metadata says what a turn was given, what it cited and what it left.

A module of its own, since it needs an extra.
"""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata

from rqa_checkpoints.saver.postgresql import PostgresThreadSaver
from rqa_graph.turn_saver import told_by

__all__ = ["PostgresTurnSaver"]


class PostgresTurnSaver(PostgresThreadSaver):
    """`PostgresThreadSaver` with the metadata of `TurnSaver`."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint; `aput` comes through here."""
        told: Any = {**metadata, **told_by(metadata, checkpoint["channel_values"])}
        return super().put(config, checkpoint, told, new_versions)
