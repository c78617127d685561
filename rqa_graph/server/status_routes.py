"""`/status`: is the log as it was written, does the ledger hold, and how much is there?

Whether they hold is everybody's to know; how much others have written is told only to the person at the machine itself.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request

from rqa_checkpoints.provenance import Scope
from rqa_graph.opened import OpenHome
from rqa_graph.server.gate import identity_of

__all__ = ["status_router"]

_REMOVING: Final = frozenset({"removed", "cut", "dropped"})


def status_router(home: OpenHome) -> APIRouter:
    """The routes over an open home."""
    router, memory = APIRouter(prefix="/status", tags=["Server"]), home.memory

    @router.get("", summary="Log, index and counts")
    def status(request: Request) -> dict[str, Any]:
        identity = identity_of(request)
        head = memory.log.head()
        log: dict[str, Any] = {"intact": memory.is_intact()}
        if identity.owns_home:
            log |= {"events": head.seq, "head": head.hash, "place": memory.log.place}
        return {
            "version": version("rqa-graph"),
            "log": log,
            "memory": memory.counts(scope=identity.owner),
            "waiting": len(memory.queue.items(scope=identity.owner)),
        }

    @router.get("/ledger", summary="Every signed attestation, checked now; reads the whole log")
    def ledger(request: Request) -> dict[str, Any]:
        from rqa_checkpoints.cache.inspection import inspect_ledger  # what the answer library needs

        cache = home.services.cache
        if cache is None:
            return {"kept": False}
        found = inspect_ledger(cache.store)
        fields: dict[str, Any] = {"kept": True, "holds": found.holds, "first_broken": found.first_broken}
        if identity_of(request).owns_home:
            faults = [{"seq": one.seq, "entry": one.entry, "what": one.what} for one in found.faults]
            fields |= {"events": found.events, "entries": found.entries, "faults": faults}
        return fields

    @router.get("/findings", summary="What was found in your last turns, the oldest of them first")
    def findings(request: Request, limit: Annotated[int, Query(ge=1, le=500)] = 60) -> dict[str, Any]:
        return {"turns": _findings(home, identity_of(request).owner, limit)}

    return router


def _findings(home: OpenHome, owner: Scope, limit: int) -> list[dict[str, Any]]:
    rows = []
    for part in reversed(home.memory.turns(scope=owner, limit=limit)):
        verdicts = part.report.get("verdicts", ())
        wrong = [row["action"] for row in verdicts if row["kind"] != "valid"]
        removed = sum(action in _REMOVING for action in wrong)
        rows.append(
            {
                "turn": part.turn_id,
                "thread": part.thread,
                "recorded_at": part.recorded_at,
                "valid": len(verdicts) - len(wrong),
                "removed": removed,
                "corrected": len(wrong) - removed,
            }
        )
    return rows
