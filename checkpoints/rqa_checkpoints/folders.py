"""Which files of a person's folders can be cited, and which passages of them are near a text?

A folder is indexed where a person says so. What is kept of it is a manifest (whose it is, which files, their digests
and how many passages each has) and vectors; no word of a file is copied, so a passage is read from the file itself
when it is cited, and one that has changed meanwhile is not cited at all. Files are compared by content: indexing again
encodes what is new or changed and takes out what is gone. A file is in the manifest only after its vectors are in the
index, so an indexing that is killed goes on where it stood.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from rqa_checkpoints import sparse
from rqa_checkpoints.chunking import query_window
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.errors import UnknownFolderError
from rqa_checkpoints.floors import kept_floors
from rqa_checkpoints.fusion import Hit, fuse
from rqa_checkpoints.index import Filter, IndexPoint, VectorIndex, collection_name, open_index, remove_collection
from rqa_checkpoints.passages import Passage, cut_passages
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope, SourceClass

__all__ = ["FileFacts", "Folder", "FolderChanges", "FolderIndex", "PassageHit", "digest_of"]

SCHEMA: Final = "rqa.folder/1"
_BASE: Final = "folders"
_BATCH: Final = 32
"""Passages encoded at a time: about half a second of the default encoder on one core."""
_SAVED_FILES: Final = 20
"""After so many files the manifest is written: a kill costs at most their vectors."""
_CANDIDATES: Final = 256
"""Passages asked of each side of a search: fusion needs the lower ranks too."""


def digest_of(data: bytes) -> str:
    """The content hash of a source: SHA-256 in hex, as `sha256sum` prints it."""
    return hashlib.sha256(data).hexdigest()


class FileFacts(NamedTuple):
    """A file as it was indexed."""

    number: int
    """Its number in the folder, never given twice."""
    digest: str
    passages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """One indexed folder of one person."""

    scope: Scope
    name: str
    """Begins the locator of every passage."""
    path: str
    """Absolute."""
    embedder: str
    """What made the vectors: those of two are never compared."""
    next: int = 1
    """Number of the next new file."""
    indexed_at: str = ""
    """ISO 8601, UTC."""
    files: Mapping[str, FileFacts] = field(default_factory=dict)
    """By path in the folder, with forward slashes."""

    @property
    def passages(self) -> int:
        """How many passages can be cited."""
        return sum(facts.passages for facts in self.files.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderChanges:
    """What an indexing did."""

    folder: Folder
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Files that cannot be cited, and why, in words."""


class PassageHit(NamedTuple):
    """Where a near passage lies."""

    folder: Folder
    file: str
    digest: str
    """Of the file when it was indexed."""
    passage: int
    """Its place among the file's passages."""
    hit: Hit


