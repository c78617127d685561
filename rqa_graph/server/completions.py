"""The assistant as an OpenAI-compatible model: `/v1/chat/completions` and `/v1/models`.

Any chat client can talk to it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Header, Request
from fastapi.responses import JSONResponse, Response

from rqa_graph.opened import Once, OpenHome
from rqa_graph.server.chat_shapes import EVENT_STREAM, MODEL, ChatRequest, read_conversation
from rqa_graph.server.faults import error_body
from rqa_graph.server.measures import Measures

if TYPE_CHECKING:
    from rqa_graph.server.completing import Desk

__all__ = ["completions_router"]

_EVENTS: Final = {
    "itemSchema": {
        "type": "object",
        "properties": {"data": {"type": "string", "description": "A chunk as JSON; `[DONE]` after the last."}},
        "required": ["data"],
    },
}
"""What an event holds, as OpenAPI 3.2 says it."""
_REPLY: Final = "A completion as OpenAI has it, with the object `rqa`; with `stream`, its chunks as events."

ThreadName = Annotated[
    str,
    Header(
        alias="x-rqa-thread",
        max_length=128,
        pattern=r"^[A-Za-z0-9_.:-]*$",
        description="Keep the thread on the server under this name; only the last message is read then.",
    ),
]


def completions_router(home: OpenHome, measures: Measures) -> APIRouter:
    """The routes over an open home."""
    router = APIRouter(prefix="/v1", tags=["OpenAI-compatible"])
    row = {"id": MODEL, "object": "model", "created": int(home.clock().timestamp()), "owned_by": "rqa-graph"}

    def open_desk() -> Desk:
        from rqa_graph.server.completing import Desk

        return Desk(home, measures)

    desk = Once(open_desk)

    @router.get("/models", summary="The one model")
    async def models() -> dict[str, Any]:
        return {"object": "list", "data": [row]}

    @router.get("/models/{name}", summary="The one model by name")
    async def model(name: str) -> JSONResponse:
        return JSONResponse(row) if name == MODEL else _unknown_model(name)

    @router.post(
        "/chat/completions",
        summary="Answer the last message of a conversation",
        response_model=None,
        responses={200: {"description": _REPLY, "content": {EVENT_STREAM: _EVENTS}}},
    )
    async def complete(body: ChatRequest, request: Request, x_rqa_thread: ThreadName = "") -> Response:
        if body.model != MODEL:
            return _unknown_model(body.model)
        conversation = read_conversation(body)
        opened = await asyncio.to_thread(desk)  # it may have to be loaded
        return await opened.answer(body, conversation, request, x_rqa_thread)

    return router


def _unknown_model(name: str) -> JSONResponse:
    message = f"There is no model {name!r}; the one model here is {MODEL!r}. Which engine answers is a setting."
    return JSONResponse(error_body(404, message, code="model_not_found", param="model"), 404)
