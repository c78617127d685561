"""Which documents may an answer rest on, and what do they say now?

A person lists folders in `RQA_HOME/config/deliberation.yaml`, each with its publisher; which of their files are
documents, and how one is read, is decided as for any folder (`folders.py`). What is found is read from its file at that
moment: retrieved means read now, and the hash is that of the bytes that lie there. What is not in a listed folder, or
hidden, is never read, whatever a locator says. Near a question is what shares its words, and, where a person has
indexed the folder, what `local_rag` finds near it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import islice
from os import stat_result
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from rqa_checkpoints.folders import digest_of
from rqa_graph.deliberation_settings import SourceSettings
from rqa_graph.errors import TooLargeError
from rqa_graph.folders import file_content, folder_paths, is_indexable, readable_text
from rqa_nodes.deliberate.ports import Found
from rqa_nodes.deliberate.sentences import sentences_of
from rqa_nodes.structure.text import clean, content_terms, coverage

__all__ = ["FolderCorpus", "NearPassage", "bearing_passage"]

_MAX_FILES: Final = 5_000
_RELATED: Final = 0.3
"""Share of the question's words from which a sentence bears on it."""
_PASSAGE_CHARS: Final = 1_600
"""Of one document in a prompt: six of them fit the smallest context that we allow."""
_TEXTS_KEPT: Final = 64
"""Files whose text stays read, by content: a PDF takes seconds."""


class NearPassage(NamedTuple):
    """A passage of an indexed folder."""

    folder: Path
    """Absolute."""
    file: str
    """Path in the folder, with forward slashes."""
    text: str


@dataclass(frozen=True, slots=True)
class _Known:
    """What a file was when its words were last counted."""

    size: int
    changed_ns: int
    terms: frozenset[str]

    def is_as(self, found: stat_result) -> bool:
        return (self.size, self.changed_ns) == (found.st_size, found.st_mtime_ns)


class _Place(NamedTuple):
    """One listed folder."""

    source: SourceSettings
    root: Path
    name: str

    def locator(self, file: str) -> str:
        return f"{self.name}/{file}"


class FolderCorpus:
    """Folders of documents as a corpus."""

    def __init__(
        self,
        sources: Sequence[SourceSettings],
        *,
        home: Path,
        clock: Callable[[], datetime],
        near: Callable[[str], Sequence[NearPassage]] = lambda _question: (),
    ) -> None:
        """`home` is where a folder lies whose path is not absolute; `near` searches the folders that are indexed."""
        self._sources = tuple(source for source in sources if source.folder)
        self._home = home
        self._clock = clock
        self._near = near
        self._known: dict[Path, _Known] = {}

    def search(self, question: str, *, domain: str, limit: int) -> list[Found]:
        """The documents with the sentences that share most words with the question, best first; then those near it."""
        found = self._by_words(content_terms(question), domain, limit)
        have = {row.locator for row in found}
        for row in self._by_meaning(question, domain) if len(found) < limit else ():
            if row.locator not in have:
                have.add(row.locator)
                found.append(row)
        return found[:limit]

    def fetch(self, locator: str, *, domain: str) -> Found | None:
        """One document, whole and as it is now; None where it is not on the list or cannot be read."""
        name, _, file = locator.partition("/")
        parts = PurePosixPath(file).parts
        if any(part in ("..", "/") or part.startswith(".") for part in parts) or "/".join(parts) != file:
            return None
        for place in self._places(domain):
            if place.name == name and is_indexable(file):
                return self._read(place, file)
        return None

    def _by_words(self, wanted: frozenset[str], domain: str, limit: int) -> list[Found]:
        """No sentence shares more words than its document, so the search ends where no better one can follow."""
        bounds = [
            (coverage(wanted, terms), place.locator(file), place, file) for place, file, terms in self._all(domain)
        ]
        bounds.sort(key=lambda row: (-row[0], row[1]))
        scored: list[tuple[float, str, Found]] = []
        for bound, locator, place, file in bounds:
            if bound < _RELATED or (len(scored) >= limit and scored[limit - 1][0] > bound):
                break
            whole = self._read(place, file)
            best, passage = bearing_passage(wanted, whole.text) if whole else (0.0, "")
            if whole and passage:
                scored.append((best, locator, replace(whole, text=passage)))
                scored.sort(key=lambda row: (-row[0], row[1]))
        return [found for _, _, found in scored[:limit]]

    def _by_meaning(self, question: str, domain: str) -> Iterator[Found]:
        places = {place.root: place for place in self._places(domain)}
        for passage in self._near(question) if places else ():
            place = places.get(passage.folder)
            whole = self._read(place, passage.file) if place else None
            text = clean(passage.text)
            if whole and text in whole.text:
                yield replace(whole, text=text)

    def _all(self, domain: str) -> Iterator[tuple[_Place, str, frozenset[str]]]:
        """Every file of a domain with its words; only what has changed is read."""
        for place in self._places(domain):
            try:
                for file, path in islice(folder_paths(place.root), _MAX_FILES):
                    known = self._counted(place, file, path)
                    if known is not None:
                        yield place, file, known.terms
            except TooLargeError:
                continue  # the first of its files are searched

    def _counted(self, place: _Place, file: str, path: Path) -> _Known | None:
        try:
            now = path.stat()
        except OSError:
            return None
        known = self._known.get(path)
        if known is None or not known.is_as(now):
            whole = self._read(place, file)
            known = _Known(now.st_size, now.st_mtime_ns, content_terms(whole.text) if whole else frozenset())
            self._known[path] = known
        return known

    def _places(self, domain: str) -> Iterator[_Place]:
        for source in self._sources:
            if source.serves(domain):
                folder = self._home / Path(source.folder).expanduser()
                yield _Place(source, folder.resolve(), folder.name)

    def _read(self, place: _Place, file: str) -> Found | None:
        try:
            data = file_content(place.root / file, file, place.root, "en")
        except ValueError:  # no file can have this name
            return None
        text = _text_of(data, file) if isinstance(data, bytes) else ""
        if not text or isinstance(data, str):
            return None
        return Found(
            locator=place.locator(file),
            publisher=place.source.publisher,
            family=place.source.family or place.source.publisher,
            retrieved_at=self._clock().isoformat(timespec="milliseconds"),
            sha256=digest_of(data),
            text=text,
            authority=place.source.authority,
        )


@lru_cache(maxsize=_TEXTS_KEPT)
def _text_of(data: bytes, file: str) -> str:
    """The text of a file; "" where it has none."""
    try:
        return clean(readable_text(data, file, "en"))
    except ValueError:
        return ""


def bearing_passage(wanted: frozenset[str], text: str) -> tuple[float, str]:
    """The best sentences of a document with their neighbours, in its order and words, and the best score."""
    sentences = sentences_of(text)
    scores = [coverage(wanted, sentence.terms) for sentence in sentences]
    chosen: set[int] = set()
    used = 0
    for place in sorted(range(len(sentences)), key=lambda n: -scores[n]):
        if scores[place] < _RELATED or used >= _PASSAGE_CHARS:
            break
        near = {n for n in (place, place + 1) if n < len(sentences)} - chosen
        chosen |= near
        used += sum(len(sentences[n].text) for n in near)
    return max(scores, default=0.0), "\n".join(sentences[n].text for n in sorted(chosen))
