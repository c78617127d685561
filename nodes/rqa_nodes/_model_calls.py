"""How does a node get words from a model, without a word of them being seen by anyone before they are verified?

Invariants: every call has an empty callback list and runs with tracing off (an inherited handler or a tracing variable
would publish unverified text); thinking is never returned; a prompt that does not fit is refused before it is sent;
every failure is one of our errors. The deadline bounds the whole call, each chunk included.
The outside fact that forces the shape: LangChain asks for the tracer when a stream is first advanced, and a context
variable set around a `yield` would leak into the caller. So tracing is off around each step, not around the loop.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, closing
from typing import Any, cast

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables import RunnableConfig
from langsmith.run_helpers import tracing_context

from rqa_nodes._model_faults import Call, explain, refused_request
from rqa_nodes._model_servers import (
    call_options,
    context_was_full,
    ended_early,
    for_limit,
    ran_out,
    thinks_unmarked,
)
from rqa_nodes._model_types import Endpoint, ResolvedModel
from rqa_nodes._thinking import AnswerOnly
from rqa_nodes.errors import (
    ModelOutputError,
    ModelUnavailableError,
    PromptTooLargeError,
    RuleError,
    SchemaRefusedError,
)
from rqa_nodes.fault_words import worded

__all__ = ["acomplete", "astream", "complete", "estimate_prompt", "estimate_tokens", "room_of", "stream"]

REPLY_TOKENS = 2_048
"""Kept free for the answer."""
_MESSAGE_TOKENS = 8
"""Role markers and separators of a chat template, a message."""
_LETTERS_A_TOKEN = 3
"""Below the 4 of English prose, so that the estimate errs on the safe side."""
_CHEAP = re.compile(r"[A-Za-z\s]+")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ATTEMPTS = 2
_QUIET: RunnableConfig = {"callbacks": []}

Messages = Sequence[BaseMessage]
Schema = Mapping[str, Any]


def estimate_tokens(text: str) -> int:
    """At least as many tokens as a model will count, nearly always.

    Latin letters and white space count a third each, any other character one (so does a Japanese one), and a
    character outside the basic plane (emoji, rare Han) three.
    """
    rest = _CHEAP.sub("", text)
    astral = sum(character > "\uffff" for character in rest)
    return -(-(len(text) - len(rest)) // _LETTERS_A_TOKEN) + len(rest) + 2 * astral


def estimate_prompt(messages: Messages) -> int:
    """At least as many tokens as the messages will count, nearly always."""
    return sum(estimate_tokens(str(message.text)) + _MESSAGE_TOKENS for message in messages)


def room_of(model: ResolvedModel) -> int | None:
    """How many tokens a prompt may have; None for a model without a context of its own."""
    return None if model.endpoint is None else model.endpoint.context_tokens - REPLY_TOKENS


def complete(
    model: ResolvedModel, messages: Messages, *, schema: Schema | None = None, deadline_s: float, repeats: bool = True
) -> str:
    """The whole answer of a model.

    Args:
        model: Which model; from `resolve_chat`, or around any LangChain chat model.
        messages: The rendered prompt.
        schema: A JSON schema for the answer, where the server can be held to one. The answer is still text.
        deadline_s: Seconds for the whole call, a retry included.
        repeats: False for one request at most: an empty answer, or a schema that is refused, fails the call.

    Raises:
        PromptTooLargeError: It would not fit; nothing was sent.
        ModelUnavailableError: No answer came: refused, unreachable, or too slow.
        ModelOutputError: An answer came that cannot be used (`reason`).
    """
    return "".join(stream(model, messages, schema=schema, deadline_s=deadline_s, repeats=repeats, whole=True))


async def acomplete(
    model: ResolvedModel, messages: Messages, *, schema: Schema | None = None, deadline_s: float, repeats: bool = True
) -> str:
    """As `complete`, without blocking."""
    pieces = astream(model, messages, schema=schema, deadline_s=deadline_s, repeats=repeats, whole=True)
    return "".join([piece async for piece in pieces])


def stream(
    model: ResolvedModel,
    messages: Messages,
    *,
    schema: Schema | None = None,
    deadline_s: float,
    repeats: bool = True,
    whole: bool = False,
) -> Iterator[str]:
    """The answer in pieces, as they come. Errors as in `complete`; pieces may have come before one is raised.

    An empty piece says that the model is at work and that nothing of it may be shown yet; with `whole` all words come
    in the last ones, so that thinking of which only the end is marked never does. Where it was passed on all the same,
    `ModelOutputError` with the reason "thinking" says so: nothing that came before may be kept.

    A server that falls silent in the middle is given up after at most twice the deadline; `astream` keeps it exactly.
    """
    messages = _sendable(model, messages)
    plan = _Plan(model, schema, deadline_s, repeats=repeats, whole=whole)
    while True:
        reply = plan.begin()
        try:
            for chunk in _steps(plan, messages):
                yield from reply.take(chunk)
            yield from reply.finish()
        except Exception as error:  # whatever a server sends: three libraries, no common root
            if plan.may_repeat(error):
                continue
            if plan.model.endpoint is None:
                raise
            # The cause may carry the headers of the request, and with them the key.
            raise plan.explained(error, plan.model.endpoint) from None
        else:
            return


async def astream(
    model: ResolvedModel,
    messages: Messages,
    *,
    schema: Schema | None = None,
    deadline_s: float,
    repeats: bool = True,
    whole: bool = False,
) -> AsyncIterator[str]:
    """As `stream`, without blocking."""
    messages = _sendable(model, messages)
    plan = _Plan(model, schema, deadline_s, repeats=repeats, whole=whole)
    while True:
        reply = plan.begin()
        try:
            async for chunk in _asteps(plan, messages):
                for piece in reply.take(chunk):
                    yield piece
            for piece in reply.finish():
                yield piece
        except Exception as error:  # as in `stream`
            if plan.may_repeat(error):
                continue
            if plan.model.endpoint is None:
                raise
            raise plan.explained(error, plan.model.endpoint) from None
        else:
            return


class _Reply:
    """What one attempt has said so far."""

    def __init__(self, model: ResolvedModel, *, constrained: bool, whole: bool) -> None:
        self._model = model
        self._constrained = constrained
        self._answer = AnswerOnly(whole=whole or thinks_unmarked(model.endpoint))
        self._metadata: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}
        self._blank = True
        self.started = False

    def take(self, chunk: BaseMessage) -> Iterator[str]:
        self.started = True
        self._metadata |= {key: value for key, value in chunk.response_metadata.items() if value}
        self._usage |= getattr(chunk, "usage_metadata", None) or {}
        yield from self._pass_on(self._answer.feed(str(chunk.text)))

    def finish(self) -> Iterator[str]:
        yield from self._pass_on(self._answer.finish())
        if self._model.endpoint is not None:
            self._check_ending(self._model.endpoint)
        if self._blank:
            words = worded("no_words", "all_thinking", engine=self._model.engine)
            raise ModelOutputError(**words, reason="empty_content")

    def _pass_on(self, text: str) -> Iterator[str]:
        if self._answer.leaked:
            words = worded("thinking_shown", "reasoning_parser", engine=self._model.engine)
            raise ModelOutputError(**words, reason="thinking")
        self._blank = self._blank and not text.strip()
        yield text

    def _check_ending(self, endpoint: Endpoint) -> None:
        if tokens := context_was_full(endpoint, self._usage):
            sizes = {"tokens": tokens, "engine": self._model.engine, "context": endpoint.context_tokens}
            raise PromptTooLargeError(**worded("context_full", "shorter_or_context", **sizes))
        if ended_early(self._metadata) or (self._constrained and not self._blank and ran_out(self._metadata)):
            words = worded("cut_off", "again_or_shorter", engine=self._model.engine)
            raise ModelOutputError(**words, reason="cut_off")


class _Plan:
    """The attempts of one call: at most two, within one deadline."""

    def __init__(
        self, model: ResolvedModel, schema: Schema | None, deadline_s: float, *, repeats: bool, whole: bool
    ) -> None:
        self._whole = whole
        self._most = _ATTEMPTS if repeats else 1
        self.model = model
        self._schema = schema
        self._deadline_s = deadline_s
        self._end = model.monotonic() + deadline_s
        self._attempts = 0
        self._reply: _Reply

    def begin(self) -> _Reply:
        """Start an attempt."""
        self._attempts += 1
        self._reply = _Reply(self.model, constrained=self._schema is not None, whole=self._whole)
        return self._reply

    def remaining(self) -> float:
        """Seconds left; raises `TimeoutError` when there are none."""
        left = self._end - self.model.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def chat(self) -> tuple[BaseChatModel, dict[str, Any]]:
        """The model and the keyword arguments for this attempt."""
        left = self.remaining()
        return for_limit(self.model, left), call_options(self.model.endpoint, self._schema, left)

    def may_repeat(self, error: Exception) -> bool:
        """Is this failure one that a second attempt may cure? Never after words have been passed on."""
        if self._attempts >= self._most:
            return False
        if isinstance(error, ModelOutputError) and error.reason == "empty_content":
            return True
        if self._schema is not None and not self._reply.started and refused_request(error):
            # Not every server takes a schema; the prompt asks for the object in words as well.
            self._schema = None
            return True
        return False

    def explained(self, error: Exception, endpoint: Endpoint) -> RuleError:
        """The error of ours for the caller."""
        found = explain(error, Call(endpoint=endpoint, limit_s=self._deadline_s, started=self._reply.started))
        if self._schema is not None and isinstance(found, ModelUnavailableError) and refused_request(error):
            return SchemaRefusedError(found.message, hint=found.hint, ja=found.ja)
        return found


def _steps(plan: _Plan, messages: Messages) -> Iterator[BaseMessage]:
    chat, options = plan.chat()
    with closing(cast("Generator[BaseMessage]", chat.stream(list(messages), config=_QUIET, **options))) as chunks:
        while True:
            with tracing_context(enabled=False):
                chunk = next(chunks, None)
            if chunk is None:
                return
            yield chunk
            plan.remaining()


async def _asteps(plan: _Plan, messages: Messages) -> AsyncIterator[BaseMessage]:
    chat, options = plan.chat()
    source = cast("AsyncGenerator[BaseMessage]", chat.astream(list(messages), config=_QUIET, **options))
    async with aclosing(source) as chunks:
        while True:
            async with asyncio.timeout(plan.remaining()):
                with tracing_context(enabled=False):
                    chunk = await anext(chunks, None)
            if chunk is None:
                return
            yield chunk


def _sendable(model: ResolvedModel, messages: Messages) -> Messages:
    """The messages as a server can take them: refused if too long, and with U+FFFD for what UTF-8 cannot say."""
    if model.endpoint is None:
        return messages
    room, size = room_of(model), estimate_prompt(messages)
    if room is not None and size > room:
        sizes = {"size": size, "engine": model.engine, "room": room}
        raise PromptTooLargeError(**worded("too_large", "shorter_or_allowed_context", **sizes))
    return [_encodable(message) for message in messages]


def _encodable(message: BaseMessage) -> BaseMessage:
    text = message.content
    if not isinstance(text, str) or not _LONE_SURROGATE.search(text):
        return message
    return message.model_copy(update={"content": _LONE_SURROGATE.sub("\ufffd", text)})
