"""How does what raters said of questions read as a table?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.blind import AXES
from evals.markdown import table

__all__ = ["blind_table"]


def blind_table(found: Mapping[str, Any]) -> str:
    """Mean totals of every rater, by language and arm, and how far the raters agree."""
    result = found["result"]
    agreed = "; ".join(
        f"{' and '.join(row['raters'])}: Spearman of totals {row['spearman_of_totals']:.2f}, weighted kappa "
        + ", ".join(f"{axis} {value:.2f}" for axis, value in row["weighted_kappa"].items())
        for row in result["agreement"]
    )
    caption = (
        f"`{found['command']}` at {found['revision']}: {result['questions']} questions on {result['inputs']} inputs, "
        "rated by language models that were not told the sources; this says nothing about people. The raters are of "
        "one family, so their agreement confirms little, and one said that the fixed template and the broken output of "
        f"the small model could be recognised by their form. Agreement of {agreed}."
    )
    columns = ["language, arm, rater", "questions", *AXES, "of 40", "best"]
    rows = [
        [f"{lang}, {arm}, {rater}", row["questions"], *means.values()]
        for lang, arms in result["rows"].items()
        for arm, row in arms.items()
        for rater, means in zip(result["raters"], row["by_rater"], strict=False)
    ]
    return table(caption, columns, rows)
