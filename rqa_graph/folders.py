"""Which files of a folder can be indexed, and what becomes of passages whose file has changed?

Markdown, text and PDF, under the folder itself: a link that leads out of it, a pipe, a hidden file, a name that nobody
can read is skipped with the reason. A passage that was cited before and whose file has changed or is gone is hidden
from recall, so that memory does not go on citing what no file says any more.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from rqa_checkpoints import queries
from rqa_checkpoints.embedding import Encoder, open_embedder
from rqa_checkpoints.errors import UnknownFolderError
from rqa_checkpoints.folders import Folder, FolderChanges, FolderIndex
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_checkpoints.queries import NodeFilter
from rqa_graph.errors import InputError, MissingExtraError, MissingFileError, TooLargeError, UsageFaultError
from rqa_graph.inputs import LIMIT_BYTES, decode_document
from rqa_graph.messages import say
from rqa_graph.settings import Settings
from rqa_nodes.tools.controller import LOCAL_RAG

__all__ = [
    "SUFFIXES",
    "drop_folder",
    "file_content",
    "folder_files",
    "folder_paths",
    "index_folder",
    "is_indexable",
    "new_folder",
    "open_folder_index",
    "readable_text",
]

FOLDERS: Final = "folders"
"""Where indexes of folders lie, in a home."""

SUFFIXES: Final = frozenset({".md", ".markdown", ".txt", ".text", ".pdf"})
_MOST_FILES: Final = 5_000
"""Encoding takes about a second for 60 passages: more files than this are no folder that one waits for."""


def open_folder_index(settings: Settings) -> FolderIndex:
    """The folders of a home; neither an encoder nor an index is opened before it is needed."""

    def encoder() -> Encoder:
        return open_embedder(settings.memory.embedder)

    server = settings.memory.index if "://" in settings.memory.index else ""
    return FolderIndex(settings.home / FOLDERS, encoder=encoder, location=server)


def new_folder(index: FolderIndex, path: str, name: str, *, scope: Scope) -> Folder:
    """The folder that a person means: one that is indexed already, or a new one.

    Raises:
        MissingFileError: There is no such folder.
        UsageFaultError: The name is taken by another folder, or cannot begin a locator.
    """
    root = Path(path).expanduser()
    if not root.is_dir():
        raise MissingFileError("folder.missing", path=path)
    where = str(root.resolve())
    known = next((folder for folder in index.folders(scope) if folder.path == where), None)
    if known is not None and name in {"", known.name}:
        return known
    name = name or Path(where).name
    if not name.isprintable() or "/" in name or ":" in name or not name.strip():
        raise UsageFaultError("folder.bad_name", name=name)
    try:
        taken = index.find(name, scope)
    except UnknownFolderError:
        return Folder(scope=scope, name=name, path=where, embedder="")
    raise UsageFaultError("folder.name_taken", name=name, path=taken.path)


def index_folder(
    index: FolderIndex,
    memory: ProvenanceMemory,
    folder: Folder,
    *,
    at: str,
    lang: str,
    progress: Callable[[str], None] = lambda _file: None,
) -> FolderChanges:
    """Index a folder as it is now, and hide what memory cites of files that have changed.

    Raises:
        MissingFileError: The folder is gone.
        TooLargeError: Too many files.
    """
    root = Path(folder.path)
    if not root.is_dir():
        raise MissingFileError("folder.missing", path=folder.path)
    changes = index.index(
        folder,
        folder_files(root, lang),
        read=lambda name, data: readable_text(data, name, lang),
        at=at,
        progress=progress,
    )
    stale = {*changes.changed, *changes.removed}
    _hide(memory, folder, lambda file: file in stale)
    return changes


def drop_folder(index: FolderIndex, memory: ProvenanceMemory, name: str, *, scope: Scope) -> Folder:
    """Take a folder out of the index, and hide what memory cites of it. Raises UnknownFolderError."""
    folder = index.drop(name, scope)
    _hide(memory, folder, lambda _file: True)
    return folder


def readable_text(data: bytes, name: str, lang: str) -> str:
    """The text of a file; raises ValueError with the reason, in words, where it has none."""
    try:
        return decode_document(data, name).text
    except InputError as error:
        raise ValueError(say(error.key, lang, **error.values)) from error
    except MissingExtraError as error:
        raise ValueError(error.message) from error


def folder_files(root: Path, lang: str) -> Iterator[tuple[str, bytes | str]]:
    """Path in the folder and content of each file that could be indexed, or why it is not."""
    inside = root.resolve()
    for shown, path in folder_paths(root):
        yield shown, file_content(path, shown, inside, lang)


def folder_paths(root: Path) -> Iterator[tuple[str, Path]]:
    """Path in the folder, with forward slashes, and path of each file that could be indexed, in order.

    Raises TooLargeError after the last file that a folder may have.
    """
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not is_indexable(name):
                continue
            count += 1
            if count > _MOST_FILES:
                raise TooLargeError("folder.too_many", path=str(root), limit=_MOST_FILES)
            path = Path(folder, name)
            yield path.relative_to(root).as_posix(), path


def is_indexable(name: str) -> bool:
    """May a file of this name or path be indexed?"""
    path = Path(name)
    return not path.name.startswith(".") and path.suffix.lower() in SUFFIXES


def file_content(path: Path, shown: str, inside: Path, lang: str) -> bytes | str:
    """The bytes of a file under a folder that is resolved, or why there are none, in words.

    Raises ValueError for a path that no file can have.
    """
    if not shown.isprintable():
        return say("folder.unprintable", lang, path=shown)
    try:
        if not path.resolve().is_relative_to(inside):
            return say("folder.outside", lang, path=shown)
        if not stat.S_ISREG(path.stat().st_mode):
            return say("folder.no_file", lang, path=shown)
        with path.open("rb") as file:
            data = file.read(LIMIT_BYTES + 1)
    except OSError as error:
        return say("file.unreadable", lang, path=shown, reason=error.strerror)
    return say("file.too_large", lang, path=shown, limit=LIMIT_BYTES) if len(data) > LIMIT_BYTES else data


def _hide(memory: ProvenanceMemory, folder: Folder, is_stale: Callable[[str], bool]) -> None:
    """Hide the cited passages of files; they come back if the same content is found again."""
    where = NodeFilter(sources=frozenset({SourceClass.external}))
    prefix = f"{folder.name}/"
    with memory.log.reading() as view:
        cited = [
            node.id
            for node in queries.all_nodes(view, folder.scope, where)
            if node.author.startswith(f"{LOCAL_RAG} ")
            and node.locator.startswith(prefix)
            and is_stale(node.locator.removeprefix(prefix).rpartition(":")[0])
        ]
    for item in cited:
        memory.forget(item, scope=folder.scope)
