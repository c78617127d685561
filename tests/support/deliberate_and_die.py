"""Processes that deliberate on a real home and end themselves with SIGKILL at a named step.

Run as `python -m tests.support.deliberate_and_die HOME DOCUMENTS LAKES`. For each line on standard input (`STEP
NUMBER`) it forks a process that asks question NUMBER and dies at STEP; when that one is dead it prints how it ended.
Forking spares each of them the imports.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.index.edge import EdgeIndex
from rqa_graph.clock import new_id
from rqa_graph.integrity import Question, answer_with_integrity
from rqa_graph.services import AppServices
from tests.support.deliberations import Sage, deliberating_services, marks, write_documents

__all__ = ["STEPS", "lake_services", "question"]

STEPS = ("before_commit", "after_commit", "half_indexed")
"""Between attest and commit; between commit and index; and after the vector is written, before that is written down."""


def question(number: int) -> str:
    """One of many questions."""
    return f"How deep is Lake {number}?"


def _copied(parts: Any) -> str:
    """What the first source says that names the lake of the question."""
    name = parts.user_text.removeprefix("How deep is ").rstrip("?")
    line = next(line for line in parts.memory if f"{name} is" in line.text)
    sentence = next(text for text in line.text.split("\n") if text.startswith(f"{name} is"))
    return f"{sentence[:-1]} [m:{line.handle}]."


def lake_services(home: Path | str, documents: Path, lakes: int) -> AppServices:
    """Services over a home on disk, with two engines that copy and a reviewer that is content."""
    names = ("survey/lakes.md", "atlas/lakes.md")
    text = "\n".join(f"Lake {n} is {n + 10} metres deep." for n in range(lakes))
    sources = write_documents(documents, dict.fromkeys(names, text))
    sages = {
        "alpha:1": Sage("scripted:alpha1", _copied),
        "beta:1": Sage("scripted:beta1", _copied),
        "gamma:1": Sage("scripted:gamma1", marks()),
    }
    place = Path(home) / "vectors" if isinstance(home, Path) else None
    return deliberating_services(documents, sages, sources=sources, home=home, ids=new_id, vectors=place)


def _ask_and_die(home: Path, documents: Path, lakes: int, step: str, number: int) -> None:
    services = lake_services(home, documents, lakes)
    if step != "half_indexed":
        real = CacheStore.commit

        def dying(self: CacheStore, entry: str, *, tenant: str) -> Any:
            if step == "after_commit":
                real(self, entry, tenant=tenant)
            _die()

        CacheStore.commit = dying  # type: ignore[method-assign]  # this process dies of it
    answer_with_integrity(question(number), services=services)
    EdgeIndex.set_watermark = _die  # type: ignore[method-assign, assignment]  # as above
    services.answer_library.cache.look(Question(text=question(lakes), domain="facts").ask("local", listed=True))


def _die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(home: str, documents: str, lakes: str) -> None:
    for line in sys.stdin:
        step, number = line.split()
        pid = os.fork()
        if pid == 0:
            try:
                _ask_and_die(Path(home), Path(documents), int(lakes), step, int(number))
            finally:
                os._exit(9)  # it should have been dead by now
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
