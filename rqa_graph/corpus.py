"""Which documents may an answer rest on, and what do they say now?

A person lists folders in `RQA_HOME/config/deliberation.yaml`, each with its publisher. A document is read from its file
each time it is asked for: retrieved means read now, and its hash is that of the bytes that lie there. What is not in a
listed folder is never read, whatever a locator says. Near a question is what shares its words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from rqa_checkpoints.provenance import split_sentences
from rqa_nodes.deliberate.ports import Found
from rqa_nodes.structure.text import clean, content_terms, coverage

__all__ = ["FolderCorpus", "SourceFolder"]

_SUFFIXES: Final = frozenset({".md", ".txt", ".rst", ".markdown"})
_MAX_BYTES: Final = 1_000_000
_MAX_FILES: Final = 5_000
_RELATED: Final = 0.3
"""Share of the question's words from which a sentence bears on it."""
_PASSAGE_CHARS: Final = 1_600
"""Of one document in a prompt: six of them fit the smallest context that we allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFolder:
    """One folder on the list."""

    path: Path
    publisher: str
    family: str = ""
    """Whose voice it is; "" for the publisher's."""
    authority: bool = False
    """Is it the one that decides on what it is about?"""
    domains: tuple[str, ...] = ()
    """For which domains it is a source; empty for all."""

    def serves(self, domain: str) -> bool:
        """Is it a source for a domain?"""
        return not self.domains or domain in self.domains


class FolderCorpus:
    """Folders of documents as a corpus."""

    def __init__(self, folders: Sequence[SourceFolder], *, clock: Callable[[], datetime]) -> None:
        self._folders = tuple(folders)
        self._clock = clock

    def search(self, question: str, *, domain: str, limit: int) -> list[Found]:
        """The documents with the sentences that share most words with the question, best first."""
        wanted = content_terms(question)
        scored: list[tuple[float, str, Found]] = []
        for folder, path in self._files(domain):
            whole = self._read(folder, path)
            best, passage = _passage(wanted, whole.text) if whole else (0.0, "")
            if whole and passage:
                scored.append((best, whole.locator, replace(whole, text=passage)))
        scored.sort(key=lambda row: (-row[0], row[1]))
        return [found for _, _, found in scored[:limit]]

    def fetch(self, locator: str, *, domain: str) -> Found | None:
        """One document, whole and as it is now; None where it is not on the list or cannot be read."""
        for folder, path in self._files(domain):
            if _locator(folder, path) == locator:
                return self._read(folder, path)
        return None

    def _files(self, domain: str) -> Iterator[tuple[SourceFolder, Path]]:
        count = 0
        for folder in self._folders:
            if not folder.serves(domain):
                continue
            root = folder.path.resolve()
            for path in sorted(root.rglob("*")):
                inside = path.suffix.casefold() in _SUFFIXES and path.resolve().is_relative_to(root) and path.is_file()
                if inside and count < _MAX_FILES:
                    count += 1
                    yield folder, path

    def _read(self, folder: SourceFolder, path: Path) -> Found | None:
        try:
            data = path.read_bytes()
            text = data.decode("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
        if len(data) > _MAX_BYTES or "\0" in text:
            return None
        return Found(
            locator=_locator(folder, path),
            publisher=folder.publisher,
            family=folder.family or folder.publisher,
            retrieved_at=self._clock().isoformat(timespec="milliseconds"),
            sha256=hashlib.sha256(data).hexdigest(),
            text=clean(text),
            authority=folder.authority,
        )


def _locator(folder: SourceFolder, path: Path) -> str:
    return f"{folder.path.name}/{path.relative_to(folder.path.resolve()).as_posix()}"


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
