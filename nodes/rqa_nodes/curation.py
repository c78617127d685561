"""What does a person decide when a memory would be put in order in many places at once?

A kind of the review queue: a list of changes, each with the beginning of the texts that it is about. The list is
checked whenever it is edited or approved; an approval brings about the events of the log and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rqa_checkpoints.provenance import Attestation, Effect, curation_effects
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.review_kinds import Payload, Reader, ReviewKind

__all__ = ["CURATION"]

_MOST: Final = 20
_FIELDS: Final = frozenset({"op", "item", "other", "name", "was", "reason", "shown"})
_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "merge": frozenset({""}),
    "relate": frozenset({"supersedes", "contradicts"}),
    "status": frozenset({"revisited", "resolved", "archived"}),
}
_WORDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "duplicate": "merge, they say the same: {0} -> {1}",
        "update": "mark as the newer one: {0}, over {1}",
        "contradiction": "mark as contradicting: {0}, against {1}",
        "answered": "answered, {was} -> {name}: {0}",
        "stale": "nobody came back to it, {was} -> {name}: {0}",
    },
    "ja": {
        "duplicate": "同じ内容なのでまとめる: {0} -> {1}",
        "update": "新しい方として記す: {0}（以前: {1}）",
        "contradiction": "矛盾として記す: {0} と {1}",
        "answered": "回答済み {was} -> {name}: {0}",
        "stale": "長く触れられていない {was} -> {name}: {0}",
    },
}
_SCHEMA: Final = {
    "type": "object",
    "properties": {"changes": {"type": "array", "maxItems": _MOST, "items": {"type": "object"}}},
    "required": ["changes"],
    "additionalProperties": False,
}


def _check(payload: Payload) -> dict[str, Any]:
    changes = payload.get("changes")
    if set(payload) != {"changes"} or not isinstance(changes, list) or not 0 < len(changes) <= _MOST:
        raise ProposalRefusedError(f"`changes` must be a list of 1 to {_MOST} changes", problem="fields")
    return {"changes": [_change(row) for row in changes]}


def _change(row: object) -> dict[str, Any]:
    if not isinstance(row, Mapping) or set(row) != _FIELDS:
        raise ProposalRefusedError(f"a change has the fields {sorted(_FIELDS)!r}", problem="fields")
    texts = [row[name] for name in _FIELDS - {"shown"}]
    shown = row["shown"]
    if not all(isinstance(text, str) for text in texts) or not isinstance(shown, list | tuple):
        raise ProposalRefusedError("a change holds texts", problem="fields")
    if row["name"] not in _NAMES.get(row["op"], frozenset()) or row["reason"] not in _WORDS["en"]:
        raise ProposalRefusedError(f"no change is called {row['op']!r} {row['name']!r}", problem="fields")
    return {**row, "shown": [str(text) for text in shown]}


def _render(payload: Payload, _read: Reader, lang: str) -> str:
    words = _WORDS["ja" if lang == "ja" else "en"]
    return "\n".join(f"- {_line(words, row)}" for row in payload["changes"])


def _line(words: Mapping[str, str], row: Mapping[str, Any]) -> str:
    shown = [*row["shown"], row["item"], row["other"]]
    return words[row["reason"]].format(*shown, was=row["was"], name=row["name"])


def _apply(payload: Payload, _read: Reader, attestation: Attestation) -> Sequence[Effect]:
    return curation_effects(payload["changes"], batch=attestation.item, by=attestation.by)


CURATION: Final = ReviewKind(
    name="curation", reach="person", schema=_SCHEMA, check=_check, render=_render, apply=_apply
)
"""Changes that would put a person's memory in order, more of them at once than are made without a yes."""
