"""How does the README show what a question brings back?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evals.markdown import table

__all__ = ["retrieval_table"]

_SETS: Final = {
    "ours": "Our notes and questions in Japanese, written by somebody who had not seen the code",
    "locomo": "LoCoMo, each message of its conversations a note",
}
_KIND_DEPTH: Final = "@10"
"""The depth at which kinds are shown: a turn is given 8 items."""


def retrieval_table(found: Mapping[str, Any]) -> str:
    """Mean recall of the evidence of every set by arm and depth, and of a set with kinds by kind and arm."""
    result = found["result"]
    head = (
        f"`{found['command']}` at {found['revision']}: evidence recall with the encoder {result['encoder']} and "
        "no language model; mean, 95 % interval (bootstrap)."
    )
    parts = [head]
    for name, row in result["sets"].items():
        parts.append(_by_depth(_SETS[name], row))
        if "report" in row.get("halves", {}):
            parts.append(_by_depth("The half that the fusion was not chosen with", {**row, **row["halves"]["report"]}))
        if row["kinds"]:
            parts.append(_by_kind(row["kinds"]))
    return "\n\n".join(parts)


def _by_depth(name: str, row: Mapping[str, Any]) -> str:
    depths = list(next(iter(row["recall"].values())))
    return table(
        f"{name}: {row['questions']} questions over {row['notes']} notes:",
        ["", *(f"recall{depth}" for depth in depths)],
        [[arm, *map(_cell, cells.values())] for arm, cells in row["recall"].items()],
    )


def _by_kind(kinds: Mapping[str, Any]) -> str:
    arms = list(next(iter(kinds.values()))["recall"])
    return table(
        f"The same by kind of question, recall{_KIND_DEPTH}:",
        ["", "questions", *arms],
        [
            [kind.replace("_", " "), row["questions"], *(_cell(row["recall"][arm][_KIND_DEPTH]) for arm in arms)]
            for kind, row in kinds.items()
        ],
    )


def _cell(cell: Mapping[str, Any]) -> str:
    low, high = cell["interval"]
    return f"{cell['mean']:.3f} ({low:.3f}-{high:.3f})"
