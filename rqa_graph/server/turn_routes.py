"""`/conversations` and `/turns`: what was said, what the verifier made of it, and what the model was given.

Read from the log, so a turn looks the same whoever asked it: a chat client, the command line, another agent. Removed
words are in the answer, because they are the person's to see; they are marked, and no other route repeats them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby, product
from typing import Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request

from rqa_checkpoints.errors import UnknownNodeError
from rqa_checkpoints.provenance import MemoryNode, Scope, Status
from rqa_checkpoints.spoken import PartRecord
from rqa_graph.memory_fields import item_fields
from rqa_graph.opened import OpenHome
from rqa_graph.server.conversations import name_in
from rqa_graph.server.faults import language_of
from rqa_graph.server.gate import identity_of
from rqa_graph.turns import report_line
from rqa_graph.woven import weave
from rqa_nodes.facts import Facts
from rqa_nodes.prompts import memory_block

__all__ = ["turn_router"]

_BLOCK_LANGUAGES: Final = ("en", "ja", "zh")
"""Who said an item is worded in the language of the turn, which the log does not name."""


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
        thread: Annotated[str, Query(max_length=1000)],
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> dict[str, Any]:
        identity, lang = identity_of(request), language_of(request.headers)
        parts = memory.turns(scope=identity.owner, thread=thread, limit=2 * limit)[::-1]
        grouped = [list(rows) for _, rows in groupby(parts, key=lambda part: part.turn_id)]
        shown = [_turn_fields(home, rows, identity.owner, lang) for rows in grouped[-limit:]]
        return {"thread": thread, "name": name_in(thread, identity), "turns": shown}

    @router.get("/turns/{turn}", summary="A turn, what its model was given, and where it lies in the log")
    def turn(turn: Annotated[str, Path(max_length=200)], request: Request) -> dict[str, Any]:
        owner = identity_of(request).owner
        parts = memory.turn(turn, scope=owner)
        if not parts:
            raise UnknownNodeError(f"no turn of yours is called {turn!r}", hint="`GET /conversations` leads to them.")
        events = [memory.log.events(after=part.seq - 1, limit=1)[0] for part in parts]
        return {
            **_turn_fields(home, parts, owner, language_of(request.headers)),
            "given": _given(home, parts[0], owner),
            "written": [item_fields(node) for node in memory.get(_written(parts), scope=owner)],
            "log": [{"seq": event.seq, "at": event.at, "hash": event.hash} for event in events],
        }

    return router


def _turn_fields(home: OpenHome, parts: Sequence[PartRecord], owner: Scope, lang: str) -> dict[str, Any]:
    """A turn as JSON: the message, each committed part in pieces, and the items that they cite, by id."""
    first = parts[0]
    cited = list(dict.fromkeys(item for part in parts for item in part.cited))
    return {
        "turn": first.turn_id,
        "thread": first.thread,
        "recorded_at": first.recorded_at,
        "forked_from": first.forked_from,
        "user_text": first.user_text,
        "parts": [_part_fields(part, lang) for part in parts],
        "items": {node.id: item_fields(node) for node in home.memory.get(cited, scope=owner)},
    }


def _part_fields(part: PartRecord, lang: str) -> dict[str, Any]:
    pieces = weave(part.reply_text, part.report, part.removed)
    elsewhere = [row for row in part.removed if "part" in row or not row.get("at")]
    return {
        "part": part.part,
        "text": part.reply_text,
        "pieces": [piece.to_dict() for piece in pieces],
        "removed_elsewhere": [{"verdict": row["kind"], "text": row["text"]} for row in elsewhere],
        "counts": dict(part.report.get("counts", {})),
        "line": report_line(part.report, lang) if part.report else "",
        "outcome": part.outcome,
    }


def _given(home: OpenHome, part: PartRecord, owner: Scope) -> dict[str, Any]:
    """The items that the model of a turn was given, and the block in which it read them."""
    ids = [str(item) for item in part.given.get("injected", ())]
    nodes = home.memory.get(ids, scope=owner)
    block, exact = _block(nodes, part.given)
    return {
        "items": [item_fields(node) for node in nodes],
        "gone": len(ids) - len(nodes),
        "block": block,
        "exact": exact,
        "cited": list(part.cited),
    }


def _block(nodes: Sequence[MemoryNode], given: Mapping[str, Any]) -> tuple[str, bool]:
    """(The block, whether its hash is that of what the model read). A status may have changed since."""
    unchanged = [replace(node, status=Status.open) for node in nodes]
    blocks = [
        memory_block(Facts(lang=lang, user_text="", nodes=tuple(rows), recalled=len(rows)).lines(), lang)
        for rows, lang in product((nodes, unchanged), _BLOCK_LANGUAGES)
    ]
    wanted = given.get("block_hash")
    for block in blocks:
        if hashlib.sha256(block.encode("utf-8", "surrogatepass")).hexdigest() == wanted:
            return block, True
    return blocks[0], False


def _written(parts: Sequence[PartRecord]) -> list[str]:
    return list(dict.fromkeys(item for part in parts for item in part.written))
