"""What does a self-update proposal change, once a person has approved it?

Each updatable area is a short list of lines. An approval adds one; a rollback brings an earlier list back; the lines
that stand go to the generator of this person's turns as data. Nothing else is reachable from here: no setting, budget,
rule or yardstick is an area. The words are hostile until `check` has passed them, on the way in and again whenever a
person edits or approves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import unified_diff
from typing import Any, Final

from rqa_checkpoints.provenance import Adopted, Attestation, Effect, adoption
from rqa_nodes.echo import verify
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.reflect.boundary import UPDATABLE_AREAS, area_name, content_problem, tampers
from rqa_nodes.review_kinds import Payload, Reader, ReviewKind, text_fields, text_schema

__all__ = ["AREA_LINES", "SELF_UPDATE", "diff", "lines_of", "notes", "rows_of"]

AREA_LINES: Final = 12
"""Lines an area may hold: what stands goes into every analysis, and a prompt is no archive."""
_LIMITS: Final = {
    "allowed_area": 64,
    "update_type": 80,
    "observation": 600,
    "proposed_adjustment": 400,
    "rollback": 400,
}
"""Fields and characters."""
_WORDS: Final = {
    "en": {
        "item": "item",
        "allowed_area": "area",
        "update_type": "type of change",
        "observation": "why",
        "proposed_adjustment": "would add",
        "rollback": "how to undo it",
        "diff": "change",
    },
    "ja": {
        "item": "項目",
        "allowed_area": "領域",
        "update_type": "変更の種類",
        "observation": "理由",
        "proposed_adjustment": "加える内容",
        "rollback": "元に戻す方法",
        "diff": "差分",
    },
}


def lines_of(content: Mapping[str, Any] | None) -> list[str]:
    """The lines that stand in an area."""
    lines = (content or {}).get("lines", [])
    return [line for line in lines if isinstance(line, str)] if isinstance(lines, list) else []


def notes(areas: Sequence[Adopted]) -> tuple[str, ...]:
    """What stands in all areas, a line each, as the generator is given it."""
    return tuple(
        f"{row.area}: {line}" for row in areas if row.area in UPDATABLE_AREAS for line in lines_of(row.content)
    )


def diff(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The lines that went (`- `) and came (`+ `) between two contents of an area."""
    rows = list(unified_diff(lines_of(before), lines_of(after), lineterm="", n=0))[2:]
    return tuple(f"{row[0]} {row[1:]}" for row in rows if row[0] in "+-")


def _check(payload: Payload) -> dict[str, str]:
    fields = text_fields(payload, _LIMITS)
    fields["allowed_area"] = area_name(fields["allowed_area"])
    if tampers(fields) or fields["allowed_area"] not in UPDATABLE_AREAS:
        raise ProposalRefusedError(
            f"{fields['allowed_area']!r} may not be changed so; areas are {sorted(UPDATABLE_AREAS)!r}",
            problem="boundary",
            hint="What the assistant is measured by, and what it may do, is never changed by a proposal.",
        )
    if not fields["proposed_adjustment"]:
        raise ProposalRefusedError("`proposed_adjustment` is empty", problem="empty")
    for name, value in fields.items():
        problem = content_problem(value) or _claims(value)
        if problem:
            # The words are not repeated: they may be a secret.
            raise ProposalRefusedError(f"`{name}` carries what no kept text may: {problem}", problem=problem)
    return fields


def _claims(text: str) -> str:
    """A kept line stands without the turn that it comes from, so it may lean on no memory."""
    return "" if verify(text, injected=()).text == text else "memory_claim"


def rows_of(proposal: Payload, lang: str) -> list[str]:
    """What a proposal says, a row a field that says something, with the fields in words."""
    words = _WORDS["ja" if lang == "ja" else "en"]
    return [f"{words[name]}: {proposal[name]}" for name in ("item", *_LIMITS) if proposal.get(name)]


def _render(payload: Payload, read: Reader, lang: str) -> str:
    words = _WORDS["ja" if lang == "ja" else "en"]
    current = read(str(payload["allowed_area"]))
    change = diff(current.content if current else None, _added(payload, current))
    return "\n".join([*rows_of(payload, lang), f"{words['diff']}:", *change])


def _added(payload: Payload, current: Adopted | None) -> dict[str, list[str]]:
    line = str(payload["proposed_adjustment"])
    return {"lines": [*(known for known in lines_of(current.content if current else None) if known != line), line]}


def _apply(payload: Payload, read: Reader, attestation: Attestation) -> Sequence[Effect]:
    area = str(payload["allowed_area"])
    current = read(area)
    content = _added(payload, current)
    if len(content["lines"]) > AREA_LINES:
        raise ProposalRefusedError(
            f"{area!r} holds {AREA_LINES} lines, and no more fit",
            problem="full",
            hint=f"`rqa self rollback {area}` takes the last one out.",
        )
    rationale = str(payload["observation"])
    return [adoption(area, content, current=current, attestation=attestation, rationale=rationale)]


SELF_UPDATE: Final = ReviewKind(
    name="self_update", reach="person", schema=text_schema(_LIMITS), check=_check, render=_render, apply=_apply
)
"""A change that the generator would like to its own habits."""
