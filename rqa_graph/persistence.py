"""What `langgraph.json` binds: checkpoints and store over the same home as the graph.

The server loads this file by path, once for each binding and under names of its own, so nothing may live here: the
shared memory is held by `rqa_graph.services`, an ordinary module.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rqa_checkpoints.store import MemoryStore
from rqa_graph.savers import shared_saver
from rqa_graph.services import default_services
from rqa_graph.turn_saver import AnyTurnSaver

__all__ = ["create_checkpointer", "create_store"]


@asynccontextmanager
async def create_checkpointer() -> AsyncIterator[AnyTurnSaver]:
    """Checkpoints in Qdrant, in process or on a server, or on PostgreSQL, as the settings say."""
    async with await asyncio.to_thread(shared_saver) as saver:
        yield saver


@asynccontextmanager
async def create_store() -> AsyncIterator[MemoryStore]:
    """The store over the graph's own memory; what code writes through it is the assistant's."""
    services = await asyncio.to_thread(default_services)
    memory = await asyncio.to_thread(lambda: services.memory)
    yield MemoryStore(memory)
