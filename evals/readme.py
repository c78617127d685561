"""Which tables of the README come from the committed result files?

Every figure there is rendered from `evals/results/*.json`, and a test fails if the README says anything else.

Run: python -m evals.readme
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

__all__ = ["main", "tables"]

_RESULTS: Final = Path(__file__).parent / "results"
_FIGURES: Final = ("median", "p99")


def tables(folder: Path = _RESULTS) -> str:
    """Markdown of the benches: the command, what was counted, the machine, and median and p99 of every row."""
    found = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    return "\n\n".join(_table(row) for row in found if "bench" in row.get("result", {}))


def _table(found: Mapping[str, Any]) -> str:
    result = found["result"]
    unit = result.get("unit", "")
    counts = ", ".join(f"{name} {value}" for name, value in _counts(result))
    lines = [
        f"`{found['command']}` at {found['revision']} ({found['machine']}): {counts}.",
        "",
        f"| | median, {unit} | p99, {unit} |",
        "|---|---|---|",
        *(f"| {label} | {row['median']:.2f} | {row['p99']:.2f} |" for label, row in _rows(result)),
    ]
    return "\n".join(lines)


def _counts(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    hidden = ("bench", "unit")
    for name, value in result.items():
        if name not in hidden and isinstance(value, int | float | str) and not isinstance(value, bool):
            yield name, value


def _rows(value: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, part in value.items():
        if not isinstance(part, Mapping):
            continue
        here = (*path, str(name).replace("_", " "))
        if all(figure in part for figure in _FIGURES):
            yield ", ".join(here[1:] or here), part
        else:
            yield from _rows(part, here)


def main() -> None:
    """Print the tables."""
    print(tables())


if __name__ == "__main__":
    main()
