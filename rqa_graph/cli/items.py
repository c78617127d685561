"""How is a remembered item named and shown: as JSON, and as a row of a table?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rqa_checkpoints.exploring import Exploration
from rqa_checkpoints.lineage import Ancestor
from rqa_checkpoints.provenance import MemoryNode, RecalledItem, ScoreBreakdown
from rqa_checkpoints.reading import NodeDetail
from rqa_checkpoints.reflecting import Reflection
from rqa_graph.cli.output import Output
from rqa_graph.messages import say

__all__ = [
    "bare",
    "detail_fields",
    "exploration_fields",
    "item_fields",
    "item_line",
    "recalled_fields",
    "reflection_fields",
    "score_fields",
    "show_items",
    "tree_fields",
    "tree_rows",
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


def tree_rows(ancestors: Sequence[Ancestor], lang: str, depth: int = 1) -> Iterator[tuple[int, str]]:
    """The lineage of an item as lines with their depth."""
    for one in ancestors:
        known = item_line(one.node, lang) if one.node else one.id
        ends = say(f"lineage.{one.ends}", lang) if one.ends else ""
        yield depth, f"{say(f'lineage.{one.relation}', lang)} {known} {ends}"
        yield from tree_rows(one.parents, lang, depth + 1)


def item_line(node: MemoryNode, lang: str) -> str:
    """One item on one line: its handle, who said it, when, and the words."""
    who = say(f"source.{node.source.value}", lang)
    return f"[{node.handle}] {who} ({node.recorded_at[:10]}): {node.text}"


def show_items(output: Output, nodes: Sequence[MemoryNode]) -> None:
    """A table of items; who said it stands beside every one."""
    lang = output.lang
    if not nodes:
        output.text(say("memory.none", lang))
        return
    columns = [say(f"memory.{name}", lang) for name in ("handle", "source", "kind", "date", "text")]
    rows = [
        [node.handle, say(f"source.{node.source.value}", lang), node.kind.value, node.recorded_at[:10], node.text]
        for node in nodes
    ]
    output.table(columns, rows)
