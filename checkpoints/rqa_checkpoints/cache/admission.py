"""May the cache be asked, or an answer be kept, for this question at all?

Decided from the question and its scope alone, before anything is looked up, logged or embedded. First what forbids it
for good (one person's text, a question that leans on what was said before), then what this request lacks.
"""

from __future__ import annotations

from typing import NamedTuple

from rqa_checkpoints.cache.entries import MAX_QUESTION_BYTES
from rqa_checkpoints.cache.guard import is_self_contained
from rqa_checkpoints.cache.personal import DETECTOR_FAILED, personal_kinds
from rqa_checkpoints.cache.places import contradicts
from rqa_checkpoints.cache.policy import Policy
from rqa_checkpoints.cache.records import Ask, Outcome, Reason

__all__ = ["Admission", "admit", "findings"]


class Admission(NamedTuple):
    """Why a question goes past the cache, or finds nothing in it."""

    outcome: Outcome
    reason: Reason
    detail: tuple[str, ...] = ()


def admit(ask: Ask, policy: Policy | None) -> Admission | None:
    """The first reason against it; None where there is none."""
    bypass = Outcome.bypass
    if not ask.cacheable:
        return Admission(bypass, Reason.not_cacheable)
    if policy is None:
        return Admission(bypass, Reason.domain_not_allowed)
    if len(ask.question.encode("utf-8", "surrogatepass")) > MAX_QUESTION_BYTES:
        return Admission(bypass, Reason.too_long)
    kinds = personal_kinds(ask.question)
    if kinds:
        return Admission(bypass, Reason.detector_failed if DETECTOR_FAILED in kinds else Reason.personal, kinds)
    if not is_self_contained(ask.question, ask.locale):
        return Admission(bypass, Reason.context_dependent)
    if ask.bypass:
        return Admission(bypass, Reason.asked_to)
    if policy.needs_jurisdiction and not ask.jurisdiction:
        return Admission(Outcome.miss, Reason.jurisdiction_missing)
    if contradicts(ask.question, ask.jurisdiction):
        return Admission(Outcome.miss, Reason.jurisdiction_conflict)
    return None


def findings(ask: Ask, answer: str) -> tuple[str, ...]:
    """What in a question or its answer forbids keeping them, sorted; names of kinds, no words."""
    found = set(personal_kinds(ask.question)) | set(personal_kinds(answer))
    if not is_self_contained(ask.question, ask.locale):
        found.add(Reason.context_dependent.value)
    if contradicts(ask.question, ask.jurisdiction):
        found.add(Reason.jurisdiction_conflict.value)
    return tuple(sorted(found))
