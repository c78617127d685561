"""What do a person's own folders say to this?

A passage is read from its file at the moment in which it is cited. A file that is gone, or whose content is not what
was indexed, is not cited: what a search knows of it may be about other words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from rqa_checkpoints import sparse
from rqa_checkpoints.chunking import query_window
from rqa_checkpoints.folders import FolderIndex, PassageHit, digest_of
from rqa_checkpoints.passages import Passage, cut_passages
from rqa_checkpoints.selecting import is_related, related_floor
from rqa_graph.folders import readable_text
from rqa_graph.inputs import LIMIT_BYTES
from rqa_graph.tool_settings import LocalRagSettings
from rqa_nodes.errors import ToolError
from rqa_nodes.tools.controller import LOCAL_RAG
from rqa_nodes.tools.status import ToolStatus
from rqa_nodes.tools.toolbox import Source, ToolCall

__all__ = ["LocalRag"]

_LOOKED_AT = 48
"""Hits whose passages are read: beyond these nothing is near any more."""
_FILES_KEPT = 32
"""Files whose passages stay cut, by content: a PDF takes seconds to read."""


class LocalRag:
    """The indexed folders as a tool."""

    name = LOCAL_RAG

    def __init__(self, index: FolderIndex, settings: LocalRagSettings) -> None:
        self._index = index
        self.calls = settings.calls
        self.seconds = settings.seconds
        self.items = settings.items

    def leaves(self, query: str) -> bool:
        """Nothing does."""
        del query
        return False

    def run(self, call: ToolCall) -> Sequence[Source]:
        """The passages near the query, best first; none where nothing is near.

        Raises ToolError where what is near has changed since it was indexed.
        """
        hits = self._index.search(call.query, scope=call.scope)
        if not hits:
            return []
        window = query_window(call.query)
        grams = sparse.encode_query(window)
        floor = related_floor(call.query, [found.hit for found in hits], self._index.floor(call.query))
        sources: list[Source] = []
        stale: set[str] = set()
        for found in hits[:_LOOKED_AT]:
            passage = _passage(found)
            if passage is None:
                if found.hit.cosine is not None and found.hit.cosine >= floor:
                    stale.add(f"{found.folder.name}/{found.file}")
            elif is_related(grams, passage.text, found.hit, floor):
                locator = f"{found.folder.name}/{found.file}:{passage.line}"
                sources.append(Source(text=passage.text, locator=locator, digest=found.digest))
            if len(sources) == self.items:
                break
        if stale and not sources:
            raise ToolError(min(stale), reason=ToolStatus.stale)
        return sources

    def close(self) -> None:
        """Give the index back."""
        self._index.close()


def _passage(found: PassageHit) -> Passage | None:
    """A passage as its file has it now; None where the file is not as it was indexed."""
    path = Path(found.folder.path, found.file)
    try:
        if not path.resolve().is_relative_to(Path(found.folder.path).resolve()):
            return None
        with path.open("rb") as file:
            data = file.read(LIMIT_BYTES + 1)
    except OSError:
        return None
    return _cut(data, found.file)[found.passage] if digest_of(data) == found.digest else None


@lru_cache(maxsize=_FILES_KEPT)
def _cut(data: bytes, name: str) -> Sequence[Passage]:
    return cut_passages(readable_text(data, name, "en"))
