"""Is any trace of a text left in the files of a folder? Reads bytes, and knows nothing of what wrote them."""

from __future__ import annotations

import json
import os
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path

__all__ = ["traces"]

_ZEROS = bytes(4096)
"""No form of a text holds so many; the engine's files hold hardly anything else, and each form is searched for."""
_BASE64 = re.compile(rb"[A-Za-z0-9+/]{40,}={0,2}")


def traces(folder: Path, text: str) -> list[str]:
    """ "<file>: <form>" of each form of the text that is found: UTF-8, UTF-16, JSON, base64 at three offsets, zlib."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = _bytes(path)
            found += [f"{path.relative_to(folder)}: {name}" for name, form in _forms(text) if form in data]
            found += [f"{path.relative_to(folder)}: zlib" for inner in _unpacked(data) if text.encode() in inner]
    return found


def _bytes(path: Path) -> bytes:
    """All that was ever written of a file: the engine's files are mostly holes, which read as zeros."""
    parts = []
    with path.open("rb") as file:
        at, end = 0, path.stat().st_size
        while at < end:
            try:
                start = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError:  # nothing but a hole is left
                break
            at = os.lseek(file.fileno(), start, os.SEEK_HOLE)
            file.seek(start)
            parts.append(file.read(at - start))
    return b"".join(parts).replace(_ZEROS, b"\0")


def _forms(text: str) -> Iterator[tuple[str, bytes]]:
    data = text.encode()
    yield "utf-8", data
    yield "utf-16-le", text.encode("utf-16-le")
    yield "utf-16-be", text.encode("utf-16-be")
    yield "json", json.dumps(text)[1:-1].encode()
    for offset in range(3):
        # What stands before and after is not known: only the characters that depend on the text alone.
        yield f"base64+{offset}", b64encode(b"\0" * offset + data)[4 if offset else 0 : -4]


def _unpacked(data: bytes) -> Iterator[bytes]:
    for match in _BASE64.finditer(data):
        token = match[0].rstrip(b"=")
        for start in (at.start() for at in re.finditer(b"eJ", token)):
            part = token[start:]
            try:
                yield zlib.decompressobj().decompress(b64decode(part[: len(part) // 4 * 4]))
            except (ValueError, zlib.error):
                continue
