"""Which pages may an answer rest on, and what do they say now?

A person lists addresses in `RQA_HOME/config/deliberation.yaml`, each group with its publisher. They are fetched by the
tool `document_fetch` with all its limits; an address that is not listed is never fetched, whatever a locator says. A
page that was read for a question stays read for ten minutes, with the time at which it was fetched; before an answer
is signed, each page that it rests on is fetched again. The hash is that of the words that were read, since the frame
around them changes with every request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from rqa_checkpoints.folders import digest_of
from rqa_graph.corpus import bearing_passage
from rqa_graph.deliberation_settings import SourceSettings
from rqa_nodes.deliberate.ports import Corpus, Found
from rqa_nodes.errors import ToolError
from rqa_nodes.structure.text import clean, content_terms

__all__ = ["JoinedCorpus", "PageCorpus"]

_KEPT: Final = timedelta(minutes=10)


class PageCorpus:
    """Listed addresses as a corpus."""

    def __init__(
        self, sources: Sequence[SourceSettings], *, text_at: Callable[[str], str], clock: Callable[[], datetime]
    ) -> None:
        """`text_at` fetches the words of a page; it raises ToolError where it may not or cannot."""
        self._sources = tuple(source for source in sources if source.pages)
        self._text_at = text_at
        self._clock = clock
        self._kept: dict[str, tuple[datetime, str]] = {}
        self._lock = Lock()

    def search(self, question: str, *, domain: str, limit: int) -> list[Found]:
        """The pages with the sentences that share most words with the question, best first."""
        wanted = content_terms(question)
        scored: list[tuple[float, str, Found]] = []
        for source, address in self._listed(domain):
            whole = self._read(source, address, fresh=False)
            best, passage = bearing_passage(wanted, whole.text) if whole else (0.0, "")
            if whole and passage:
                scored.append((best, address, replace(whole, text=passage)))
        return [found for _, _, found in sorted(scored, key=lambda row: (-row[0], row[1]))][:limit]

    def fetch(self, locator: str, *, domain: str) -> Found | None:
        """One listed page as it is now; None where it is not on the list or cannot be read."""
        for source, address in self._listed(domain):
            if address == locator:
                return self._read(source, address, fresh=True)
        return None

    def _listed(self, domain: str) -> Iterator[tuple[SourceSettings, str]]:
        for source in self._sources:
            if source.serves(domain):
                yield from ((source, address) for address in source.pages)

    def _read(self, source: SourceSettings, address: str, *, fresh: bool) -> Found | None:
        now = self._clock()
        with self._lock:
            at, text = self._kept.get(address, (now - _KEPT, ""))
        if fresh or now - at >= _KEPT:
            try:
                at, text = now, clean(self._text_at(address))
            except ToolError:
                return None
            with self._lock:
                self._kept[address] = (at, text)
        if not text:
            return None
        return Found(
            locator=address,
            publisher=source.publisher,
            family=source.family or source.publisher,
            retrieved_at=at.isoformat(timespec="milliseconds"),
            sha256=digest_of(text.encode()),
            text=text,
            authority=source.authority,
        )


class JoinedCorpus:
    """Several corpora as one: in turn the best of each."""

    def __init__(self, *parts: Corpus) -> None:
        self._parts = parts

    def search(self, question: str, *, domain: str, limit: int) -> list[Found]:
        """The best of the first, the best of the second, and so on."""
        rows = [list(part.search(question, domain=domain, limit=limit)) for part in self._parts]
        longest = max(map(len, rows), default=0)
        return [row[n] for n in range(longest) for row in rows if n < len(row)][:limit]

    def fetch(self, locator: str, *, domain: str) -> Found | None:
        """One source of whichever part lists it."""
        return next((found for part in self._parts if (found := part.fetch(locator, domain=domain)) is not None), None)
