"""How is memory told to a program: items, recalls, draws and lineages as JSON, the same on every surface?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rqa_checkpoints.dormant import Dormant
from rqa_checkpoints.exploring import Exploration
from rqa_checkpoints.lineage import Ancestor
from rqa_checkpoints.provenance import (
    HeldBack,
    MemoryNode,
    Recall,
    RecalledItem,
    RoutingHint,
    ScoreBreakdown,
    TrainingDelta,
)
from rqa_checkpoints.reading import NodeDetail
from rqa_checkpoints.reflecting import Reflection

__all__ = [
    "bare",
    "detail_fields",
    "dormant_fields",
    "exploration_fields",
    "item_fields",
    "recall_fields",
    "recalled_fields",
    "reflection_fields",
    "tree_fields",
]


def bare(handle: str) -> str:
    """The handle without the marks of a citation."""
    return handle.strip().strip("[]").removeprefix("m:")


def item_fields(node: MemoryNode) -> dict[str, Any]:
    """One item as JSON."""
    return {
        "handle": node.handle,
        "id": node.id,
        "source": node.source.value,
        "kind": node.kind.value,
        "text": node.text,
        "author": node.author,
        "recorded_at": node.recorded_at,
        "status": node.status.value,
        "seen": node.seen,
        "mass": node.mass,
        "last_used": node.last_used,
        "locator": node.locator,
        "thread": node.thread,
        "turn_id": node.turn_id,
        "derived_from": list(node.derived_from),
        "origin": [source.value for source in node.origin],
        "echo_of": node.echo_of,
        "hidden": node.hidden,
        "expires_at": node.expires_at,
        "tags": list(node.tags),
    }


def detail_fields(detail: NodeDetail) -> dict[str, Any]:
    """An item as JSON with what surrounds it: relations, who said yes or no to it, and what it was made from."""
    return {
        **item_fields(detail.node),
        "edges": [{"src": edge.src, "dst": edge.dst, "kind": edge.kind} for edge in detail.edges],
        "confirmed_by": [item_fields(node) for node in detail.confirmations],
        "denied_by": [item_fields(node) for node in detail.denials],
        "tree": tree_fields(detail.lineage),
    }


def reflection_fields(seen: Reflection) -> dict[str, Any]:
    """One side of a memory as JSON."""
    return {
        "side": seen.side.value,
        "total": seen.total,
        "items": [item_fields(node) for node in seen.items],
        "pairs": [[item_fields(one), item_fields(two)] for one, two in seen.pairs],
        "counts": dict(seen.counts),
        "heaviest_share": seen.heaviest_share,
    }


def exploration_fields(found: Exploration) -> dict[str, Any]:
    """A draw as JSON, with what repeats it."""
    return {
        "items": [item_fields(node) for node in found.items],
        "seed": found.seed,
        "diversity": found.diversity,
        "pool": found.pool,
    }


def recalled_fields(item: RecalledItem) -> dict[str, Any]:
    """One recalled item as JSON: the item, its score, what the score is made of, and why in words."""
    reason = item.reason.value if item.reason else None
    scored = {"score": item.score, "breakdown": score_fields(item.breakdown), "why": item.why, "reason": reason}
    return {**item_fields(item.node), **scored}


def score_fields(own: ScoreBreakdown | None) -> dict[str, Any] | None:
    """What a score is made of as JSON, with the sum that it is; None where it was switched off."""
    if own is None:
        return None
    sums = {"expected_sum": own.expected_sum, "semantic_share": own.semantic_share, "deceptive": own.deceptive}
    return asdict(own) | sums


def tree_fields(ancestors: Sequence[Ancestor]) -> list[dict[str, Any]]:
    """The lineage of an item as JSON, each parent with its own."""
    return [
        {
            **(item_fields(one.node) if one.node else {"id": one.id}),
            "relation": one.relation,
            "ends": one.ends,
            "tree": tree_fields(one.parents),
        }
        for one in ancestors
    ]


def recall_fields(found: Recall, delta: TrainingDelta | None) -> dict[str, Any]:
    """A recall as JSON."""
    hint = found.routing_hint
    return {
        "items": [recalled_fields(item) for item in found.items],
        "training_delta": delta_fields(delta),
        "routing_hint": None if hint is None else _hint_fields(hint),
        "held_back": [_held_fields(held) for held in found.held_back],
        "mode": found.mode,
    }


def delta_fields(delta: TrainingDelta | None) -> dict[str, Any] | None:
    """What use changes, as JSON."""
    if delta is None:
        return None
    names = ("applied", "passive", "cache_hit", "considered")
    return {"mass_changes": dict(delta.mass_changes), **{name: getattr(delta, name) for name in names}}


def _hint_fields(hint: RoutingHint) -> dict[str, Any]:
    names = ("aspect", "pattern_matched", "auto_routed", "reflect_summary")
    return {**{name: getattr(hint, name) for name in names}, "listed": [*hint.listed]}


def _held_fields(held: HeldBack) -> dict[str, Any]:
    fields: dict[str, Any] = {"handle": held.handle, "id": held.id, "reason": held.reason}
    fields["factor"] = held.factor.value if held.factor else None
    if held.text:
        fields |= {"had": held.had, "needed": held.needed}
        fields |= {"text": held.text, "breakdown": score_fields(held.breakdown)}
    return fields


def dormant_fields(sample: Dormant) -> dict[str, Any]:
    """A sample of dormant items as JSON: nothing was scored, so nothing is said of scores."""
    names = ("cut", "population", "eligible", "idle_days", "seed")
    return {
        "items": [item_fields(node) for node in sample.items],
        "dormant": {name: getattr(sample, name) for name in names},
        "training_delta": None,
        "routing_hint": None,
        "held_back": [],
        "mode": "dormant",
    }
