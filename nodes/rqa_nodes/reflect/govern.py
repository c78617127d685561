"""May this leave, and may there be another round?

Code, never the model's word: the gates read the parsed output and counters that no output can write. They are
non-compensable: one violation rejects the round's question whatever its score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Final

from rqa_nodes.reflect.boundary import UPDATABLE_AREAS, area_name, content_problem, tampers
from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.entitlement import asks_credential, harmful, says_found, undated_volatile
from rqa_nodes.reflect.schema import Analysis, SelfUpdateProposal, ToolRequest
from rqa_nodes.structure.text import fold

__all__ = [
    "ALWAYS_ALLOWED_TOOLS",
    "Counters",
    "Decision",
    "Gate",
    "StopReason",
    "Violation",
    "ViolationReason",
    "gates",
    "govern",
]

_RETRIES: Final = 1
"""A completion that cannot be parsed is asked for once more."""

ALWAYS_ALLOWED_TOOLS: Final = frozenset(("concept_memory_lookup", "evaluator_call"))
"""What the controller runs anyway, once a turn and once a round: asking for them changes nothing."""


class Gate(IntEnum):
    """The gates, in the order in which they are checked."""

    safety = 0
    boundary = 1
    entitlement = 2
    tool_permission = 3
    objective_tampering = 4
    log_integrity = 5
    unbounded_reflection = 6


class ViolationReason(StrEnum):
    """What stood before a gate; the panel says it in the reader's language."""

    harmful_question = "harmful_question"
    asks_credential = "asks_credential"
    outside_allowed_areas = "outside_allowed_areas"
    unfit_proposal = "unfit_proposal"
    changes_the_yardstick = "changes_the_yardstick"
    unsearched_finding = "unsearched_finding"
    undated_volatile_fact = "undated_volatile_fact"
    tool_not_enabled = "tool_not_enabled"
    chain_broken = "chain_broken"
    over_rounds = "over_rounds"
    over_candidates = "over_candidates"
    over_fragments = "over_fragments"
    over_completions = "over_completions"
    over_evaluator_calls = "over_evaluator_calls"
    over_tool_calls = "over_tool_calls"


class StopReason(StrEnum):
    """Why a reflection ended. Always shown."""

    depth_threshold_reached = "depth_threshold_reached"
    max_reflection_depth = "max_reflection_depth"
    no_valid_candidate = "no_valid_candidate"
    boundary_violation_detected = "boundary_violation_detected"
    time_limit = "time_limit"
    model_unavailable = "model_unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One gate that did not open, and what stood before it."""

    gate: Gate
    reason: ViolationReason
    detail: str = ""
    """What was found: the area, the tool, the number."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON for the state and the panel."""
        return {"gate": int(self.gate), "name": self.gate.name, "reason": self.reason.value, "detail": self.detail}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters:
    """What really happened so far, counted by the nodes; nothing here comes from model output."""

    round: int
    """The round that just ended, from 1."""
    fragments: int = 0
    """Items of memory injected."""
    completions: int = 1
    """Completions of the generator in this round."""
    evaluator_calls: int = 0
    """Calls of the evaluator in this round."""
    searches: int = 0
    """Lookups that brought something this turn."""
    lookups: int = 0
    """Of these, those of this round: each is followed by one more completion."""
    over_tools: tuple[str, ...] = ()
    """Tools that were called more often this turn than the settings allow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the governor says after a round."""

    stop_reason: StopReason | None
    """None: another round."""
    violations: tuple[Violation, ...] = field(default=())

    @property
    def rejected(self) -> bool:
        """True if the round's question must not leave."""
        return bool(self.violations)


def gates(
    analysis: Analysis,
    counters: Counters,
    budget: Budget,
    *,
    enabled_tools: Set[str] = frozenset(),
    log_intact: bool = True,
    texts: Sequence[str] = (),
    input_text: str = "",
    memory: Sequence[str] = (),
) -> tuple[Violation, ...]:
    """Check every gate; empty if all open.

    Args:
        analysis: What the generator returned, parsed.
        counters: What really happened.
        budget: What was allowed.
        enabled_tools: Tools that the settings allow, besides those that always run.
        log_intact: False if the audit chain does not verify.
        texts: Further texts that would leave with the question (the judge's rationale).
        input_text: The user's words and documents: what they say was looked up may be repeated.
        memory: The injected items: what they say, with their dates, may be repeated.
    """
    candidates = [draft["question"] for draft in analysis["question_candidates"]]
    said = [*_strings(analysis), *texts]
    found: list[Violation] = [
        *_safety([*candidates, *texts]),
        *_proposal(analysis["self_update_proposal"]),
        *_entitlement(said, counters, input_text),
        *_volatile(said, counters, "\n".join((input_text, *memory))),
        *_tools(analysis["tool_request"], enabled_tools),
        *_log(log_intact),
        *_bounds(len(candidates), counters, budget),
    ]
    return tuple(sorted(found, key=lambda violation: violation.gate))


