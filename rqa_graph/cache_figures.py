"""Which figures of the Integrity Cache did a home keep?

One line a look-up, a comparison in the shadow, and a deliberation; names, numbers and keyed hashes, never a word.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rqa_checkpoints.cache.integrity import SCHEMA

__all__ = ["read_figures"]


def read_figures(path: Path) -> list[Mapping[str, Any]]:
    """All lines that can be used, in order; a torn line, or one of another sort, is left out. No file is no lines."""
    try:
        text = path.read_text("utf-8", "replace")
    except FileNotFoundError:
        return []
    return [row for line in text.splitlines() if SCHEMA in line and (row := _parsed(line)) is not None]


def _parsed(line: str) -> Mapping[str, Any] | None:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    return row if isinstance(row, dict) and row.get("schema") == SCHEMA and {"kind", "at"} <= row.keys() else None
