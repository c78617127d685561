"""May this leave, and may there be another round?

Code, never the model's word: the gates read the parsed output and counters that no output can write. They are
non-compensable: one violation rejects the round's question whatever its score. What may be updated, and what never
may, are closed lists; a name on neither is outside the boundary, not a matter of judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Any, Final

import re2

from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.schema import Analysis, SelfUpdateProposal, ToolRequest
from rqa_nodes.structure.text import clean, fold

__all__ = [
    "ALWAYS_ALLOWED_TOOLS",
    "FORBIDDEN_AREAS",
    "UPDATABLE_AREAS",
    "Counters",
    "Decision",
    "Gate",
    "StopReason",
    "Violation",
    "ViolationReason",
    "gates",
    "govern",
]

UPDATABLE_AREAS: Final = frozenset(
    (
        "failure_pattern_memory",
        "question_generation_bias",
        "feature_extraction_priority",
        "premise_excavation_depth",
        "concept_map_links",
        "unresolved_question_nodes",
        "user_contextual_question_preferences",
        "reflection_log_summary",
        "self_understanding_notes",
        "selection_telemetry_summary",
    )
)
FORBIDDEN_AREAS: Final = frozenset(
    (
        "objective_function",
        "safety_policy",
        "answer_entitlement_standard",
        "authority_policy",
        "tool_permission_policy",
        "evaluator_criteria",
        "human_override_rule",
        "audit_log_policy",
        "boundary_discipline_rule",
        "base_model_weights",
    )
)
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
    outside_allowed_areas = "outside_allowed_areas"
    changes_the_yardstick = "changes_the_yardstick"
    unsearched_finding = "unsearched_finding"
    tool_not_enabled = "tool_not_enabled"
    chain_broken = "chain_broken"
    over_rounds = "over_rounds"
    over_candidates = "over_candidates"
    over_fragments = "over_fragments"
    over_completions = "over_completions"
    over_evaluator_calls = "over_evaluator_calls"


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
    """Searches that ran this turn."""


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


_TAMPERING_WORDS: Final = re2.compile(
    r"(?i)(?:chang|alter|relax|loosen|lower|raise|adjust|rewrit|replac|remov|disabl|skip|bypass|overrid|weaken|redefin"
    r"|edit|modif|updat|delet|ignor)\w*\W+(?:\w+\W+){0,4}(?:evaluat(?:or|ion)|criteria|criterion|rubric|scor(?:e|ing)"
    r"|objective|reward|permission|safety|approval|override|audit|polic|threshold|model weights)"
    r"|(?:評価器|評価基準|採点|目的関数|報酬|権限|安全方針|承認|監査|閾値|しきい値|モデルの重み)[^。、]{0,12}"
    r"(?:変更|変え|緩め|緩和|下げ|上げ|調整|書き換え|置き換え|外す|除外|無効|省略|回避|上書き|弱め|再定義|削除|無視)"
)
"""A proposal that would move the yardstick, whatever area it names."""

_FOUND_ELSEWHERE: Final = re2.compile(
    r"(?i)\b(?:i (?:have )?(?:searched|looked (?:it |this )?up|checked online|browsed)"
    r"|(?:the |my |a )?(?:web |online )?search (?:results?|shows?|showed|returned|found|confirms?|confirmed)"
    r"|according to (?:my|the|a) (?:web |online )?search|i found online)"
    r"|検索(?:した|の)?結果(?:に|で|、|から|を見|では|によ)|検索したところ|検索してみ(?:た|まし)|調べたところ|ネットで確認した"
)
"""Words that say something was looked up."""

_HARM: Final = re2.compile(
    r"(?i)\bhow (?:would|could|can|do|should) (?:you|one|we|i) (?:best )?(?:kill|poison|murder|stab|hurt|harm) "
    r"(?:yourself|myself|oneself|him|her|them|someone|people)\b"
    r"|\b(?:best|easiest|quickest|painless) way to (?:kill yourself|die|end your life|commit suicide)\b"
    r"|(?:自殺|自傷|自死)(?:する|の)?(?:方法|手段|やり方)|楽に死ね(?:る|ます)|(?:殺す|殺害する|毒を盛る)(?:方法|手段|やり方)"
)
"""A question that asks for a way to hurt a person. The gate holds back the question; it judges no topic."""


def gates(
    analysis: Analysis,
    counters: Counters,
    budget: Budget,
    *,
    enabled_tools: Set[str] = frozenset(),
    log_intact: bool = True,
    texts: Sequence[str] = (),
    input_text: str = "",
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
    """
    candidates = [draft["question"] for draft in analysis["question_candidates"]]
    found: list[Violation] = [
        *_safety([*candidates, *texts]),
        *_proposal(analysis["self_update_proposal"]),
        *_entitlement([*_strings(analysis), *texts], counters, input_text),
        *_tools(analysis["tool_request"], enabled_tools),
        *_log(log_intact),
        *_bounds(len(candidates), counters, budget),
    ]
    return tuple(sorted(found, key=lambda violation: violation.gate))


def _safety(texts: Sequence[str]) -> list[Violation]:
    harmful = any(_HARM.search(text) for text in texts)
    return [Violation(gate=Gate.safety, reason=ViolationReason.harmful_question)] if harmful else []


def _proposal(proposal: SelfUpdateProposal | None) -> list[Violation]:
    if proposal is None:
        return []
    area = fold(proposal["allowed_area"]).replace(" ", "_").replace("-", "_")
    wish = " ".join((proposal["update_type"], proposal["proposed_adjustment"], proposal["rollback"]))
    if area in FORBIDDEN_AREAS or _TAMPERING_WORDS.search(wish):
        return [Violation(gate=Gate.objective_tampering, reason=ViolationReason.changes_the_yardstick, detail=area)]
    if area not in UPDATABLE_AREAS:
        return [Violation(gate=Gate.boundary, reason=ViolationReason.outside_allowed_areas, detail=area)]
    return []


def _entitlement(texts: Sequence[str], counters: Counters, input_text: str) -> list[Violation]:
    if counters.searches or _FOUND_ELSEWHERE.search(clean(input_text)):
        return []
    claimed = any(_FOUND_ELSEWHERE.search(text) for text in texts)
    return [Violation(gate=Gate.entitlement, reason=ViolationReason.unsearched_finding)] if claimed else []


def _tools(request: ToolRequest | None, enabled: Set[str]) -> list[Violation]:
    if request is None or fold(request["tool"]) in enabled | ALWAYS_ALLOWED_TOOLS:
        return []
    return [Violation(gate=Gate.tool_permission, reason=ViolationReason.tool_not_enabled, detail=request["tool"])]


def _log(intact: bool) -> list[Violation]:
    return [] if intact else [Violation(gate=Gate.log_integrity, reason=ViolationReason.chain_broken)]


def _bounds(candidates: int, counters: Counters, budget: Budget) -> list[Violation]:
    limits = (
        (ViolationReason.over_rounds, counters.round, budget.rounds),
        (ViolationReason.over_candidates, candidates, budget.candidates),
        (ViolationReason.over_fragments, counters.fragments, budget.fragments),
        (ViolationReason.over_completions, counters.completions, _RETRIES + 1 + budget.regenerations),
        (ViolationReason.over_evaluator_calls, counters.evaluator_calls, 1),
    )
    return [
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