def _safety(texts: Sequence[str]) -> list[Violation]:
    checks = ((ViolationReason.harmful_question, harmful), (ViolationReason.asks_credential, asks_credential))
    return [Violation(gate=Gate.safety, reason=reason) for reason, found in checks if any(map(found, texts))]


def _proposal(proposal: SelfUpdateProposal | None) -> list[Violation]:
    if proposal is None:
        return []
    area, words = area_name(proposal["allowed_area"]), {str(name): str(value) for name, value in proposal.items()}
    if tampers(words):
        return [Violation(gate=Gate.objective_tampering, reason=ViolationReason.changes_the_yardstick, detail=area)]
    if area not in UPDATABLE_AREAS:
        return [Violation(gate=Gate.boundary, reason=ViolationReason.outside_allowed_areas, detail=area)]
    # The detail names the kind of fault and never the words: they may be a secret.
    problem = next(filter(None, map(content_problem, words.values())), "")
    problem = problem or ("" if words["proposed_adjustment"].strip() else "empty")
    return [Violation(gate=Gate.boundary, reason=ViolationReason.unfit_proposal, detail=problem)] if problem else []


def _entitlement(texts: Sequence[str], counters: Counters, input_text: str) -> list[Violation]:
    if counters.searches or says_found(input_text) or not any(map(says_found, texts)):
        return []
    return [Violation(gate=Gate.entitlement, reason=ViolationReason.unsearched_finding)]


def _volatile(texts: Sequence[str], counters: Counters, given: str) -> list[Violation]:
    if counters.searches or not any(undated_volatile(text, given) for text in texts):
        return []
    return [Violation(gate=Gate.entitlement, reason=ViolationReason.undated_volatile_fact)]


def _tools(request: ToolRequest | None, enabled: Set[str]) -> list[Violation]:
    if request is None or fold(request["tool"]) in enabled | ALWAYS_ALLOWED_TOOLS:
        return []
    return [Violation(gate=Gate.tool_permission, reason=ViolationReason.tool_not_enabled, detail=request["tool"])]


def _log(intact: bool) -> list[Violation]:
    return [] if intact else [Violation(gate=Gate.log_integrity, reason=ViolationReason.chain_broken)]


def _bounds(candidates: int, counters: Counters, budget: Budget) -> list[Violation]:
    completions = (_RETRIES + 1) * (1 + counters.lookups) + budget.regenerations
    over = [
        Violation(gate=Gate.unbounded_reflection, reason=ViolationReason.over_tool_calls, detail=tool)
        for tool in counters.over_tools
    ]
    limits = (
        (ViolationReason.over_rounds, counters.round, budget.rounds),
        (ViolationReason.over_candidates, candidates, budget.candidates),
        (ViolationReason.over_fragments, counters.fragments, budget.fragments),
        (ViolationReason.over_completions, counters.completions, completions),
        (ViolationReason.over_evaluator_calls, counters.evaluator_calls, 1),
    )
    return over + [
        Violation(gate=Gate.unbounded_reflection, reason=reason, detail=f"{used}/{limit}")
        for reason, used, limit in limits
        if used > limit
    ]


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _strings(part)]
    return [text for part in value for text in _strings(part)] if isinstance(value, list) else []


def govern(
    best: Mapping[str, Any] | None,
    violations: Sequence[Violation],
    counters: Counters,
    budget: Budget,
    *,
    deep_enough: int,
    out_of_time: bool = False,
    model_failed: bool = False,
) -> Decision:
    """Stop, and why, or go one round deeper.

    Args:
        best: The best question so far (`choice.Choice`), None or empty if there is none.
        violations: What `gates` found in this round.
        counters: `round` is the round that just ended.
        budget: `rounds` is the most that can ever run.
        deep_enough: Total of 40 from which the loop stops.
        out_of_time: No time is left for another round.
        model_failed: The generator gave nothing usable in this round.
    """
    score = (best or {}).get("score")
    reasons: tuple[tuple[StopReason, bool], ...] = (
        (StopReason.boundary_violation_detected, bool(violations)),
        (StopReason.model_unavailable, model_failed),
        (StopReason.depth_threshold_reached, score is not None and score >= deep_enough),
        (StopReason.time_limit, out_of_time),
        (StopReason.no_valid_candidate, not best and counters.round >= budget.rounds),
        (StopReason.max_reflection_depth, counters.round >= budget.rounds),
    )
    stop = next((reason for reason, holds in reasons if holds), None)
    return Decision(stop_reason=stop, violations=tuple(violations))
