"""How does a graph look: in words beside each node, and as Mermaid text?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.runnables.graph import Graph
from langgraph.graph.state import CompiledStateGraph

__all__ = ["mermaid", "what_it_does"]


def what_it_does(step: Callable[..., Any]) -> dict[str, str]:
    """Metadata of a node: the first line of what its step says of itself. Studio shows it beside the node."""
    return {"does": (step.__doc__ or "").partition("\n")[0]}


def mermaid(graph: CompiledStateGraph[Any, Any, Any, Any]) -> str:
    """The drawing as Mermaid text, subgraphs included: names and edges, without the words beside the nodes."""
    drawn = graph.get_graph(xray=True)
    nodes = {name: node._replace(metadata=None) for name, node in drawn.nodes.items()}
    return Graph(nodes=nodes, edges=drawn.edges).draw_mermaid()
