"""How do the results of the question suite read as tables?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    lines = [
        caption,
        "",
        "| arm, set | valid | varied enough | kept an input | in words of the input | layers, bits | stances, bits |",
        "|---|---|---|---|---|---|---|",
    ]
    for arm, sets in result["rows"].items():
        for name, row in sets.items():
            of, kept = row["inputs"], row["kept"]
            lines.append(
                f"| {arm}, {name} | {row['valid']}/{of} | {row['diverse']}/{of} | {kept / of:.2f} | "
                f"{row['in_words_of_the_input']}/{kept} | {row['layer_bits']:.2f} | {row['stance_bits']:.2f} |"
            )
    return "\n".join(lines)


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
    lines = [
        caption,
        "",
        "| language, arm, rater | questions | depth | sharpness | novelty | actionability | of 40 | best |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for lang, arms in result["rows"].items():
        for arm, row in arms.items():
            for rater, means in zip(result["raters"], row["by_rater"], strict=False):
                lines.append(
                    f"| {lang}, {arm}, {rater} | {row['questions']} | " + " | ".join(map(str, means.values())) + " |"
                )
    return "\n".join(lines)
