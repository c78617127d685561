"""What does a home deliberate with: engines, sources, guard, and the library of what was verified?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from rqa_checkpoints.cache.guard import compare, sign
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_graph.answer_library import IntegrityLibrary
from rqa_graph.cache_figures import read_figures
from rqa_graph.caching import cache_over
from rqa_graph.corpus import FolderCorpus
from rqa_graph.settings import Settings
from rqa_graph.telemetry import TELEMETRY_FILE
from rqa_nodes.deliberate.claims import Guard
from rqa_nodes.deliberate.ports import Bench, Corpus
from rqa_nodes.telemetry import Telemetry

__all__ = ["Deliberating", "differing", "open_deliberating"]

_REQUESTS_KEPT: Final = timedelta(days=30)
_OF_QUESTIONS: Final = frozenset({"content"})
"""Which words carry content is measured for claims, not demanded word by word as for questions."""


def differing(one: str, other: str, lang: str) -> tuple[str, ...]:
    """The facets in which two statements differ or may differ."""
    found = compare(sign(one, lang), sign(other, lang)).facets
    return tuple(name for name in found if name not in _OF_QUESTIONS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliberating:
    """Everything of a home that a deliberation needs, but for its memory and its models."""

    bench: Bench
    corpus: Corpus
    open_library: Callable[[ProvenanceMemory], IntegrityLibrary]
    guard: Guard = differing


def open_deliberating(settings: Settings, *, clock: Callable[[], datetime], telemetry: Telemetry) -> Deliberating:
    """What the settings describe; the key of the ledger is made or read when the library is first needed."""
    wanted = settings.deliberation

    def library(memory: ProvenanceMemory) -> IntegrityLibrary:
        cache = cache_over(memory.log, settings, clock=clock, semantic=True, recorder=telemetry)
        return IntegrityLibrary(cache, clock=clock, requests=counted_requests(settings.home / TELEMETRY_FILE, clock))

    return Deliberating(
        bench=Bench(
            engines=tuple("" if name == "chat" else name for name in wanted.engines),
            alternates=tuple("" if name == "chat" else name for name in wanted.alternates),
            reviewer=wanted.reviewer,
            seconds=wanted.seconds,
            sources=wanted.documents,
        ),
        corpus=FolderCorpus(wanted.sources, home=settings.home, clock=clock),
        open_library=library,
    )


def counted_requests(path: Path, clock: Callable[[], datetime]) -> Callable[[str], int]:
    """Counts the look-ups of the last 30 days by the mark of their question."""

    def count(mark: str) -> int:
        since = (clock() - _REQUESTS_KEPT).isoformat()
        return sum(
            line.get("mark") == mark and str(line["at"]) >= since
            for line in read_figures(path)
            if line["kind"] == "lookup"
        )

    return count
