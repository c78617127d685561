"""Where do vectors lie, and how is one place of them opened?

The index is derived: everything in it can be built again from the log, so it promises speed and a watermark, never
truth. `EdgeIndex` runs Qdrant's engine in this process (one holder); `ClientIndex` speaks to a server or cluster.
The engines are imported when they are first used.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rqa_checkpoints.index.base import (
    Filter,
    Found,
    IndexPoint,
    Scored,
    VectorIndex,
    collection_name,
)

if TYPE_CHECKING:
    from rqa_checkpoints.index.client import ClientIndex
    from rqa_checkpoints.index.edge import EdgeIndex

__all__ = [
    "ClientIndex",
    "EdgeIndex",
    "Filter",
    "Found",
    "IndexPoint",
    "Scored",
    "VectorIndex",
    "collection_name",
    "find_collections",
    "open_index",
    "remove_collection",
]

_URLS = ("http://", "https://")


def open_index(location: str | Path, *, name: str, dimension: int, api_key: str | None = None) -> VectorIndex:
    """Open or create the collection `name`.

    Args:
        location: a folder (embedded engine), `http(s)://...` (a server) or `:memory:` (gone at the end; for tests).
        name: see `collection_name`; it carries the embedder and its dimension.
        dimension: of the dense vectors.
        api_key: for a server.

    Raises:
        FormatMismatchError: what is stored has another layout or dimension.
        HomeLockedError: another process holds the folder.
        StoreUnavailableError: the server does not answer.
    """
    if str(location) == ":memory:" or str(location).startswith(_URLS):
        from rqa_checkpoints.index.client import ClientIndex

        return ClientIndex.open(str(location), name=name, dimension=dimension, api_key=api_key)
    from rqa_checkpoints.index.edge import EdgeIndex

    return EdgeIndex.open(Path(location), name=name, dimension=dimension)


def find_collections(location: str | Path, *, base: str, api_key: str | None = None) -> list[str]:
    """Names of the collections of one kind (`base`) at a location, sorted; empty where nothing was stored yet."""
    if str(location) == ":memory:":
        return []
    if str(location).startswith(_URLS):
        from rqa_checkpoints.index.client import stored_names

        names = stored_names(str(location), api_key=api_key)
    else:
        folder = Path(location)
        names = [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    return sorted(name for name in names if name.startswith(f"{base}-") and "." not in name)


def remove_collection(location: str | Path, *, name: str, api_key: str | None = None) -> None:
    """Remove a collection that nobody holds open, with everything in it; the log can build it again."""
    if str(location).startswith(_URLS):
        from rqa_checkpoints.index.client import remove_stored

        remove_stored(str(location), name=name, api_key=api_key)
    else:
        shutil.rmtree(Path(location) / name, ignore_errors=True)


def __getattr__(name: str) -> Any:
    if name == "EdgeIndex":
        from rqa_checkpoints.index.edge import EdgeIndex

        return EdgeIndex
    if name == "ClientIndex":
        from rqa_checkpoints.index.client import ClientIndex

        return ClientIndex
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
