"""A model that says what it was told to say: for demonstrations, tests and audits of the verifier.

It cites like a model that has read its prompt: `{m:words}` in a scripted reply becomes the reference of the injected
item that holds these words, and is left out where no item does.
"""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import BaseMessage

from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.prompts import read
from rqa_nodes.tools.toolbox import Source, ToolCall

__all__ = ["ScriptedChatModel", "ScriptedEvaluator", "ScriptedTool"]

_CITATION = re.compile(r"\{m:([^{}]{1,200})\}")


class ScriptedChatModel:
    """Gives the replies in order, and records the prompts and what it wrote. After the last one it is unavailable."""

    is_local = True
    notice = ""

    def __init__(
        self,
        replies: Sequence[str | Exception],
        *,
        engine: str = "scripted",
        chunk: int = 12,
        room: int | None = None,
    ) -> None:
        """`replies`: texts, or errors to raise instead. `chunk`: characters a chunk when streaming."""
        self.engine = engine
        self.room = room
        self.prompts: list[list[BaseMessage]] = []
        self.written: list[str] = []
        self._replies = list(replies)
        self._chunk = chunk

    def complete(self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None) -> str:
        """The next reply, whole."""
        del deadline, schema
        return self._next(messages)

    async def acomplete(
        self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None
    ) -> str:
        """Async form of `complete`."""
        return self.complete(messages, deadline=deadline, schema=schema)

    def stream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> Iterator[str]:
        """The next reply in chunks."""
        del deadline
        text = self._next(messages)
        for start in range(0, len(text), self._chunk):
            yield text[start : start + self._chunk]

    async def astream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> AsyncIterator[str]:
        """Async form of `stream`."""
        for chunk in self.stream(messages, deadline=deadline):
            yield chunk

    def _next(self, messages: Sequence[BaseMessage]) -> str:
        self.prompts.append(list(messages))
        if not self._replies:
            raise ModelUnavailableError("the script of the scripted model is over")
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        self.written.append(_with_references(reply, messages))
        return self.written[-1]


def _with_references(reply: str, messages: Sequence[BaseMessage]) -> str:
    if "{m:" not in reply:
        return reply
    memory = read(list(messages)).memory

    def reference(match: re.Match[str]) -> str:
        handle = next((line.handle for line in memory if match[1] in line.text), "")
        return f"[m:{handle}]" if handle else ""

    return _CITATION.sub(reference, reply)


class ScriptedEvaluator:
    """Gives evaluations in order, and records what it was asked."""

    is_local = True

    def __init__(self, replies: Sequence[str | Exception], *, room: int | None = None) -> None:
        """`replies`: the evaluator's raw answers, or errors to raise instead."""
        self.room = room
        self.prompts: list[list[BaseMessage]] = []
        self.usable: list[bool] = []
        self._replies = list(replies)

    def unusable(self) -> str:
        """A script that is over cannot be asked."""
        return "" if self._replies else "script_over"

    def judged(self, *, usable: bool) -> None:
        """Record whether the answer could be used."""
        self.usable.append(usable)

    def complete(self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None) -> str:
        """The next evaluation."""
        del deadline, schema
        self.prompts.append(list(messages))
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    async def acomplete(
        self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None
    ) -> str:
        """Async form of `complete`."""
        return self.complete(messages, deadline=deadline, schema=schema)


class ScriptedTool:
    """Finds what it was told to, in order, and records what it was asked; after the last one it finds nothing."""

    def __init__(
        self,
        name: str,
        results: Sequence[Sequence[Source] | BaseException | threading.Event],
        *,
        calls: int = 2,
        seconds: float = 5.0,
        items: int = 4,
        leaves: bool = False,
    ) -> None:
        """`results`: sources, errors to raise instead, or events to wait for, as a tool that hangs does."""
        self.name = name
        self.calls = calls
        self.seconds = seconds
        self.items = items
        self.asked: list[str] = []
        self.is_closed = False
        self._results = list(results)
        self._leaves = leaves

    def leaves(self, query: str) -> bool:
        """As it was told."""
        del query
        return self._leaves

    def run(self, call: ToolCall) -> Sequence[Source]:
        """The next result."""
        self.asked.append(call.query)
        result = self._results.pop(0) if self._results else ()
        if isinstance(result, threading.Event):
            result.wait()
            return ()
        if isinstance(result, BaseException):
            raise result
        return result

    def close(self) -> None:
        """Record it."""
        self.is_closed = True
