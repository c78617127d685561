"""How does what raters said of questions read as a table?"""

from __future__ import annotations

from collections.abc import Mapping
from string import ascii_uppercase
from typing import Any, Final

from evals.blind import AXES, ON_FRAMES, OURS
from evals.markdown import table
from evals.runner.setup import WEAK
from evals.suite import head

__all__ = ["blind_table"]

_INPUTS: Final[Mapping[str, str]] = {OURS: "inputs of ours", ON_FRAMES: "one-sided texts that are not ours"}
_BY_FORM: Final = (
    "all said that the three sources can be told by their form: one line that fits any text, quotations of the input "
    "in a few patterns, and output that loops or copies the input; they were blind to names, not to forms"
)
"""What the raters said when they were asked whether the sources could be told."""


def blind_table(found: Mapping[str, Any]) -> str:
    """Mean totals of every rater, by language and arm, and how far the raters agree."""
    result = found["result"]
    raters = [f"{letter} ({name})" for letter, name in zip(ascii_uppercase, result["raters"], strict=False)]
    agreed = "; ".join(
        f"Spearman of totals {row['spearman_of_totals']:.2f}, weighted kappa "
        + ", ".join(f"{axis} {value:.2f}" for axis, value in row["weighted_kappa"].items())
        for row in result["agreement"]
    )
    caption = (
        f"{head(found)}: {result['questions']} questions on {result['inputs']} {_INPUTS[result['suite']]}, "
        "rated by language models that were not told the sources; this says nothing about people. The raters are of "
        f"one family, so their agreement confirms little, and {_BY_FORM}. The small chat model is "
        f"smollm2. {WEAK} Agreement: {agreed}."
    )
    columns = ["language, arm, rater", "questions", *AXES, "of 40", "best"]
    rows = [
        [f"{lang}, {arm}, {rater}", row["questions"], *means.values()]
        for lang, arms in result["rows"].items()
        for arm, row in arms.items()
        for rater, means in zip(raters, row["by_rater"], strict=False)
    ]
    return table(caption, columns, rows)
