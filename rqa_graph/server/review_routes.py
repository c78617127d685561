"""`/reviews`: what waits for a person, and the person's decision.

With a token, one's own queue and that of the library that one shares; what holds for the whole home is decided at the
machine, without one.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from rqa_checkpoints.errors import UnknownProposalError
from rqa_checkpoints.provenance import QueueItem, QueueStatus, Scope
from rqa_graph.opened import OpenHome
from rqa_graph.server.faults import language_of
from rqa_graph.server.gate import Identity, identity_of
from rqa_nodes.review_answer import Answer

__all__ = ["review_router"]


def review_router(home: OpenHome) -> APIRouter:
    """The routes over an open home."""
    router = APIRouter(prefix="/reviews", tags=["Review"])

    @router.get("", summary="What waits")
    def items(request: Request, everything: bool = False) -> dict[str, Any]:
        status = None if everything else QueueStatus.pending
        scopes = _scopes(identity_of(request))
        rows = [row for scope in scopes for row in home.memory.queue.items(scope=scope, status=status)]
        return {"items": [row.to_dict() for row in rows]}

    @router.get("/{item}", summary="An item, and what its approval would change")
    def show(item: str, request: Request) -> dict[str, Any]:
        from rqa_graph.reviewing import KINDS, rendered  # LangGraph

        found = _find(home, item, identity_of(request))
        kind = KINDS.get(found.kind)
        return {
            **found.to_dict(),
            "text": rendered(home.memory, found, language_of(request.headers)),
            "schema": dict(kind.schema) if kind else {},
        }

    @router.post("/{item}/decision", summary="Approve, edit or reject a version of an item")
    def decision(item: str, body: Answer, request: Request) -> dict[str, Any]:
        from rqa_graph.reviewing import decide  # LangGraph
        from rqa_nodes.review import ReviewContext

        identity = identity_of(request)
        found = _find(home, item, identity)
        context = ReviewContext(
            tenant=found.scope.tenant,
            user=found.scope.user,
            reviewer=identity.owner.user,
            lang=language_of(request.headers),
        )
        return decide(home.review, found.id, body, context=context)

    return router


def _scopes(identity: Identity) -> tuple[Scope, ...]:
    from rqa_graph.speaking import reviewed_scopes  # LangGraph

    return reviewed_scopes(identity.owner, owns_home=identity.owns_home)


def _find(home: OpenHome, item: str, identity: Identity) -> QueueItem:
    for scope in _scopes(identity):
        try:
            return home.memory.queue.get(item, scope=scope)
        except UnknownProposalError:
            continue
    raise UnknownProposalError(f"no item of the queue is called {item!r}", hint="`GET /reviews` has them.")
