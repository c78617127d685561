"""How is a file that holds somebody's words made?

Whole or not at all, for the owner's eyes only, and never over a file that is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from rqa_graph.errors import IsFolderError, MissingFileError, UsageFaultError

__all__ = ["making", "write_new"]

_OWNER_ONLY: Final = 0o600


@contextmanager
def making(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write; it gets its name when the block ends, and is gone if the block raises.

    Raises:
        UsageFaultError: there is such a file.
        IsFolderError: there is such a folder.
        MissingFileError: the folder that it should lie in cannot be written.
    """
    if path.is_dir():
        raise IsFolderError("file.folder", path=str(path))
    if path.exists():
        raise UsageFaultError("file.exists", path=str(path))
    beside = path.with_name(path.name + ".part")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _OWNER_ONLY)
    except OSError as error:
        raise MissingFileError("file.unreadable", path=str(path), reason=error.strerror) from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.rename(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def write_new(path: Path, data: bytes) -> None:
    """Write a new file; errors as in `making`."""
    with making(path) as file:
        file.write(data)
