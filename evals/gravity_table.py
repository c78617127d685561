"""How does the README show what use makes of a memory?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.markdown import table

__all__ = ["aspects_table", "gravity_table"]


def gravity_table(found: Mapping[str, Any]) -> str:
    """A row for every memory and state."""
    result = found["result"]
    head = (
        f"`{found['command']}` at {found['revision']}: {result['notes']} notes in Japanese, one of them a guess of the "
        f"assistant's; {result['interactions']} interactions, a book of {result['passages']} passages. Deceived: first "
        "items whose cosine lies below the median of the 50 nearest; echo index: the guess's share of all mass gained; "
        "kept: questions with the same first 8 as in a fresh memory."
    )
    rows = [
        [f"{arm}, {state}", f"{row['recall@8']:.3f}", f"{row['mrr']:.3f}", *_counts(row), f"{row['echo_index']:.3f}"]
        for arm, states in result["arms"].items()
        for state, row in states.items()
    ]
    columns = ["", "recall@8", "MRR", "deceived", "kept", "places of the book", "echo index"]
    return f"{table(head, columns, rows)}\n\n![Mass of the guess]({_PLOT})"


_PLOT = "evals/results/gravity.svg"


def _counts(row: Mapping[str, Any]) -> list[str]:
    asked = row["questions"]
    return [f"{row['deceived']}/{asked}", f"{row['kept']}/{asked}", str(row["book_places"])]


def aspects_table(found: Mapping[str, Any], first: Mapping[str, Any] | None) -> str:
    """Precision and recall by aspect, over all rows, on the half no rule was written with, and at first contact."""
    result = found["result"]
    head = (
        f"`{found['command']}` at {found['revision']}: {result['all']['rows']} questions in English and Japanese, "
        "written by somebody who had not seen the rules; right, of those routed, of those that should be. Half of them "
        "were development questions; the other half was read by nobody who wrote rules."
    )
    parts = {"all": result["all"], "other half": result["halves"]["report"]}
    if first is not None:
        parts["first contact, all"] = first["result"]["all"]
    names = [*parts["all"]["aspects"], "all"]
    rows = [[name.replace("_", " "), *(_shares(part, name) for part in parts.values())] for name in names]
    return table(head, ["", *parts], rows)


def _shares(part: Mapping[str, Any], name: str) -> str:
    cell = part["all"] if name == "all" else part["aspects"][name]
    return f"{cell['right']}/{cell['routed']}, {cell['right']}/{cell['wanted']}"
