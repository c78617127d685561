"""Where do the figures of turns lie, and how are they read back?

`RQA_HOME/telemetry.jsonl`: one line a round of reflection and one a published part, without any words. Lines of several
processes may stand between each other, never inside: each record is one write to a file opened for appending, which
POSIX makes atomic in its place. The file may be deleted at any time; nothing is derived from it but figures.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rqa_nodes.telemetry import SCHEMA

__all__ = ["TELEMETRY_FILE", "TelemetryFile", "read_telemetry"]

TELEMETRY_FILE: Final = "telemetry.jsonl"
_OWNER_ONLY: Final = 0o600


class TelemetryFile:
    """Appends to a file of a home that is there; a full disk or a missing home costs figures, never a turn."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Keep the lines, in order."""
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        try:
            handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, _OWNER_ONLY)
        except OSError:
            return
        try:
            os.write(handle, text.encode())
        except OSError:
            return
        finally:
            os.close(handle)

    def drop(self, turns: Collection[str]) -> int:
        """Take the lines of these turns out; return how many. Nobody may write meanwhile."""
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines(keepends=True)
        except FileNotFoundError:
            return 0
        kept = [line for line in lines if (_parsed(line) or {}).get("turn") not in turns]
        if len(kept) < len(lines):
            beside = self._path.with_name(self._path.name + ".new")
            beside.write_text("".join(kept), "utf-8")
            beside.chmod(_OWNER_ONLY)
            beside.replace(self._path)
        return len(lines) - len(kept)


def read_telemetry(path: Path) -> list[Mapping[str, Any]]:
    """All lines that can be used, each once, in the order of their first writing.

    A line that was torn by a full disk, or written by another version, is left out; of two lines with one name (turn,
    kind, round or part) the later one counts. No file is no lines.
    """
    found: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    try:
        text = path.read_text("utf-8", "replace")
    except FileNotFoundError:
        return []
    for line in text.splitlines():
        row = _parsed(line)
        if row is not None:
            found[row["turn"], row["kind"], row.get("round", row.get("part"))] = row
    return list(found.values())


def _parsed(line: str) -> Mapping[str, Any] | None:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    usable = isinstance(row, dict) and row.get("schema") == SCHEMA and {"turn", "kind"} <= row.keys()
    return row if usable else None
