"""The two suites over LoCoMo as tables: what a question brings back, and whose words a reply calls them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["retrieval_table", "speakers_table"]


def retrieval_table(found: Mapping[str, Any]) -> str:
    """Mean recall of the evidence by arm and depth, with its interval."""
    result = found["result"]
    depths = list(next(iter(result["recall"].values())))
    head = (
        f"`{found['command']}` at {found['revision']}: evidence recall on LoCoMo, {result['questions']} questions over "
        f"{result['notes']} messages, encoder {result['encoder']}, no language model; mean, 95 % interval (bootstrap)."
    )
    lines = [
        head,
        "",
        "| | " + " | ".join(f"recall{depth}" for depth in depths) + " |",
        "|---|" + "---|" * len(depths),
    ]
    for arm, row in result["recall"].items():
        cells = (f"{cell['mean']:.3f} ({cell['interval'][0]:.3f}-{cell['interval'][1]:.3f})" for cell in row.values())
        lines.append(f"| {arm} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def speakers_table(found: Mapping[str, Any]) -> str:
    """How many wrong speakers were caught and how many right ones touched, by half of the questions."""
    result = found["result"]
    head = (
        f"`{found['command']}` at {found['revision']}: {result['cases']} questions of LoCoMo whose evidence another "
        "person said; scripted replies attribute it wrongly and rightly. Both halves share their wordings."
    )
    lines = [
        head,
        "",
        "| | wrong attributions caught | right ones touched |",
        "|---|---|---|",
    ]
    for half, row in result["halves"].items():
        caught, touched = row["caught"], row["touched"]
        lines.append(f"| {half} half | {caught['count']}/{caught['of']} | {touched['count']}/{touched['of']} |")
    return "\n".join(lines)
