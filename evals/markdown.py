"""How does a table look in the README?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["table"]


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A paragraph and a table below it; the first column may have no name."""
    lines = [caption, "", _line(columns), f"|{'---|' * len(columns)}", *map(_line, rows)]
    return "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    return f"| {' | '.join(map(str, cells))} |" if cells[0] else f"| | {' | '.join(map(str, cells[1:]))} |"
