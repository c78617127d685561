"""What may a model propose to change about itself, and is what it writes there fit to be kept?

Gates 1 and 4. What may be updated, and what never may, are closed lists; a name on neither is outside. A proposal's
words are hostile until they are looked at: one that would move the yardstick, or that carries a secret, a path, an
address, a memory reference or an order to an assistant, is refused whatever it is called. Patterns are linear (re2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import re2

from rqa_checkpoints.provenance import SourceClass, has_block_markers
from rqa_nodes.injection import injection_reason
from rqa_nodes.structure.text import clean, fold

__all__ = ["FORBIDDEN_AREAS", "UPDATABLE_AREAS", "area_name", "content_problem", "tampers"]

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

_TAMPERING_WORDS: Final = re2.compile(
    r"(?i)(?:chang|alter|relax|loosen|lower|raise|adjust|rewrit|replac|remov|disabl|skip|bypass|overrid|weaken|redefin"
    r"|edit|modif|updat|delet|ignor)\w*\W+(?:\w+\W+){0,4}(?:evaluat(?:or|ion)|criteria|criterion|rubric|scor(?:e|ing)"
    r"|objective|reward|permission|safety|approval|override|audit|polic|threshold|model weights)"
    r"|(?:評価器|評価基準|採点|目的関数|報酬|権限|安全方針|承認|監査|閾値|しきい値|モデルの重み)[^。、]{0,12}"
    r"(?:変更|変え|緩め|緩和|下げ|上げ|調整|書き換え|置き換え|外す|除外|無効|省略|回避|上書き|弱め|再定義|削除|無視)"
)
"""A proposal that would move the yardstick, whatever area it names."""

_CONTENT_PROBLEMS: Final = (
    (
        "secret",
        re2.compile(
            r"\b(?:sk|pk|rk|gsk|ghp|gho|ghu|ghs|glpat|hf|github_pat|xox[abprs])[-_][-_A-Za-z0-9]{12,}"
            r"|\b(?:AKIA|ASIA|AIza)[-_A-Za-z0-9]{12,}|-----BEGIN [A-Z ]*PRIVATE KEY|\beyJ[-_A-Za-z0-9]{10,}\."
            r"|\b[0-9a-fA-F]{32,}\b|(?i:pass(?:word|wd|phrase)|secret|token|api[ _-]?key|パスワード|暗証番号|秘密鍵"
            r"|APIキー)\s*(?:[:=：＝]|\bis\b|は)\s*[^\s。、]{4,}"
        ),
    ),
    (
        "address",
        re2.compile(
            r"(?i)\b[a-z][a-z0-9+.-]{1,12}:/{2}|\b(?:javascript|data|file):|\bwww\.|[\w.+-]{1,64}@[\w-]{1,63}\."
        ),
    ),
    (
        "path",
        re2.compile(
            r"(?:^|[^\w./\\])(?:\.{1,2}[/\\]|~[\w-]*[/\\]|/[\w.-]+/|\\{2}[\w.-]+|[A-Za-z]:[\\/])|\.\.[/\\]"
            r"|[\w-]+[/\\][\w./\\-]*\.(?:ya?ml|env|py|json|md|sqlite)\b|\.env\b"
        ),
    ),
    ("reference", re2.compile(r"(?i)\[\s*m\s*:")),
)
"""What no kept text may carry, by name; the first that is found counts."""


def area_name(text: str) -> str:
    """An area as a model may write it, in the form of the lists."""
    return fold(text).replace(" ", "_").replace("-", "_")


def tampers(proposal: Mapping[str, str]) -> bool:
    """Would it move what the assistant is measured by, or what it may do?"""
    wish = " ".join(proposal[name] for name in ("update_type", "proposed_adjustment", "rollback"))
    return area_name(proposal["allowed_area"]) in FORBIDDEN_AREAS or bool(_TAMPERING_WORDS.search(wish))


def content_problem(text: str) -> str:
    """Why a text is not fit to be kept: secret, address, path, reference, instruction; empty if it is."""
    seen = clean(text)
    if has_block_markers(seen) or injection_reason(seen, SourceClass.assistant):
        return "instruction"
    return next((name for name, pattern in _CONTENT_PROBLEMS if pattern.search(seen)), "")
