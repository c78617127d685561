"""Would the second of two questions be given the answer of the first?

Decided as the read path decides it, as if the first had a fresh, fully trusted entry of a domain whose answers do not
age. Nothing is stored and nothing is looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from rqa_checkpoints.cache.admission import admit
from rqa_checkpoints.cache.canonical import scope_key
from rqa_checkpoints.cache.guard import compare, sign
from rqa_checkpoints.cache.policy import FLOORS, Policy
from rqa_checkpoints.cache.records import Ask, FreshnessTag, Reason
from rqa_checkpoints.cache.similarity import embedded_text, scale_of
from rqa_checkpoints.calibration import cosine
from rqa_checkpoints.embedding import Encoder

__all__ = ["Pairing", "pair"]

Decision = Literal["direct", "context", "miss"]
_NOWHERE: Final = "compare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """What became of a pair."""

    decision: Decision
    reason: str
    similarity: int | None
    """Calibrated, in thousandths; None where none was needed or there is no scale."""
    cosine: float | None
    differs: tuple[str, ...]
    """Facets of the guard."""
    guards: tuple[dict[str, Any], dict[str, Any]]
    """The signatures of both questions."""


def pair(one: str, two: str, *, lang: str, encoder: Encoder, at: datetime, domain: str = _NOWHERE) -> Pairing:
    """Compare two questions.

    Args:
        one: The question that is stored.
        two: The question that is asked.
        lang: "en" or "ja".
        encoder: Makes the vectors.
        at: The time of both.
        domain: Named in the scope; its policy plays no part.
    """
    asks = [Ask(question=text, tenant=_NOWHERE, domain=domain, locale=lang) for text in (one, two)]
    signatures = (sign(one, lang, at), sign(two, lang, at))
    guards = (signatures[0].to_dict(), signatures[1].to_dict())
    refused = next(filter(None, (admit(ask, _static(domain)) for ask in asks)), None)
    if refused is not None:
        reason = refused.reason.value
        return Pairing(decision="miss", reason=reason, similarity=None, cosine=None, differs=(), guards=guards)
    differs = compare(*signatures).facets
    if not differs and scope_key(asks[0]) == scope_key(asks[1]):
        return Pairing(
            decision="direct", reason=Reason.exact.value, similarity=None, cosine=None, differs=(), guards=guards
        )
    found = cosine(*(encoder.embed_query(embedded_text(text, lang)) for text in (one, two)))
    scale = scale_of(encoder, lang)
    similarity = scale.similarity(found) if scale else None
    decision, reason = _decided(similarity, differs)
    return Pairing(
        decision=decision,
        reason=reason.value,
        similarity=similarity,
        cosine=round(found, 4),
        differs=differs,
        guards=guards,
    )


def _decided(similarity: int | None, differs: Sequence[str]) -> tuple[Decision, Reason]:
    if similarity is None:
        return "miss", Reason.semantic_off
    if similarity < FLOORS["similarity"]:
        return "miss", Reason.below_similarity
    return ("context", Reason.guard) if differs else ("direct", Reason.semantic)


def _static(domain: str) -> Policy:
    return Policy(
        domain=domain, version="", tag=FreshnessTag.static, needs_jurisdiction=False, sensitive=False, **FLOORS
    )