class FolderIndex:
    """The folders of everybody in one home. Every call names the scope."""

    def __init__(self, place: Path, *, encoder: Callable[[], Encoder], location: str = "") -> None:
        """`place` is a folder of the home, made when something is indexed; `location` a Qdrant server, "" for none."""
        self._place = place
        self._location: str | Path = location or place / "index"
        self._open_encoder = encoder
        self._opened: tuple[Encoder, VectorIndex] | None = None
        self._folders: dict[str, Folder] = {}
        self._seen: tuple[tuple[str, int, int], ...] | None = None

    def folders(self, scope: Scope) -> list[Folder]:
        """This person's folders by name."""
        return sorted((f for f in self._all().values() if f.scope == scope), key=lambda folder: folder.name)

    def find(self, name: str, scope: Scope) -> Folder:
        """A folder by its name. Raises UnknownFolderError."""
        for folder in self.folders(scope):
            if folder.name == name:
                return folder
        raise UnknownFolderError(f"no indexed folder is called {name!r}", hint="`rqa folder list` shows the names.")

    def index(
        self,
        folder: Folder,
        files: Iterable[tuple[str, bytes | str]],
        *,
        read: Callable[[str, bytes], str],
        at: str,
        progress: Callable[[str], None] = lambda _file: None,
    ) -> FolderChanges:
        """Make the index say what the folder says now.

        Args:
            folder: As `find` gave it, or a new one.
            files: Path in the folder and content of each file, or why it has none.
            read: The text of a file; raises ValueError with the reason where it has none.
            at: The time, ISO 8601.
            progress: Called with each file before it is read.

        Raises:
            EmbedderUnavailableError, HomeNotWritableError, StoreUnavailableError: what was indexed so far stays.
        """
        encoder, index = self._open()
        stale = folder.embedder != encoder.name
        run = _Indexing(self, replace(folder, embedder=encoder.name, files={} if stale else folder.files), index)
        if stale:
            index.drop(list(_ids(folder, folder.files.values())))
        for name, content in files:
            progress(name)
            run.take(name, content, read=read, encoder=encoder)
        return run.finish(at)

    def drop(self, name: str, scope: Scope) -> Folder:
        """Take a folder out; its files stay where they are. Raises UnknownFolderError."""
        folder = self.find(name, scope)
        self._drop([folder])
        return folder

    def drop_person(self, scope: Scope) -> int:
        """Take everything of a person out; return how many folders that were."""
        folders = self.folders(scope)
        self._drop(folders)
        return len(folders)

    def search(self, query: str, *, scope: Scope) -> list[PassageHit]:
        """Passages that may be near a text, best first, only of this person's folders."""
        known = {_key(folder): folder for folder in self.folders(scope)}
        window = query_window(query)
        if not known or not window:
            return []
        encoder, index = self._open()
        usable = {key: folder for key, folder in known.items() if folder.embedder == encoder.name}
        by_number = {(k, facts.number): name for k, f in usable.items() for name, facts in f.files.items()}
        found = index.search(
            where=Filter(scope=scope),
            limit=_CANDIDATES,
            dense=encoder.embed_query(window),
            sparse=sparse.encode_query(window),
        )
        hits = []
        for hit in fuse(found, limit=_CANDIDATES):
            key, number, passage = hit.id.split("/")
            name = by_number.get((key, int(number)))
            if name is not None and int(passage) < usable[key].files[name].passages:
                hits.append(PassageHit(usable[key], name, usable[key].files[name].digest, int(passage), hit))
        return hits

    def floor(self, query: str) -> float:
        """Cosine from which on a passage is related to a query."""
        encoder, index = self._open()
        return kept_floors(index, encoder).of(query)

    def save(self, folder: Folder) -> None:
        """Write a manifest, whole or not at all."""
        row = asdict(folder) | {"schema": SCHEMA, "files": {name: list(facts) for name, facts in folder.files.items()}}
        path = self._manifest(folder)
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(row, ensure_ascii=False), "utf-8")
        beside.chmod(0o600)
        beside.replace(path)
        self._all()[_key(folder)] = folder

    def close(self) -> None:
        """Give the index back. May be called twice."""
        opened, self._opened = self._opened, None
        if opened is not None:
            opened[1].close()

    def _all(self) -> dict[str, Folder]:
        """All manifests; they are read again where one of them is new, gone or another."""
        paths = sorted(self._place.glob("*.json"))
        seen = tuple(_stamp(path) for path in paths)
        if seen != self._seen:
            rows = [_read_manifest(path) for path in paths]
            self._folders = {_key(folder): folder for folder in rows if folder is not None}
            self._seen = seen
        return self._folders

    def _open(self) -> tuple[Encoder, VectorIndex]:
        if self._opened is None:
            self._place.mkdir(parents=True, exist_ok=True)
            encoder = self._open_encoder()
            name = collection_name(_BASE, embedder=encoder.name, dimension=encoder.dimension)
            self._opened = encoder, open_index(self._location, name=name, dimension=encoder.dimension)
        return self._opened

    def _drop(self, folders: Sequence[Folder]) -> None:
        """The manifest first: what it does not name is never found, whatever is left in the index."""
        for folder in folders:
            self._manifest(folder).unlink(missing_ok=True)
            self._all().pop(_key(folder), None)
        if not self._all():
            self._remove_index()
        elif folders:
            _, index = self._open()
            index.drop([id_ for folder in folders for id_ in _ids(folder, folder.files.values())])

    def _remove_index(self) -> None:
        opened = self._opened
        self.close()
        if isinstance(self._location, Path):
            shutil.rmtree(self._location, ignore_errors=True)
        elif opened is not None:
            remove_collection(self._location, name=opened[1].name)

    def _manifest(self, folder: Folder) -> Path:
        return self._place / f"{_key(folder)}.json"


