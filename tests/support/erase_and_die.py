"""Erases an item in a process that ends itself with SIGKILL at a named step."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rqa_checkpoints.log import EventLog
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_checkpoints.recalling import Searcher
from rqa_checkpoints.saver import QdrantSaver
from rqa_graph.cli.common import Common
from rqa_graph.cli.session import open_memory
from rqa_graph.memory_opening import open_eraser
from rqa_graph.settings import Settings

STEPS: dict[str, tuple[Any, str, Callable[..., bool]]] = {
    "history": (ProvenanceMemory, "erase", lambda *_, **__: True),
    "decided": (QdrantSaver, "erase_threads", lambda *_: True),
    "copied": (Path, "rename", lambda path, _to: path.name == "checkpoints"),
    "swapped": (Path, "rename", lambda path, _to: path.name == "checkpoints.fresh"),
    "checkpoints": (shutil, "rmtree", lambda path, **_: Path(path).name == "checkpoints.old" and Path(path).exists()),
    "index": (Searcher, "discard", lambda *_: True),
    "log": (EventLog, "scrub", lambda *_: True),
    "told": (ProvenanceMemory, "acknowledge", lambda *_: True),
}
"""For each step: what is about to be called, and with which arguments, when the process dies."""


def main(home: str, handle: str, step: str) -> None:
    owner, name, at = STEPS[step]
    real = getattr(owner, name)

    def dying(*given: Any, **named: Any) -> Any:
        if at(*given, **named):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **named)

    opened = open_memory(Common(home=home, user="ann"))
    with opened as session, open_eraser(session.memory, Settings.load(home=home)) as eraser:
        plan = eraser.plan_item(handle, scope=Scope("local", "ann"))
        setattr(owner, name, dying)
        eraser.erase(plan)


if __name__ == "__main__":
    main(*sys.argv[1:])
