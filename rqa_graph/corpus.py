"""Which documents may an answer rest on, and what do they say now?

A person lists folders in `RQA_HOME/config/deliberation.yaml`, each with its publisher. A document is read from its file
each time it is asked for: retrieved means read now, and its hash is that of the bytes that lie there. What is not in a
listed folder, or hidden, is never read, whatever a locator says. Near a question is what shares its words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final

from rqa_checkpoints.provenance import split_sentences
from rqa_graph.deliberation_settings import SourceSettings
from rqa_nodes.deliberate.ports import Found
from rqa_nodes.structure.text import clean, content_terms, coverage

__all__ = ["FolderCorpus"]

_SUFFIXES: Final = frozenset({".md", ".txt", ".rst", ".markdown"})
_MAX_BYTES: Final = 1_000_000
_MAX_FILES: Final = 5_000
_RELATED: Final = 0.3
"""Share of the question's words from which a sentence bears on it."""
_PASSAGE_CHARS: Final = 1_600
"""Of one document in a prompt: six of them fit the smallest context that we allow."""


class FolderCorpus:
    """Folders of documents as a corpus."""

    def __init__(self, sources: Sequence[SourceSettings], *, home: Path, clock: Callable[[], datetime]) -> None:
        """`home` is where a folder lies whose path is not absolute."""
        self._sources = tuple(sources)
        self._home = home
        self._clock = clock

    def search(self, question: str, *, domain: str, limit: int) -> list[Found]:
        """The documents with the sentences that share most words with the question, best first."""
        wanted = content_terms(question)
        scored: list[tuple[float, str, Found]] = []
        for source, root, path in islice(self._files(domain), _MAX_FILES):
            whole = self._read(source, root, path)
            best, passage = _passage(wanted, whole.text) if whole else (0.0, "")
            if whole and passage:
                scored.append((best, whole.locator, replace(whole, text=passage)))
        scored.sort(key=lambda row: (-row[0], row[1]))
        return [found for _, _, found in scored[:limit]]

    def fetch(self, locator: str, *, domain: str) -> Found | None:
        """One document, whole and as it is now; None where it is not on the list or cannot be read."""
        for source, root in self._roots(domain):
            path = root / locator.partition("/")[2]
            try:
                if _is_document(root, path) and self._locator(source, root, path) == locator:
                    return self._read(source, root, path)
            except (OSError, ValueError):
                continue  # no file can have this name
        return None

    def _roots(self, domain: str) -> Iterator[tuple[SourceSettings, Path]]:
        for source in self._sources:
            if source.serves(domain):
                yield source, self._place(source).resolve()

    def _files(self, domain: str) -> Iterator[tuple[SourceSettings, Path, Path]]:
        for source, root in self._roots(domain):
            yield from ((source, root, path) for path in sorted(root.rglob("*")) if _is_document(root, path))

    def _place(self, source: SourceSettings) -> Path:
        return self._home / Path(source.folder).expanduser()

    def _locator(self, source: SourceSettings, root: Path, path: Path) -> str:
        return f"{self._place(source).name}/{path.relative_to(root).as_posix()}"

    def _read(self, source: SourceSettings, root: Path, path: Path) -> Found | None:
        try:
            with path.open("rb") as file:
                data = file.read(_MAX_BYTES + 1)
            text = data.decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        if len(data) > _MAX_BYTES or "\0" in text:
            return None
        return Found(
            locator=self._locator(source, root, path),
            publisher=source.publisher,
            family=source.family or source.publisher,
            retrieved_at=self._clock().isoformat(timespec="milliseconds"),
            sha256=hashlib.sha256(data).hexdigest(),
            text=clean(text),
            authority=source.authority,
        )


def _is_document(root: Path, path: Path) -> bool:
    """A text file of the folder itself: not hidden, and not somewhere else behind a link."""
    hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
    is_text = not hidden and path.suffix.casefold() in _SUFFIXES
    return is_text and path.resolve().is_relative_to(root) and path.is_file()


def _passage(wanted: frozenset[str], text: str) -> tuple[float, str]:
    """The best sentences of a document with their neighbours, in its order and words, and the best score."""
    sentences = split_sentences(text)
    scores = [coverage(wanted, content_terms(sentence)) for sentence in sentences]
    chosen: set[int] = set()
    used = 0
    for place in sorted(range(len(sentences)), key=lambda n: -scores[n]):
        if scores[place] < _RELATED or used >= _PASSAGE_CHARS:
            break
        near = {n for n in (place, place + 1) if n < len(sentences)} - chosen
        chosen |= near
        used += sum(len(sentences[n]) for n in near)
    return max(scores, default=0.0), "\n".join(sentences[n] for n in sorted(chosen))
