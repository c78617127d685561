"""How do the results of the question suite read as tables?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.blind import AXES
from evals.markdown import table

__all__ = ["blind_table", "questions_table"]


def questions_table(found: Mapping[str, Any]) -> str:
    """Counts of every arm and set, and the plain inputs that were left alone."""
    result = found["result"]
    simple = ", ".join(
        f"{name} {row['routed_light']}/{row['of']} by the router and {row['engine_says_so']}/{row['of']} by the engine"
        for name, row in result["simple"].items()
    )
    caption = (
        f"`{found['command']}` at {found['revision']}: K = {result['k']} questions an input; these counts say nothing "
        f"of how good a question is, and a template passes most of them. Plain inputs left alone: {simple}."
    )
    columns = ["arm, set", "valid", "varied enough", "kept an input", "in words of the input"]
    columns += ["layers, bits", "stances, bits"]
    rows = [_counts(f"{arm}, {name}", row) for arm, sets in result["rows"].items() for name, row in sets.items()]
    return table(caption, columns, rows)


def _counts(label: str, row: Mapping[str, Any]) -> list[str]:
    of, kept = row["inputs"], row["kept"]
    counts = [f"{row['valid']}/{of}", f"{row['diverse']}/{of}", f"{kept / of:.2f}"]
    counts.append(f"{row['in_words_of_the_input']}/{kept}")
    return [label, *counts, f"{row['layer_bits']:.2f}", f"{row['stance_bits']:.2f}"]


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
