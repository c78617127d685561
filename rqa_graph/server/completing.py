"""How is a chat completion made, whole or as a stream? Loaded with the first of them, since it brings LangGraph.

Words reach the client only after the verifier; while the assistant reflects, a stream is kept open by comments, which
clients skip.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Final
from weakref import WeakValueDictionary

from fastapi import Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from rqa_graph.opened import OpenHome
from rqa_graph.server.chat_shapes import EVENT_STREAM, MODEL, ChatRequest, Conversation
from rqa_graph.server.conversations import Conversations, Place
from rqa_graph.server.faults import error_response, language_of
from rqa_graph.server.gate import Identity, identity_of
from rqa_graph.server.measures import Measures
from rqa_graph.server.replies import Reply, removed_count, turn_object
from rqa_graph.turns import TurnResult
from rqa_nodes.models import estimate_tokens

__all__ = ["Desk"]

_HEARTBEAT_SECONDS: Final = 10.0
"""Proxies close a silent connection after 30 to 60 seconds."""


class Desk:
    """Answers requests, one a thread at a time."""

    def __init__(self, home: OpenHome, measures: Measures) -> None:
        self._home = home
        _ = home.graph  # built here, and not on the event loop
        self._measures = measures
        self._conversations = Conversations(ids=home.ids)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def answer(self, body: ChatRequest, said: Conversation, request: Request, named: str) -> Response:
        """Answer a request in the thread that it continues, or that the client has named."""
        identity = identity_of(request)
        place = self._conversations.find(identity, said.before, named=named)
        lang = language_of(request.headers)
        reply = Reply(self._home, identity, place, said.before, said.message)
        lock = self._locks.setdefault(place.thread, asyncio.Lock())
        if body.stream:
            events = self._events(reply, body, said, identity, place, lock, lang)
            headers = {"x-rqa-thread": place.thread, "cache-control": "no-cache", "x-accel-buffering": "no"}
            return StreamingResponse(events, media_type=EVENT_STREAM, headers=headers)
        async with lock:
            text = await reply.whole()
        self._done(reply, said, identity, place)
        return _whole(body, said, reply.result, text, self._home.clock())

    def _done(self, reply: Reply, said: Conversation, identity: Identity, place: Place) -> None:
        lines = [*said.before, ("user", said.message), ("assistant", reply.text)]
        self._conversations.keep(identity, lines, place.thread)
        self._measures.turn(reply.result)

    async def _events(
        self,
        reply: Reply,
        body: ChatRequest,
        said: Conversation,
        identity: Identity,
        place: Place,
        lock: asyncio.Lock,
        lang: str,
    ) -> AsyncIterator[str]:
        """The stream; what goes wrong in it is its last event, and `[DONE]` does not follow."""
        chunk = _Chunks(self._home.ids(), _seconds(self._home.clock()), body.with_usage)
        yield chunk.delta({"role": "assistant", "content": ""})
        try:
            async with lock:
                async for words in reply.pieces(idle_s=_HEARTBEAT_SECONDS):
                    yield chunk.delta({"content": words}) if words else ": the assistant is thinking\n\n"
            self._done(reply, said, identity, place)
            yield chunk.last(turn_object(reply.result, ignored=said.ignored))
            if body.with_usage:
                yield chunk.usage(_usage(said, reply.text))
            yield "data: [DONE]\n\n"
        except Exception as error:  # noqa: BLE001  # headers are out: whatever it is, the client is told in the stream
            yield f"data: {bytes(error_response(error, lang).body).decode()}\n\n"


class _Chunks:
    """The events of one stream."""

    def __init__(self, ident: str, created: int, with_usage: bool) -> None:
        self._head = {"id": f"chatcmpl-{ident}", "object": "chat.completion.chunk", "created": created, "model": MODEL}
        self._usage = {"usage": None} if with_usage else {}

    def delta(self, delta: dict[str, str]) -> str:
        return self._event(_choice(delta=delta, finish_reason=None))

    def last(self, turn: dict[str, Any]) -> str:
        return self._event({**_choice(delta={}, finish_reason="stop"), "rqa": turn})

    def usage(self, usage: dict[str, int]) -> str:
        return self._event({"choices": [], "usage": usage})

    def _event(self, fields: dict[str, Any]) -> str:
        return f"data: {json.dumps({**self._head, **self._usage, **fields}, ensure_ascii=False)}\n\n"


def _choice(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "logprobs": None, **fields}]}


def _whole(body: ChatRequest, said: Conversation, result: TurnResult, text: str, now: datetime) -> JSONResponse:
    message = {"role": "assistant", "content": text, "refusal": None}
    content = {
        "id": f"chatcmpl-{result.turn}",
        "object": "chat.completion",
        "created": _seconds(now),
        "model": body.model,
        **_choice(message=message, finish_reason="stop"),
        "usage": _usage(said, text),
        "rqa": turn_object(result, ignored=said.ignored),
    }
    headers = {
        "x-rqa-thread": result.thread,
        "x-rqa-level": str(result.level),
        "x-rqa-cited": str(len(result.memory["cited"])),
        "x-rqa-removed": str(removed_count(result)),
    }
    return JSONResponse(content, headers=headers)


def _usage(said: Conversation, text: str) -> dict[str, int]:
    """Estimated: not every engine counts, and the built-in one has no tokens."""
    asked = sum(estimate_tokens(line) for _, line in (*said.before, ("user", said.message)))
    given = estimate_tokens(text)
    return {"prompt_tokens": asked, "completion_tokens": given, "total_tokens": asked + given}


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
