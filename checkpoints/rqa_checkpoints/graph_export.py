"""How does the graph leave for other programs: as GraphML, or as DOT for Graphviz?

Both carry who said what. Neither format takes every character that a person may have typed, so control characters
become spaces; the log keeps them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import networkx as nx

from rqa_checkpoints.provenance import MemoryNode, SourceClass

__all__ = ["to_dot", "to_graphml"]

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (production 2, Char) does not allow."""
_LABEL_CHARACTERS: Final = 60
_SHAPES: Final = {
    SourceClass.user: "box",
    SourceClass.assistant: "ellipse",
    SourceClass.external: "note",
    SourceClass.system: "octagon",
}
"""Whose words it is can be seen without reading."""


def to_graphml(nodes: Sequence[MemoryNode], edges: Sequence[tuple[str, str, str]]) -> str:
    """The graph as GraphML; `edges` are (from, to, relation). NetworkX, Gephi and yEd read it."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for node in nodes:
        graph.add_node(node.id, **_attributes(node))
    for number, (src, dst, relation) in enumerate(edges):
        graph.add_edge(src, dst, key=number, relation=relation)
    return "\n".join(nx.generate_graphml(graph))


def _attributes(node: MemoryNode) -> dict[str, str]:
    fields = {
        "handle": node.handle,
        "kind": node.kind.value,
        "status": node.status.value,
        "source": node.source.value,
        "recorded_at": node.recorded_at,
        "text": node.text,
    }
    return {name: _NOT_XML.sub(" ", value) for name, value in fields.items()}


def to_dot(nodes: Sequence[MemoryNode], edges: Sequence[tuple[str, str, str]]) -> str:
    """The graph in the language of Graphviz (`dot -Tsvg`)."""
    lines = ["digraph memory {", "  rankdir=LR;"]
    for node in nodes:
        label = f"{node.handle} ({node.kind.value})\n{node.text[:_LABEL_CHARACTERS]}"
        lines.append(f"  {_quoted(node.id)} [label={_quoted(label)}, shape={_SHAPES[node.source]}];")
    lines += [f"  {_quoted(src)} -> {_quoted(dst)} [label={_quoted(relation)}];" for src, dst, relation in edges]
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    plain = _NOT_XML.sub(" ", text).replace("\r", "")
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
