"""How do a person's claims, questions and tensions hang together?

Built from the log when asked for, for one tenant and user, and never written to: the log is append-only, and so is the
graph. A status moves forward only; nothing leaves `archived`, and nothing is deleted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx

from rqa_checkpoints.graph_analysis import Bearing, load_bearing, open_clusters, orphans
from rqa_checkpoints.graph_export import to_dot, to_graphml
from rqa_checkpoints.graph_questions import Answered, Asked, ask, parse
from rqa_checkpoints.provenance import Kind, MemoryNode, Status, fold
from rqa_checkpoints.queries import Edge
from rqa_checkpoints.relations import GRAPH_KINDS, MERGED_INTO

__all__ = ["QuestionGraph"]


class QuestionGraph:
    """One person's graph, as it was when it was built."""

    def __init__(self, nodes: Iterable[MemoryNode], edges: Sequence[Edge]) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
        for node in self._nodes.values():
            self._graph.add_node(node.id)
        self._stands_for = {edge.src: edge.dst for edge in edges if edge.kind == MERGED_INTO}
        for edge in edges:
            self._relate(edge.src, edge.dst, edge.kind)
        for node in self._nodes.values():
            for parent in node.derived_from:
                self._relate(node.id, parent, "derived_from")

    def _relate(self, src: str, dst: str, kind: str) -> None:
        """Join two items; a relation to a forgotten one is not shown, and one to a merged one is its survivor's."""
        src, dst = self._survivor(src), self._survivor(dst)
        if src in self._nodes and dst in self._nodes and src != dst:
            self._graph.add_edge(src, dst, key=kind)

    def _survivor(self, item: str) -> str:
        """The item that stands for one that was merged away, however often."""
        passed: set[str] = set()
        while item not in self._nodes and item in self._stands_for and item not in passed:
            passed.add(item)
            item = self._stands_for[item]
        return item

    def view(self) -> nx.MultiDiGraph[str]:
        """The graph for the algorithms of NetworkX; it refuses changes."""
        copy: nx.MultiDiGraph[str] = nx.freeze(self._graph.copy())
        return copy

    def search(self, words: str = "", *, kinds: frozenset[Kind] = GRAPH_KINDS, limit: int = 20) -> list[MemoryNode]:
        """Items of these kinds whose text has all the words, the newest first; an empty set of kinds means all."""
        wanted = fold(words).split()
        found: list[MemoryNode] = []
        for node in reversed(self._nodes.values()):
            if (not kinds or node.kind in kinds) and all(word in fold(node.text) for word in wanted):
                found.append(node)
                if len(found) == limit:
                    break
        return found

    def neighbours(self, node_id: str) -> list[tuple[str, MemoryNode, bool]]:
        """Relations of an item: name, the other item, and whether it points there; in a stable order."""
        if node_id not in self._graph:
            return []
        away = [(kind, self._nodes[dst], True) for _, dst, kind in self._graph.out_edges(node_id, keys=True)]
        here = [(kind, self._nodes[src], False) for src, _, kind in self._graph.in_edges(node_id, keys=True)]
        return sorted(away + here, key=lambda row: (row[0], not row[2], row[1].id))

    def stats(self) -> dict[str, Any]:
        """Counts by kind, status, source and relation, and how much hangs together."""
        nodes, graph = self._nodes.values(), self._graph
        loose = sum(1 for item in graph if graph.degree(item) == 0)
        components = nx.number_weakly_connected_components(graph) - loose if graph else 0
        return {
            "nodes": len(nodes),
            "edges": graph.number_of_edges(),
            "kinds": _counted(node.kind.value for node in nodes),
            "statuses": _counted(node.status.value for node in nodes if node.kind in GRAPH_KINDS),
            "sources": _counted(node.source.value for node in nodes),
            "relations": _counted(kind for _, _, kind in graph.edges(keys=True)),
            "open_questions": sum(node.kind is Kind.question and node.status is Status.open for node in nodes),
            "groups": components,
            "unrelated": loose,
        }

    def ask(self, question: str, *, limit: int = 20) -> tuple[Asked, list[Answered]]:
        """Answer a question in words ("what is still open about X"): how it was understood, and the items."""
        asked = parse(question)
        return asked, ask(asked, self._graph, self._nodes, limit=limit)

    def open_clusters(self) -> list[list[MemoryNode]]:
        """Groups of open questions that hang together, the largest first."""
        return open_clusters(self._graph, self._nodes)

    def load_bearing(self, *, limit: int = 10) -> list[Bearing]:
        """The statements that most of the rest stands on."""
        return load_bearing(self._graph, self._nodes, limit=limit)

    def orphans(self) -> Sequence[MemoryNode]:
        """Open questions that are tied to nothing, the oldest first."""
        return orphans(self._graph, self._nodes)

    def graphml(self) -> str:
        """The whole graph as GraphML."""
        return to_graphml(list(self._nodes.values()), sorted(self._graph.edges(keys=True)))

    def dot(self) -> str:
        """The whole graph in the language of Graphviz."""
        return to_dot(list(self._nodes.values()), sorted(self._graph.edges(keys=True)))

    def export(self) -> dict[str, Any]:
        """The whole graph as node-link JSON (the form of `networkx.node_link_data`)."""
        return {
            "directed": True,
            "multigraph": True,
            "graph": {},
            "nodes": [_exported(node) for node in self._nodes.values()],
            "edges": [
                {"source": src, "target": dst, "key": kind} for src, dst, kind in sorted(self._graph.edges(keys=True))
            ],
        }


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))


def _exported(node: MemoryNode) -> dict[str, Any]:
    return {
        "id": node.id,
        "handle": node.handle,
        "kind": node.kind.value,
        "status": node.status.value,
        "source": node.source.value,
        "author": node.author,
        "text": node.text,
        "recorded_at": node.recorded_at,
        "origin": [source.value for source in node.origin],
        "echo_of": node.echo_of,
    }
