"""`/conversations` and `/turns`: what was said, what the verifier made of it, and what the model was given.

Read from the log, so a turn looks the same whoever asked it: a chat client, the command line, another agent. Removed
words are in the answer, because they are the person's to see; they are marked, and no other route repeats them.
"""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from rqa_checkpoints.errors import UnknownNodeError
from rqa_graph.memory_fields import item_fields
from rqa_graph.opened import OpenHome
from rqa_graph.server.conversations import name_in
from rqa_graph.server.faults import language_of
from rqa_graph.server.gate import identity_of

__all__ = ["turn_router"]


def turn_router(home: OpenHome) -> APIRouter:
    """The routes over an open home."""
    router, memory = APIRouter(tags=["Conversations"]), home.memory

    @router.get("/conversations", summary="Your threads, the one that was spoken in last first")
    def conversations(request: Request, limit: Annotated[int, Query(ge=1, le=500)] = 50) -> dict[str, Any]:
        identity = identity_of(request)
        rows = memory.conversations(scope=identity.owner, limit=limit)
        return {
            "conversations": [
                {
                    "thread": row.thread,
                    "name": name_in(row.thread, identity),
                    "turns": row.turns,
                    "first_words": row.first_words,
                    "last_at": row.last_at,
                }
                for row in rows
            ]
        }

    @router.get("/conversations/turns", summary="The turns of a thread, oldest first, with what was removed in them")
    def turns(
        request: Request,
        thread: Annotated[str, Query(max_length=1000, description="The one spoken in last, if none is named.")] = "",
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> dict[str, Any]:
        from rqa_graph.server.turn_fields import turn_fields  # LangChain

        identity, lang = identity_of(request), language_of(request.headers)
        thread = thread or next((row.thread for row in memory.conversations(scope=identity.owner, limit=1)), "")
        if not thread:
            return {"thread": None, "name": None, "turns": []}
        parts = memory.turns(scope=identity.owner, thread=thread, limit=2 * limit)[::-1]
        grouped = [list(rows) for _, rows in groupby(parts, key=lambda part: part.turn_id)]
        shown = [turn_fields(home, rows, identity.owner, lang) for rows in grouped[-limit:]]
        return {"thread": thread, "name": name_in(thread, identity), "turns": shown}

    @router.get("/turns/{turn}", summary="A turn, what its model was given, and where it lies in the log")
    def turn(turn: Annotated[str, Path(max_length=200)], request: Request) -> dict[str, Any]:
        from rqa_graph.server.turn_fields import given_fields, turn_fields, written_items  # LangChain

        owner = identity_of(request).owner
        parts = memory.turn(turn, scope=owner)
        if not parts:
            raise UnknownNodeError(f"no turn of yours is called {turn!r}", hint="`GET /conversations` leads to them.")
        events = [memory.log.events(after=part.seq - 1, limit=1)[0] for part in parts]
        return {
            **turn_fields(home, parts, owner, language_of(request.headers)),
            "given": given_fields(home, parts[0], owner),
            "written": [item_fields(node) for node in memory.get(written_items(parts), scope=owner)],
            "log": [{"seq": event.seq, "at": event.at, "hash": event.hash} for event in events],
        }

    return router
