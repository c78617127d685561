"""What in this person's memory contradicts itself, and what would put it in order?

Read paths 2 and 3 over all that is remembered: the rules of the nodes, over the items of the log. Up to twenty changes
are made at once and can be taken back; more wait in the review queue, twenty a piece, for a person's yes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rqa_checkpoints.curation import AT_ONCE, Change, answered, looked_at, merges, stale
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Kind, MemoryNode, Proposal, Scope, SourceClass
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.reflecting import Side
from rqa_nodes.contradiction import ASKED_FROM, Contradiction, Entailment, claims_of, scan
from rqa_nodes.crossing import crossings, relations_of
from rqa_nodes.curation import CURATION

__all__ = ["Curated", "contradictions", "cross", "curate", "proposals"]

_SAID_LAST = 200
"""Of a person's last statements so many are held against a new one."""
_MOST_ITEMS = 5000
"""Newest items that are looked at: pairs of them, not of a whole life."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """What became of the changes that were proposed."""

    batch: str = ""
    """Under this name `uncurate` takes them back; "" where none was made."""
    queued: tuple[str, ...] = ()
    """Items of the review queue that wait for a yes."""


def contradictions(memory: ProvenanceMemory, *, scope: Scope, nli: Entailment | None = None) -> list[Contradiction]:
    """What this person has said that excludes something else they have said, the surest first.

    Args:
        memory: The memory.
        scope: Whose.
        nli: A model of natural language inference, asked beside the rules.
    """
    return _crossed(memory, _items(memory, scope), scope=scope, nli=nli)


def _crossed(
    memory: ProvenanceMemory, nodes: Sequence[MemoryNode], *, scope: Scope, nli: Entailment | None = None
) -> list[Contradiction]:
    claims = claims_of(nodes, memory.said_again([node.id for node in nodes], scope=scope))
    return scan(claims, nli=nli)


def _items(memory: ProvenanceMemory, scope: Scope) -> list[MemoryNode]:
    return memory.list(scope=scope, where=NodeFilter(), limit=_MOST_ITEMS)[::-1]


def cross(memory: ProvenanceMemory, node: MemoryNode, *, nli: Entailment | None = None) -> tuple[Contradiction, ...]:
    """Mark what a statement that was just written says against what the person said last, as a turn does.

    Returns what was found, the surest first.
    """
    if node.source is not SourceClass.user or node.kind is Kind.question:
        return ()
    last = memory.recent_statements(scope=node.scope, limit=_SAID_LAST)
    now = memory.said_again([node.id], scope=node.scope).get(node.id, node.recorded_at)
    found = crossings([node], last, at=now, nli=nli)
    memory.cross(relations_of(found), scope=node.scope)
    return found


def proposals(memory: ProvenanceMemory, *, scope: Scope, now: datetime, nli: Entailment | None = None) -> list[Change]:
    """The changes that would put this person's memory in order; nothing is changed."""
    nodes = {node.id: node for node in _items(memory, scope)}
    edges = list(memory.graph(scope=scope).view().edges(keys=True))
    twice = memory.reflect(Side.duplicates, scope=scope, limit=_MOST_ITEMS).pairs
    drawn = {(src, dst) for src, dst, kind in edges if kind in {"supersedes", "contradicts"}}
    merged = list(merges(twice))
    gone = {change.item for change in merged}
    crossed = [
        _marked(found, nodes)
        for found in _crossed(memory, list(nodes.values()), scope=scope, nli=nli)
        if found.confidence >= ASKED_FROM
        and (found.later.id, found.earlier.id) not in drawn
        and gone.isdisjoint({found.later.id, found.earlier.id})
    ]
    return [*merged, *crossed, *answered(nodes, edges), *stale(nodes, edges, now=now)]


def _marked(found: Contradiction, nodes: dict[str, MemoryNode]) -> Change:
    is_update = found.relation == "update"
    return Change(
        op="relate",
        item=found.later.id,
        other=found.earlier.id,
        name="supersedes" if is_update else "contradicts",
        reason="update" if is_update else "contradiction",
        shown=looked_at(nodes[found.later.id], nodes[found.earlier.id]),
    )


def curate(memory: ProvenanceMemory, changes: Sequence[Change], *, scope: Scope, now: datetime, ask: bool) -> Curated:
    """Make the changes, or, where there are many of them or `ask` says so, queue them for a person.

    Raises:
        QueueFullError: Too many undecided items; the ones before stay queued.
    """
    if not changes:
        return Curated()
    if len(changes) <= AT_ONCE and not ask:
        return Curated(batch=memory.curate(changes, scope=scope))
    queued = []
    for start in range(0, len(changes), AT_ONCE):
        payload = {"changes": [change.to_dict() for change in changes[start : start + AT_ONCE]]}
        key = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
        wish = Proposal(kind=CURATION.name, payload=payload, requester="rules", key=key)
        queued.append(memory.queue.put(wish, scope=scope, at=now.isoformat(timespec="seconds")).id)
    return Curated(queued=tuple(queued))
