"""How is the memory of a home opened, and an erasure that was left there finished?

What only an erasure needs - the checkpointer, and LangGraph with it - is imported when there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from typing import TYPE_CHECKING

from rqa_checkpoints.breakdown import Observability
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_graph.clock import new_id, utc_now
from rqa_graph.settings import Settings

if TYPE_CHECKING:
    from rqa_graph.erasing import Eraser
    from rqa_graph.turn_saver import AnyTurnSaver

__all__ = ["open_eraser", "open_memory_of"]


def open_memory_of(settings: Settings, *, read_only: bool = False) -> ProvenanceMemory:
    """Open the memory that the settings describe, and finish an erasure that a killed process or another home began.

    Errors as in `ProvenanceMemory.open`.
    """
    memory = ProvenanceMemory.open(
        settings.home,
        clock=utc_now,
        ids=new_id,
        embedder=settings.memory.embedder,
        index=settings.memory.index,
        log="" if settings.memory.log == "sqlite" else settings.memory.log,
        read_only=read_only,
        observability=Observability(**settings.memory.recall.model_dump()),
    )
    shared = settings.memory.log != "sqlite"
    if not read_only and (shared or memory.pending_erasures()):
        try:
            with open_eraser(memory, settings) as eraser:
                eraser.finish()
                eraser.follow()
        except BaseException:
            memory.close()
            raise
    return memory


@contextmanager
def open_eraser(memory: ProvenanceMemory, settings: Settings, *, saver: AnyTurnSaver | None = None) -> Iterator[Eraser]:
    """What erases in the home of a memory that is held; `saver` is the open checkpointer, where there is one."""
    from rqa_graph.erasing import Eraser
    from rqa_graph.folders import open_folder_index
    from rqa_graph.savers import held_saver, open_saver

    saver = saver or held_saver(settings)
    opened = nullcontext(saver) if saver is not None else open_saver(settings)
    with opened as threads, closing(open_folder_index(settings)) as folders:
        yield Eraser(memory, home=settings.home, threads=threads, folders=folders, clock=utc_now)
