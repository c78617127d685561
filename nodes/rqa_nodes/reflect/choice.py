"""Which question came out of a round, and which one out of all rounds?

One plain record serves the state, the panel and the API, scored or not, so that a question without a score can never
be mistaken for one with a low score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from typing_extensions import TypedDict

from rqa_nodes.reflect.diversity import resolve_target
from rqa_nodes.reflect.evaluate import AXES, Verdict
from rqa_nodes.reflect.schema import LAYERS, Analysis, element_text

__all__ = ["Choice", "choice", "is_better", "runners_up"]

_DEPTH: Final = {layer: number for number, layer in enumerate(LAYERS)}


class Choice(TypedDict):
    """A question and what speaks for it."""

    index: int
    """Index in the `question_candidates` of its round."""
    question: str
    layer: str
    stance: str
    target: str
    """`list[index]` of the feature map of its round."""
    target_text: str
    score: int | None
    """Total of 40; None if no evaluator scored it."""
    scores: dict[str, int] | None
    """The four axes, 0 to 10 each."""
    rationale: str
    degraded: bool
    """True if it stands on the generator's own ranking alone."""
    degraded_reason: str
    round: int


def choice(
    analysis: Analysis, index: int, *, round_number: int, verdict: Verdict | None = None, degraded_reason: str = ""
) -> Choice:
    """The record of one candidate; without a verdict it is degraded, with the reason."""
    draft = analysis["question_candidates"][index]
    target = resolve_target(analysis["feature_map"], draft["target_element"])
    score = next((s for s in verdict.scores if s.index == index), None) if verdict else None
    return Choice(
        index=index,
        question=draft["question"],
        layer=draft["target_layer"],
        stance=draft["stance"],
        target=target,
        target_text=element_text(analysis["feature_map"], target),
        score=score.total if score else None,
        scores={axis: getattr(score, axis) for axis in AXES} if score else None,
        rationale=verdict.rationale if verdict and index == verdict.best else "",
        degraded=verdict is None,
        degraded_reason=degraded_reason if verdict is None else "",
        round=round_number,
    )


def runners_up(
    analysis: Analysis,
    shortlist: tuple[int, ...],
    *,
    best: int,
    round_number: int,
    verdict: Verdict | None = None,
    degraded_reason: str = "",
) -> list[Choice]:
    """The rest of the shortlist, best first. With a verdict, only what it scored."""
    rows = [
        choice(analysis, index, round_number=round_number, verdict=verdict, degraded_reason=degraded_reason)
        for index in shortlist
        if index != best
    ]
    if verdict is None:
        return rows
    return sorted((row for row in rows if row["score"] is not None), key=lambda row: -(row["score"] or 0))


def is_better(new: Mapping[str, Any], old: Mapping[str, Any] | None) -> bool:
    """Does the question of a later round replace the best so far?

    A scored one replaces an unscored one, a higher total a lower one; ties stay with the earlier. Of two unscored ones
    the later replaces the earlier only if it targets a deeper layer.
    """
    if not old:
        return True
    if (new["score"] is None) != (old["score"] is None):
        return new["score"] is not None
    if new["score"] is not None:
        return bool(new["score"] > old["score"])
    return _DEPTH[new["layer"]] > _DEPTH[old["layer"]]
