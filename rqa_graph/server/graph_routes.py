"""`/memory/graph`: the question graph as a picture, filtered here so that a large one stays readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request

from rqa_checkpoints.provenance import Kind, MemoryNode, Status
from rqa_checkpoints.relations import GRAPH_KINDS
from rqa_graph.memory_fields import item_fields
from rqa_graph.opened import OpenHome
from rqa_graph.server.gate import identity_of

if TYPE_CHECKING:
    from rqa_checkpoints.question_graph import QuestionGraph

__all__ = ["graph_router"]

_MOST_DRAWN: Final = 150
"""More marks than this nobody reads; laying them out takes a quarter of a second."""

_TO_BE_SETTLED: Final = frozenset({Kind.question, Kind.claim, Kind.tension})

Standing = Literal["", "open", "answered"]


def graph_router(home: OpenHome) -> APIRouter:
    """The route over an open home. It comes before `/memory/{handle}`, which would take the name for a handle."""
    router = APIRouter(prefix="/memory", tags=["Memory"])

    @router.get("/graph", summary="The question graph: items, relations, and where each stands in a picture")
    def graph(
        request: Request,
        kind: Annotated[list[Kind] | None, Query()] = None,
        standing: Standing = "",
        text: Annotated[str, Query(max_length=500)] = "",
        limit: Annotated[int, Query(ge=1, le=_MOST_DRAWN)] = 80,
    ) -> dict[str, Any]:
        found = home.memory.graph(scope=identity_of(request).owner)
        kinds = frozenset(kind) if kind else GRAPH_KINDS
        every = found.search(text, kinds=kinds, limit=max(1, found.stats()["nodes"]))
        fitting = [node for node in every if not standing or _standing(found, node) == standing]
        return {**_picture(found, fitting[:limit]), "total": len(fitting), "shown": min(limit, len(fitting))}

    return router


def _picture(graph: QuestionGraph, chosen: list[MemoryNode]) -> dict[str, Any]:
    """The chosen items with those that they are tied to."""
    from rqa_graph.graph_picture import spread  # NetworkX

    drawn = {node.id: node for node in chosen}
    edges: dict[tuple[str, str, str], None] = {}
    for node in chosen:
        for name, other, away in graph.neighbours(node.id):
            if other.id in drawn or len(drawn) < _MOST_DRAWN:
                drawn.setdefault(other.id, other)
                edges[(node.id, other.id, name) if away else (other.id, node.id, name)] = None
    picture = spread(list(drawn), [(src, dst) for src, dst, _ in edges])
    matched = {node.id for node in chosen}
    return {
        "width": picture.width,
        "height": picture.height,
        "nodes": [
            {
                **item_fields(node),
                "x": picture.places[node.id].x,
                "y": picture.places[node.id].y,
                "matched": node.id in matched,
                "standing": _standing(graph, node),
            }
            for node in drawn.values()
        ],
        "edges": [{"src": src, "dst": dst, "kind": name} for src, dst, name in edges],
    }


def _standing(graph: QuestionGraph, node: MemoryNode) -> Standing:
    """Is it still to be answered or settled? "" for what asks for neither, such as an answer."""
    if node.kind not in _TO_BE_SETTLED:
        return ""
    if node.status in (Status.open, Status.revisited):
        answered = any(name == "answers" and not away for name, _, away in graph.neighbours(node.id))
        return "answered" if answered else "open"
    return "answered"
