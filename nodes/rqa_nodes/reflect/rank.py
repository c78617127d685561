"""Which few questions deserve a judge?

Stage 1 of the selection: the generator's own order over the candidates that count, without questions that say nearly
the same as a better placed one and without templates, which would fit any input. No model is asked here, so this is
also all that is left when the evaluator fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rqa_nodes.reflect.diversity import Dropped
from rqa_nodes.reflect.schema import ELEMENT_LISTS, Analysis, element_text
from rqa_nodes.structure.text import content_terms

__all__ = ["Shortlist", "rank"]

_NEAR_DUPLICATE: Final = 0.8
"""Jaccard similarity of topic terms from which the later of two questions falls out."""

_HOLLOW: Final = content_terms(
    "assumption premise claim question problem true really hold valid correct evidence reason think consider change "
    "important matter case aspect point view situation context further deeper explain "
    "前提 主張 本当 問題 質問 根拠 理由 重要 観点 視点 状況 具体的 詳細 妥当 成立 正しい"
)
"""Terms of the trade: a question made of these alone is a template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortlist:
    """Candidates for the judge, best first by the generator's own order."""

    indexes: tuple[int, ...]
    dropped: tuple[Dropped, ...]
    """template, near_duplicate or beyond_shortlist."""


def rank(analysis: Analysis, kept: Sequence[int], *, size: int, input_text: str = "") -> Shortlist:
    """Order the kept candidates and cut them to `size` (S).

    Args:
        analysis: The parsed analysis.
        kept: Indexes that passed the diversity check.
        size: S = min(3, K); never more are returned.
        input_text: The user's words: a question is no template if it takes up one of their terms.
    """
    material = _material(analysis, input_text)
    counted = set(kept)
    chosen: list[int] = []
    terms: list[frozenset[str]] = []
    dropped: list[Dropped] = []
    for index in (i for i in analysis["self_ranking"] if i in counted):
        own = content_terms(analysis["question_candidates"][index]["question"])
        reason = _fault(own, terms, material=material, full=len(chosen) >= size)
        if reason:
            dropped.append(Dropped(index=index, reason=reason))
        else:
            chosen.append(index)
            terms.append(own)
    return Shortlist(indexes=tuple(chosen), dropped=tuple(dropped))


def _material(analysis: Analysis, input_text: str) -> frozenset[str]:
    features = analysis["feature_map"]
    texts = [
        element_text(features, f"{name}[{number}]") for name in ELEMENT_LISTS for number in range(len(features[name]))
    ]
    return content_terms("\n".join([input_text, *texts])) - _HOLLOW


def _fault(own: frozenset[str], others: Sequence[frozenset[str]], *, material: frozenset[str], full: bool) -> str:
    if material and not own & material:
        return "template"
    if any(len(own & other) >= _NEAR_DUPLICATE * len(own | other) for other in others):
        return "near_duplicate"
    return "beyond_shortlist" if full else ""
