"""What a compiled graph really did, step by step."""

from __future__ import annotations

import operator
from collections import defaultdict
from typing import Annotated, Any, TypedDict

from langgraph.graph.state import CompiledStateGraph


class Trace(TypedDict, total=False):
    """State of graphs that are built only to see where they go."""

    seen: Annotated[list[str], operator.add]


def steps_of(graph: CompiledStateGraph[Any, Any, Any, Any], *, limit: int = 25) -> list[set[str]]:
    """Run a graph from an empty input and return the nodes of each step.

    Raises:
        GraphRecursionError: it did not end within `limit` steps.
    """
    steps: dict[int, set[str]] = defaultdict(set)
    for event in graph.stream({"seen": []}, {"recursion_limit": limit}, stream_mode="debug"):
        assert isinstance(event, dict)
        if event["type"] == "task":
            steps[event["step"]].add(event["payload"]["name"])
    return [steps[number] for number in sorted(steps)]
