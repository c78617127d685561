"""What does the graph say that no single item does?

Which open questions hang together, what the rest rests on, and which questions nobody ever tied to anything. What an
item rests on is read off the relations; an item bears those that lose every way back to the ground if it falls, which
is what dominators are (Lengauer and Tarjan, 1979).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import networkx as nx

from rqa_checkpoints.provenance import Kind, MemoryNode, Status

__all__ = ["RESTS_ON", "Bearing", "is_open", "load_bearing", "open_clusters", "orphans"]

RESTS_ON: Final = frozenset({"derived_from", "depends_on", "blocked_by", "fulfills", "answers"})
"""Relations that point from what rests to what it rests on."""
_BEARS: Final = frozenset({"supports"})
"""The other way round."""
_NO_ASSUMPTION: Final = frozenset({Kind.question, Kind.task})
_GROUND: Final = ""
"""Stands under what rests on nothing; no item has an empty id."""


class Bearing(NamedTuple):
    """An item, and what rests on it."""

    node: MemoryNode
    bears: int
    """Items that lose every way to the ground without it."""
    reach: int
    """Items that rest on it, directly or through others."""


def is_open(node: MemoryNode) -> bool:
    """Is this a question, tension or task that nobody has closed?"""
    asks = node.kind in {Kind.question, Kind.tension, Kind.task}
    return asks and node.status in {Status.open, Status.revisited}


def open_clusters(graph: nx.MultiDiGraph[str], nodes: Mapping[str, MemoryNode]) -> list[list[MemoryNode]]:
    """Open questions that hang together, directly or through one item between them, the largest group first."""
    asked = [item for item in graph if nodes[item].kind is Kind.question and is_open(nodes[item])]
    around = {near for item in asked for near in nx.all_neighbors(graph, item)}
    joined = nx.Graph(graph.subgraph({*asked, *around}))
    open_ones = set(asked)
    # A relation between two items that are no open question joins nothing.
    joined.remove_edges_from([ends for ends in list(joined.edges) if open_ones.isdisjoint(ends)])
    groups = [[nodes[item] for item in asked if item in part] for part in nx.connected_components(joined)]
    return sorted((group for group in groups if len(group) > 1), key=lambda group: (-len(group), group[0].id))


def load_bearing(graph: nx.MultiDiGraph[str], nodes: Mapping[str, MemoryNode], *, limit: int) -> list[Bearing]:
    """The statements that most of the rest stands on, those that bear the most first; none where nothing rests."""
    flow = _flow(graph)
    if flow.number_of_edges() == 0:
        return []
    parents = nx.immediate_dominators(_grounded(flow), _GROUND)
    bears = Counter[str]()
    for item in flow:
        above = parents.get(item)
        while above not in {None, _GROUND}:
            bears[str(above)] += 1
            above = parents.get(str(above))
    reach = {item: len(nx.descendants(flow, item)) for item in flow}
    rows = [Bearing(nodes[item], bears[item], reach[item]) for item in flow if nodes[item].kind not in _NO_ASSUMPTION]
    ranked = sorted((row for row in rows if row.reach), key=lambda row: (-row.bears, -row.reach, row.node.id))
    return ranked[:limit]


def _flow(graph: nx.MultiDiGraph[str]) -> nx.DiGraph[str]:
    """From what bears to what rests on it."""
    flow: nx.DiGraph[str] = nx.DiGraph()
    for src, dst, relation in sorted(graph.edges(keys=True)):
        if relation == "derived_from" and graph.has_edge(src, dst, "supports"):
            continue  # a confirmation is made of what it confirms, and yet bears it
        if relation in RESTS_ON:
            flow.add_edge(dst, src)
        elif relation in _BEARS:
            flow.add_edge(src, dst)
    return flow


def _grounded(flow: nx.DiGraph[str]) -> nx.DiGraph[str]:
    """With a ground under everything that rests on nothing else; of a circle, under each of its items."""
    whole = flow.copy()
    parts = nx.condensation(flow)
    for part in parts:
        if parts.in_degree(part) == 0:
            whole.add_edges_from((_GROUND, item) for item in sorted(parts.nodes[part]["members"]))
    return whole


def orphans(graph: nx.MultiDiGraph[str], nodes: Mapping[str, MemoryNode]) -> Sequence[MemoryNode]:
    """Open questions that are tied to nothing, the oldest first."""
    return [
        node for item, node in nodes.items() if node.kind is Kind.question and is_open(node) and graph.degree(item) == 0
    ]
