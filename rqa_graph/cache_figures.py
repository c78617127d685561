"""Which figures of the Integrity Cache did a home keep?

One line a look-up, a comparison in the shadow, and a deliberation; names, numbers and keyed hashes, never a word.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any, Final

from rqa_checkpoints.cache.integrity import SCHEMA

__all__ = ["RequestCounts", "read_figures"]

_REQUESTS_KEPT: Final = timedelta(days=30)


def read_figures(path: Path) -> list[Mapping[str, Any]]:
    """All lines that can be used, in order; a torn line, or one of another sort, is left out. No file is no lines."""
    try:
        text = path.read_text("utf-8", "replace")
    except FileNotFoundError:
        return []
    return [row for line in text.splitlines() if SCHEMA in line and (row := _parsed(line)) is not None]


class RequestCounts:
    """How often a question was looked up in the last 30 days, by its mark.

    A count reads what was written since the last one: the file of a busy home has millions of lines.
    """

    def __init__(self, path: Path, clock: Callable[[], datetime]) -> None:
        self._path = path
        self._clock = clock
        self._lock = Lock()
        self._read = self._file = 0
        self._asked: defaultdict[str, list[str]] = defaultdict(list)

    def of(self, mark: str) -> int:
        """Look-ups of the question with this mark."""
        since = (self._clock() - _REQUESTS_KEPT).isoformat()
        with self._lock:
            self._catch_up(since)
            return sum(at >= since for at in self._asked.get(mark, ()))

    def _catch_up(self, since: str) -> None:
        try:
            with self._path.open("rb") as file:
                now = os.fstat(file.fileno())
                if now.st_ino != self._file or now.st_size < self._read:  # another file took its place
                    self._read, self._file = 0, now.st_ino
                    self._asked.clear()
                file.seek(self._read)
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # it is being written
                    self._read += len(line)
                    self._count(line, since)
        except FileNotFoundError:
            self._asked.clear()

    def _count(self, line: bytes, since: str) -> None:
        row = _parsed(line.decode("utf-8", "replace")) if SCHEMA.encode() in line else None
        if row is not None and row["kind"] == "lookup" and str(row["at"]) >= since:
            self._asked[str(row.get("mark"))].append(str(row["at"]))


def _parsed(line: str) -> Mapping[str, Any] | None:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    return row if isinstance(row, dict) and row.get("schema") == SCHEMA and {"kind", "at"} <= row.keys() else None
