"""What does a home deliberate with: engines, sources, guard, and the library of what was verified?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from rqa_checkpoints.cache.guard import compare, sign
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope
from rqa_graph.answer_library import IntegrityLibrary
from rqa_graph.cache_figures import RequestCounts
from rqa_graph.caching import cache_over
from rqa_graph.corpus import FolderCorpus, NearPassage
from rqa_graph.errors import ConfigError
from rqa_graph.folders import open_folder_index
from rqa_graph.page_corpus import JoinedCorpus, PageCorpus
from rqa_graph.settings import Settings
from rqa_graph.telemetry import TELEMETRY_FILE
from rqa_nodes.deliberate.claims import Guard
from rqa_nodes.deliberate.ports import Bench, Corpus
from rqa_nodes.errors import ToolError
from rqa_nodes.telemetry import Telemetry
from rqa_nodes.tools.controller import LOCAL_RAG
from rqa_nodes.tools.toolbox import Toolbox, ToolCall

__all__ = ["Deliberating", "differing", "open_deliberating"]

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
    listed: bool = True
    """Is there any source on the list?"""


def open_deliberating(
    settings: Settings, *, clock: Callable[[], datetime], telemetry: Telemetry, tools: Toolbox
) -> Deliberating:
    """What the settings describe; the key of the ledger is made or read when the library is first needed."""
    wanted = settings.deliberation

    def library(memory: ProvenanceMemory) -> IntegrityLibrary:
        cache = cache_over(memory.log, settings, clock=clock, semantic=True, recorder=telemetry)
        return IntegrityLibrary(cache, clock=clock, requests=RequestCounts(settings.home / TELEMETRY_FILE, clock).of)

    return Deliberating(
        bench=Bench(
            engines=tuple("" if name == "chat" else name for name in wanted.engines),
            alternates=tuple("" if name == "chat" else name for name in wanted.alternates),
            reviewer=wanted.reviewer,
            seconds=wanted.seconds,
            sources=wanted.documents,
        ),
        corpus=_corpus(settings, tools, clock),
        open_library=library,
        listed=bool(wanted.sources),
    )


def _corpus(settings: Settings, tools: Toolbox, clock: Callable[[], datetime]) -> Corpus:
    """The listed folders, and the listed pages where there are any."""
    sources = settings.deliberation.sources
    folders = FolderCorpus(sources, home=settings.home, clock=clock, near=near_in_folders(settings, tools))
    if not any(source.pages for source in sources):
        return folders
    from rqa_graph.tools.document_fetch import DocumentFetch  # which loads what speaks to the network

    tool = tools.get(DocumentFetch.name)
    if not isinstance(tool, DocumentFetch) or not settings.tools.document_fetch.web:
        raise ConfigError(
            "`deliberation.sources` lists `pages`, and `tools.document_fetch` may not read them",
            hint="Set `enabled` and `web` of `document_fetch` to true in RQA_HOME/config/tools.yaml.",
        )
    return JoinedCorpus(folders, PageCorpus(sources, text_at=tool.text_at, clock=clock))


def near_in_folders(settings: Settings, tools: Toolbox) -> Callable[[str], list[NearPassage]]:
    """Searches the folders that a person has indexed, where `local_rag` is on; nothing where it is not."""
    scope, index = Scope(settings.memory.tenant, settings.user()), open_folder_index(settings)

    def near(question: str) -> list[NearPassage]:
        tool = tools.get(LOCAL_RAG)
        if tool is None:
            return []
        folders = {folder.name: Path(folder.path) for folder in index.folders(scope)}
        try:
            found = tool.run(ToolCall(query=question, scope=scope))
        except ToolError:
            return []  # a folder that has changed since it was indexed; its words are found all the same
        passages = []
        for source in found:
            name, _, file = source.locator.rpartition(":")[0].partition("/")
            if name in folders:
                passages.append(NearPassage(folders[name], file, source.text))
        return passages

    return near
