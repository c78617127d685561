"""How does a generated page begin, and how is a cell written?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["cell", "code", "page", "table"]

_COMMAND = "python -m docsgen"


def page(title: str, source: str, parts: Iterable[str]) -> str:
    """A whole page: title, from what it is made, parts."""
    head = f"<!-- Made by `{_COMMAND}`. Do not edit. -->\n\n# {title}\n\n*Generated from {source}.*"
    return "\n\n".join([head, *parts]) + "\n"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells may hold anything but line ends that matter."""
    lines = [_row(columns), f"|{'---|' * len(columns)}", *map(_row, rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def cell(text: str) -> str:
    """Text as one cell: on one line, its bars escaped."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Text as code in a line; nothing for no text."""
    return f"`{text}`" if text else ""