class _Indexing:
    """One run over the files of a folder."""

    def __init__(self, owner: FolderIndex, folder: Folder, index: VectorIndex) -> None:
        self._owner = owner
        self._folder = folder
        self._before = dict(folder.files)
        self._files = dict(folder.files)
        self._index = index
        self._seen: set[str] = set()
        self._added: list[str] = []
        self._changed: list[str] = []
        self._skipped: dict[str, str] = {}

    def take(self, name: str, content: bytes | str, *, read: Callable[[str, bytes], str], encoder: Encoder) -> None:
        """Index one file, unless it is as it was."""
        if isinstance(content, str):
            self._skipped[name] = content
            return
        digest, known = digest_of(content), self._before.get(name)
        if known is not None and known.digest == digest:
            self._seen.add(name)
            return
        try:
            passages = cut_passages(read(name, content))
        except ValueError as error:
            self._skipped[name] = str(error)
            return
        self._seen.add(name)
        self._put(name, digest, passages, encoder)
        (self._added if known is None else self._changed).append(name)
        if (len(self._added) + len(self._changed)) % _SAVED_FILES == 0:
            self._save()

    def finish(self, at: str) -> FolderChanges:
        """Take out what is gone, and write down what is there."""
        removed = [name for name in self._before if name not in self._seen]
        gone = [self._before[name] for name in (*removed, *self._changed) if name in self._before]
        for name in removed:
            del self._files[name]
        self._folder = replace(self._folder, indexed_at=at)
        self._save()
        self._index.drop(list(_ids(self._folder, gone)))
        self._index.set_watermark(self._folder.next)
        return FolderChanges(
            folder=self._folder,
            added=tuple(self._added),
            changed=tuple(self._changed),
            removed=tuple(removed),
            skipped=self._skipped,
        )

    def _put(self, name: str, digest: str, passages: Sequence[Passage], encoder: Encoder) -> None:
        facts = FileFacts(self._folder.next, digest, len(passages))
        texts = [f"{name}\n{passage.text}" for passage in passages]
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            vectors = encoder.embed_documents(batch)
            self._index.upsert(
                [
                    IndexPoint(
                        node=_stand_in(self._folder, facts, start + at),
                        chunk=0,
                        sparse=sparse.encode_document(text),
                        dense=vector,
                    )
                    for at, (text, vector) in enumerate(zip(batch, vectors, strict=True))
                ]
            )
        self._files[name] = facts
        self._folder = replace(self._folder, next=facts.number + 1)

    def _save(self) -> None:
        self._folder = replace(self._folder, files=dict(sorted(self._files.items())))
        self._owner.save(self._folder)


def _stamp(path: Path) -> tuple[str, int, int]:
    """By what a manifest is known to be the one that was read; it is written under another name and moved."""
    try:
        found = path.stat()
    except OSError:  # it was dropped a moment ago
        return path.name, 0, 0
    return path.name, found.st_mtime_ns, found.st_ino


def _key(folder: Folder) -> str:
    return digest_of(json.dumps([folder.scope.tenant, folder.scope.user, folder.name]).encode())[:16]


def _ids(folder: Folder, files: Iterable[FileFacts]) -> Iterator[str]:
    for facts in files:
        yield from (f"{_key(folder)}/{facts.number}/{passage}" for passage in range(facts.passages))


def _stand_in(folder: Folder, facts: FileFacts, passage: int) -> MemoryNode:
    """What the index knows of a passage: whose it is and where, and no word of it."""
    return MemoryNode(
        id=f"{_key(folder)}/{facts.number}/{passage}",
        handle="",
        tenant=folder.scope.tenant,
        user=folder.scope.user,
        thread="",
        turn_id="",
        source=SourceClass.external,
        author="",
        kind=Kind.document,
        text="",
        recorded_at="",
    )


def _read_manifest(path: Path) -> Folder | None:
    """A manifest; None for a file that is none, as of another version."""
    try:
        row: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if row.pop("schema") != SCHEMA:
            return None
        files = {name: FileFacts(*facts) for name, facts in row.pop("files").items()}
        return Folder(**row | {"scope": Scope(**row["scope"]), "files": files})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
