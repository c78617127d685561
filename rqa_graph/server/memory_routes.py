"""`/memory`: what is remembered of whoever speaks - list, recall, add, hide, erase, export.

What a person's own token writes is that person's statement. Recall changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import ConfigDict, Field

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.provenance import SourceClass
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.reflecting import Side
from rqa_graph.inputs import check_text
from rqa_graph.memory_fields import (
    bare,
    detail_fields,
    exploration_fields,
    item_fields,
    recall_fields,
    reflection_fields,
)
from rqa_graph.memory_opening import open_eraser
from rqa_graph.opened import OpenHome
from rqa_graph.server.bodies import Body, Words
from rqa_graph.server.gate import identity_of
from rqa_nodes.json_types import WHOLE
from rqa_nodes.language import detect

__all__ = ["memory_router"]


class Remember(Body):
    """A text to remember."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "My locker is 41."}]})

    text: Words
    locator: Annotated[str, Field(description="Not your words: the path or URL they come from.", max_length=2_000)] = ""


class Explore(Body):
    """A walk through the memory."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "my locker", "seed": 3}]})

    query: Words
    limit: Annotated[int, Field(ge=1, le=100), WHOLE] = 8
    seed: Annotated[int, Field(description="The same one gives the same draw."), WHOLE] = 0


class Recall(Body):
    """A question to the memory."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "my locker"}]})

    query: Words
    top_k: Annotated[int, Field(ge=1, le=100), WHOLE] = 8
    explain: Annotated[bool, Field(description="Say also what strong match was held back, and by what.")] = False


Handle = Annotated[str, Field(max_length=200)]


def memory_router(home: OpenHome) -> APIRouter:
    """The routes over an open home."""
    router = APIRouter(prefix="/memory", tags=["Memory"])
    _add_reading(router, home)
    _add_changing(router, home)
    return router


def _add_reading(router: APIRouter, home: OpenHome) -> None:
    memory = home.memory

    @router.get("", summary="The newest items")
    def items(
        request: Request,
        source: SourceClass | None = None,
        limit: Annotated[int, Query(ge=1, le=1000)] = 20,
        hidden: bool = False,
    ) -> dict[str, Any]:
        where = NodeFilter(sources=frozenset({source} if source else ()), hidden=hidden)
        nodes = memory.list(scope=identity_of(request).owner, where=where, limit=limit)
        return {"items": [item_fields(node) for node in nodes]}

    @router.post("/recall", summary="What is near a text; nothing is changed by looking")
    def recall(body: Recall, request: Request) -> dict[str, Any]:
        owner, words = identity_of(request).owner, check_text(body.query)
        found = memory.recall(words, scope=owner, top_k=body.top_k, explain=body.explain)
        return recall_fields(found, found.training_delta)

    @router.post("/explore", summary="A draw from what is near a text, not only the nearest")
    def explore(body: Explore, request: Request) -> dict[str, Any]:
        words = check_text(body.query)
        found = memory.explore(words, scope=identity_of(request).owner, limit=body.limit, seed=body.seed)
        return exploration_fields(found)

    @router.get("/reflect", summary="The memory from one side: values, tasks, contradictions, duplicates")
    def reflect(
        request: Request, side: Side = Side.summary, limit: Annotated[int, Query(ge=1, le=1000)] = 10
    ) -> dict[str, Any]:
        seen = memory.reflect(side, scope=identity_of(request).owner, limit=limit)
        return reflection_fields(seen)

    @router.get(
        "/export",
        summary="Everything, as the JSON lines that `rqa import` reads",
        response_class=Response,
        responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
    )
    def export(request: Request) -> StreamingResponse:
        rows = memory.export(scope=identity_of(request).owner)
        return StreamingResponse(_lines(rows), media_type="application/x-ndjson")

    @router.get("/audit", summary="Counts by class, and what should not be there")
    def audit(request: Request) -> dict[str, Any]:
        report = memory.audit(scope=identity_of(request).owner)
        return {**asdict(report), "clean": report.clean}

    @router.get("/{handle}", summary="An item, who said it, and what it was made from")
    def show(handle: Handle, request: Request) -> dict[str, Any]:
        detail = memory.show(bare(handle), scope=identity_of(request).owner)
        return detail_fields(detail)


def _add_changing(router: APIRouter, home: OpenHome) -> None:
    memory = home.memory

    @router.post("", summary="Remember a text as your own statement", status_code=201)
    def remember(body: Remember, request: Request) -> dict[str, Any]:
        from rqa_graph.curating import cross  # the rules of contradictions, loaded once the server answers

        owner = identity_of(request).owner
        node = memory.add(
            check_text(body.text),
            scope=owner,
            source=SourceClass.external if body.locator else SourceClass.user,
            author=body.locator or owner.user,
            locator=body.locator,
        )
        found = cross(memory, node)
        rows = [{"relation": one.relation, "handle": one.earlier.handle} for one in found]
        return {**item_fields(node), "crossings": rows}

    @router.post("/{handle}/forget", summary="Hide an item from recall; nothing is erased")
    def forget(handle: Handle, request: Request) -> dict[str, Any]:
        return item_fields(memory.forget(bare(handle), scope=identity_of(request).owner))

    @router.post("/{handle}/restore", summary="Bring a hidden item back")
    def restore(handle: Handle, request: Request) -> dict[str, Any]:
        return item_fields(memory.restore(bare(handle), scope=identity_of(request).owner))

    @router.post("/{handle}/{answer}", summary="Say yes or no to what somebody else said, or that your own still holds")
    def answered(handle: Handle, answer: Literal["confirm", "deny", "revalidate"], request: Request) -> dict[str, Any]:
        owner = identity_of(request).owner
        if answer == "revalidate":
            return item_fields(memory.revalidate(bare(handle), scope=owner))
        text = memory.show(bare(handle), scope=owner).node.text
        lang: Literal["en", "ja"] = "ja" if detect(text) == "ja" else "en"
        say_it = memory.confirm if answer == "confirm" else memory.deny
        return item_fields(say_it(bare(handle), scope=owner, lang=lang))

    @router.delete("/{handle}", summary="Erase an item byte by byte; `dry_run` only says what would go")
    def erase(handle: Handle, request: Request, dry_run: bool = False) -> dict[str, Any]:
        from rqa_graph.erasing import plan_fields  # the checkpointer, and LangGraph with it

        with open_eraser(memory, home.settings, saver=home.saver) as eraser:
            plan = eraser.plan_item(bare(handle), scope=identity_of(request).owner)
            if dry_run:
                return {"dry_run": True, **plan_fields(plan)}
            receipt = eraser.erase(plan)
        return {"dry_run": False, "receipt": receipt, "index": _rebuilt(home)}


def _rebuilt(home: OpenHome) -> str:
    """The index of what is left; an embedder that is away is no reason to call the erasure failed."""
    try:
        home.memory.reindex()
    except CheckpointError as error:
        return error.message
    return "rebuilt"


def _lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"{json.dumps(row, ensure_ascii=False)}\n"
