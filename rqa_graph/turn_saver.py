"""Which items was a turn given, which did it cite, which did it leave? Read from a checkpoint's metadata.

LangGraph makes the metadata of a checkpoint from the run's config, so no node can add to it; the saver sees the state
that a checkpoint holds. Studio and `get_state_history` show it, and `list` filters by it. Texts are not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata

from rqa_checkpoints.errors import StoreUnavailableError
from rqa_checkpoints.postgresql import is_address, shown_address
from rqa_checkpoints.saver import QdrantSaver

if TYPE_CHECKING:
    from rqa_graph.postgres_turn_saver import PostgresTurnSaver

__all__ = ["AnyTurnSaver", "TurnSaver", "open_turn_saver", "told_by"]

AnyTurnSaver: TypeAlias = "TurnSaver | PostgresTurnSaver"

_BEGINS: Final = "branch:to:route"
"""LangGraph's channel for the first node of a turn: while it holds something, the state is that of the turn before."""


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
        told: Any = {**metadata, **told_by(metadata, checkpoint["channel_values"])}
        return super().put(config, checkpoint, told, new_versions)


def open_turn_saver(location: str) -> AnyTurnSaver:
    """The checkpoints at a folder, on a Qdrant server or on a PostgreSQL server; a context manager, sync and async.

    Raises:
        StoreUnavailableError: A server does not answer, or the extra for it is not installed.
    """
    if not is_address(location):
        return TurnSaver.from_location(location)
    try:
        from rqa_graph.postgres_turn_saver import PostgresTurnSaver
    except ImportError as error:
        raise StoreUnavailableError(
            f"checkpoints at {shown_address(location)!r} need an extra that is not installed",
            hint="pip install 'rqa-graph[postgres]'",
        ) from error
    return PostgresTurnSaver.from_location(location)


def told_by(metadata: CheckpointMetadata, values: Mapping[str, Any]) -> dict[str, Any]:
    """What a state adds to the metadata of its checkpoint.

    Nothing until the turn has published something: a new input finds what the last turn left in the state.
    """
    if metadata.get("source") == "input" or _BEGINS in values or not values.get("report"):
        return {}
    injected, cited = values.get("injected", []), set(values.get("cited", []))
    return {
        "injected": injected,
        "cited": [ref for ref in injected if ref["id"] in cited],
        "written": values.get("written", []),
    }
