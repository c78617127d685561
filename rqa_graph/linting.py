"""Would this analysis pass in production?

For corpora that a generator is trained on, and for authors of generators: the parser, the verifier, the diversity check
and the governor of the product itself, called on one text outside a turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rqa_nodes.echo import Injected, verify_fields
from rqa_nodes.errors import ModelOutputError
from rqa_nodes.reflect import diversity
from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.govern import Counters, gates
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.schema import Analysis

__all__ = ["lint_analysis"]

_PLAIN = ("tensions_input_internal", "tensions_memory_cross", "assumptions", "frames")


def lint_analysis(
    text: str, *, candidates: int, user_text: str, lang: str, injected: Sequence[Injected] = ()
) -> tuple[str, ...]:
    """Name everything that production would reject or repair in one analysis.

    Args:
        text: What the generator returned: a JSON object as a string.
        candidates: K, the number of questions that were asked for.
        user_text: The input that was analysed.
        lang: Its language.
        injected: The items of memory that the generator was given.

    Returns:
        Faults as "parser: ...", "verifier: ...", "diversity: ..." or "governor: ..."; empty if there are none. An
        analysis without tensions, assumptions and frames leaves the input as it is ("do not deepen"), and owes no
        diversity.
    """
    try:
        analysis = parse_analysis(text, candidates)
    except ModelOutputError as error:
        return (f"parser: {error.reason}",)
    budget = Budget(name="lint", candidates=candidates, rounds=1, fragments=len(injected), regenerations=0, seconds=1)
    _, report = verify_fields(analysis, injected=list(injected), user_text=user_text, lang=lang)
    found = gates(
        analysis,
        Counters(round=1, fragments=len(injected)),
        budget,
        input_text=user_text,
        memory=[item.text for item in injected],
    )
    return (
        *(f"verifier: {v.kind.value} at {v.part}" for v in report.verdicts if v.action != "kept"),
        *(f"diversity: {issue}" for issue in _issues(analysis, candidates)),
        *(f"governor: {violation.gate.name}" for violation in found),
    )


def _issues(analysis: Analysis, candidates: int) -> Iterable[str]:
    if not any(analysis["feature_map"][name] for name in _PLAIN):  # type: ignore[literal-required]  # names of its lists
        return ()
    return diversity.check(analysis, candidates).issues
