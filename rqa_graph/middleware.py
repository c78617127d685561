"""How does any LangChain agent get worded memory in, and only verified text out?

`EchoGuardMiddleware` stands around the model call, inside which nothing is heard by anybody (`quiet`): checking later,
in `after_model` or `after_agent`, would leak in every stream mode, because a message is in a channel by then. What
comes out of the model call is the verified message.
The outside fact: `create_agent` tells a middleware nothing about its neighbours, and one that wraps ours could ask a
model by itself. So the place is looked up while the agent is built, and where that was not possible no model is called.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.runtime import Runtime

from rqa_checkpoints.provenance import Scope
from rqa_graph.agent_facts import AgentFacts, last_human
from rqa_graph.agent_memory import AgentTurn, GivenItems, PersonMemory, Recaller, escaped, from_recaller, user_turn
from rqa_graph.agent_messages import (
    REPORT_KEY,
    as_spoken,
    clean_interrupt,
    clean_value,
    shown_acknowledgement,
    shown_message,
)
from rqa_graph.clock import utc_now
from rqa_graph.errors import ConfigError, MisplacedGuardError, MissingExtraError
from rqa_graph.quiet import Listener, Releaser, quiet, quiet_model, showable
from rqa_graph.resources import load_config
from rqa_nodes.ports import Clock, Memory
from rqa_nodes.prompt_texts import instructions
from rqa_nodes.route import Router

try:
    from langchain.agents import create_agent
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
except ImportError:
    raise MissingExtraError("`EchoGuardMiddleware` needs the extra `agents`: pip install 'rqa-graph[agents]'") from None

__all__ = ["EchoGuardMiddleware"]

_BUILDER: Final = getattr(create_agent, "__code__", None)
_FRAMES: Final = 4
"""How far above a look at `name` the builder may stand: a comprehension lies between in Python 3.11."""

Events = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One model call: what the model is given, and what its words are held against."""

    request: ModelRequest[Any]
    facts: AgentFacts
    given: GivenItems
    person: PersonMemory | None
    """Where the turn is to be remembered, if it is."""
    turn: AgentTurn
    author: str
    saved: bool
    """A tool of this turn has stored something."""
    planned: tuple[str, ...]
    """Ids of the items that the user's message will leave, if the turn is to be remembered."""

    @property
    def written(self) -> tuple[str, ...] | bool:
        """What a receipt may rest on, if the commit succeeds."""
        return self.saved or self.planned


class EchoGuardMiddleware(AgentMiddleware[Any, Any, Any]):
    """Worded memory in, verified text out, for `create_agent`.

    Remembered items are rendered into a copy of the user's message as a block of data, each with a handle and the
    wording of who said it; never into a system message, which gets fixed instructions on how to read them. The model is
    called without callbacks and with tracing off; its text, beside tool calls too, and its structured answer are
    verified before anything else sees them. Tool results count as class `external`, located by tool and call; the
    arguments of tool calls pass untouched. The report stands in the message's `response_metadata["rqa"]`.

    Streams of tokens stay empty until the whole verified message comes. The verified text goes to the custom channel
    as `{"type": "text", "text"}`, and after each message `{"type": "end", "part"}` with "answer" or, beside tool calls,
    "aside"; `{"type": "restart"}` takes back what came of a message so far.

    It must be the first in `middleware=[...]`, that is, outermost: `create_agent` raises MisplacedGuardError otherwise
    (the list is read from the builder while it asks for the name). Built by anything that hides its list, it refuses
    the first model call.

    What it does not see: messages that other middleware writes by itself in a `before_` or `after_` hook or a Command,
    callbacks given to the constructor of another model that a middleware puts in place, and what a tool streams while
    it runs; `rqa_graph.guard` around the finished agent covers those. LangChain's global debug switch prints all.
    A tool that returns remembered text makes it external: give memory here instead. Memory keeps the reply as the model
    call returned it, so redact inside it.

    Args:
        memory: A ProvenanceMemory; needs `scope`.
        scope: Whose memory: a Scope, or a function of the run's `Runtime` for an agent that serves many.
        recall: Instead of `memory`: a function from the user's words to `Injected` items.
        remember: Commit each turn: the user's message as the user's, the verified reply as the assistant's. A
            greeting or thanks is not kept.
        items: How many items are recalled at most.
        stream: Ask the model for a stream, and let verified sentences out on the custom channel while it writes. Has
            no effect beside other middleware that wraps model calls, since that may still change or repeat them, nor
            with a structured answer.
        saving_tools: Names of tools that store something for the user: after one of them "I saved that" is true.
        clock: Gives the time of recording.

    Raises:
        ConfigError: The arguments do not fit together.
    """

    def __init__(
        self,
        memory: Memory | None = None,
        *,
        scope: Scope | Callable[[Runtime[Any]], Scope] | None = None,
        recall: Recaller | None = None,
        remember: bool = False,
        items: int = 8,
        stream: bool = False,
        saving_tools: Collection[str] = (),
        clock: Clock = utc_now,
    ) -> None:
        super().__init__()
        if memory is not None and (recall is not None or scope is None):
            raise ConfigError(
                "`memory` needs `scope`, and excludes `recall`", hint="Say whose memory: scope=Scope(...)."
            )
        if remember and memory is None:
            raise ConfigError("`remember` needs a `memory` to write to", hint="Give a ProvenanceMemory and its scope.")
        self._memory = memory
        self._scope = scope
        self._recall = recall
        self._remember = remember
        self._items = items
        self._stream = stream
        self._saving_tools = frozenset(saving_tools)
        self._clock = clock
        self._is_placed = self._is_sole = False

    @property
    def name(self) -> str:
        """The class's name. The builder asks for it, and is looked at when it does."""
        self._look_at_place()
        return type(self).__name__

    def _look_at_place(self) -> None:
        frame = sys._getframe(2)
        for _ in range(_FRAMES):
            if frame.f_code is _BUILDER:
                self._check_place(frame.f_locals["middleware"])
                return
            if frame.f_back is None:
                return
            frame = frame.f_back

    def _check_place(self, middleware: Sequence[AgentMiddleware[Any, Any, Any]]) -> None:
        if middleware[0] is not self:
            raise MisplacedGuardError(
                f"{type(middleware[0]).__name__} stands outside EchoGuardMiddleware; expected it first in the list",
                hint="middleware=[EchoGuardMiddleware(...), ...]: the first is the outermost.",
            )
        others = middleware[1:]
        self._is_placed, self._is_sole = True, not any(map(_wraps_model_calls, others))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Call the model with memory, and return what of its answer may be shown."""
        call = self._open(request)
        listener = self._listener(call)
        failure: Exception
        try:
            with quiet(listener):
                response = handler(call.request)
        except GraphInterrupt as stop:
            failure = clean_interrupt(stop, call.facts)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, its words may be the model's
            failure = showable(error, listener)
        else:
            shown, events = self._publish(call, response)
            _emit(request, events, listener)
            return shown
        # Outside the handler, so that no error that is withheld hangs on as the context of the one that is raised.
        raise failure

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Async form of `wrap_model_call`. What looks into the memory runs in a thread."""
        call = await asyncio.to_thread(self._open, request)
        listener = self._listener(call)
        failure: Exception
        try:
            with quiet(listener):
                response = await handler(call.request)
        except GraphInterrupt as stop:
            failure = clean_interrupt(stop, call.facts)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - as in `wrap_model_call`
            failure = showable(error, listener)
        else:
            shown, events = await asyncio.to_thread(self._publish, call, response)
            _emit(request, events, listener)
            return shown
        raise failure

    def _open(self, request: ModelRequest[Any]) -> _Call:
        if not self._is_placed:
            raise MisplacedGuardError(
                "no `create_agent` has shown that EchoGuardMiddleware is outermost, so no model is called",
                hint="Build the agent with langchain.agents.create_agent(..., middleware=[EchoGuardMiddleware(...)]).",
            )
        messages, at = request.messages, last_human(request.messages)
        person = self._person(request)
        given = self._given(person, messages[at].text) if at >= 0 else GivenItems()
        forged = person.forged(messages[: max(at, 0)]) if person else []
        facts = AgentFacts.of(messages, given=given.items, known=person, forged=forged)
        turn = AgentTurn.of(
            thread=str(get_config().get("configurable", {}).get("thread_id", "")),
            message=messages[at] if messages else HumanMessage(""),
            recorded_at=self._clock().isoformat(),
        )
        writer = person if self._remember and facts.user_text and not _is_light(facts.user_text) else None
        return _Call(
            request=_prepared(request, given, facts.lang),
            facts=facts,
            given=given,
            person=writer,
            turn=turn,
            author=str(getattr(request.model, "model_name", "") or getattr(request.model, "model", "") or "model"),
            saved=any(self._has_saved(message) for message in messages[at + 1 :]),
            planned=tuple(node.id for node in writer.plan(turn, facts.user_text)) if writer else (),
        )

    def _listener(self, call: _Call) -> Listener:
        if not (self._stream and self._is_sole) or call.request.response_format is not None:
            return Listener()
        write = call.request.runtime.stream_writer
        return Releaser(call.facts.verifier(call.written), lambda text: write({"type": "text", "text": text}))

    def _person(self, request: ModelRequest[Any]) -> PersonMemory | None:
        if self._memory is None or self._scope is None:
            return None
        scope = self._scope if isinstance(self._scope, Scope) else self._scope(request.runtime)
        return PersonMemory(self._memory, scope)

    def _given(self, person: PersonMemory | None, query: str) -> GivenItems:
        if person is not None:
            return person.recall(query, self._items)
        return from_recaller(self._recall, query) if self._recall is not None else GivenItems()

    def _has_saved(self, message: BaseMessage) -> bool:
        return isinstance(message, ToolMessage) and message.name in self._saving_tools and message.status == "success"

    def _publish(self, call: _Call, response: ModelResponse[Any]) -> tuple[ModelResponse[Any], Events]:
        """Verify every message of a response, and commit the turn if it is over."""
        answer = response.structured_response
        clean = clean_value(answer, call.facts)
        acknowledged = {m.tool_call_id for m in response.result if isinstance(m, ToolMessage)}
        shown: list[BaseMessage] = []
        events: Events = []
        repaired = False
        for message in response.result:
            spoken = as_spoken(message)
            if spoken is not None:
                is_json = answer is not None and not acknowledged and not spoken.tool_calls
                kept, rows = self._said(call, spoken, acknowledged, is_json=is_json, answered=answer is not None)
                repaired = repaired or kept.tool_calls != spoken.tool_calls
                shown.append(kept)
                events += rows
            elif isinstance(message, ToolMessage):
                options: dict[str, Any] = {"before": answer, "after": clean, "repaired": repaired}
                shown.append(shown_acknowledgement(message, call.facts, **options))
            else:
                shown.append(message)
        return ModelResponse(result=shown, structured_response=clean), events

    def _said(
        self, call: _Call, message: AIMessage, structured: Collection[str], *, is_json: bool, answered: bool
    ) -> tuple[AIMessage, Events]:
        """One message of the model, verified; committed if it is the reply, or if it says that it was."""
        is_final = answered or not message.tool_calls
        options: dict[str, Any] = {"structured": structured, "is_json": is_json}
        spoken = shown_message(message, call.facts, written=call.written, **options)
        row: dict[str, Any] = {"given": _rows(call), "withheld": [dict(held) for held in call.given.withheld]}
        if call.person and (is_final or _claims_receipt(call, message.text)):
            turn_id = call.person.commit(call.turn, spoken.report, call.facts, author=call.author, is_final=is_final)
            row |= {"stored": bool(turn_id), "turn_id": turn_id or call.turn.turn_id}
            if not turn_id:
                spoken = shown_message(message, call.facts, written=call.saved, **options)
        spoken.message.response_metadata[REPORT_KEY] |= row
        part = "answer" if is_final else "aside"
        end: dict[str, Any] = {"type": "end", "part": part}
        end |= {key: row[key] for key in ("turn_id", "stored") if key in row}
        return spoken.message, [{"type": "text", "text": str(spoken.message.text)}, end]


@cache
def _router() -> Router:
    return Router.from_rules(load_config("router"))


def _is_light(text: str) -> bool:
    """Is this a greeting or thanks? Our own graph does not keep those either."""
    return _router().route(text).level == 0


def _wraps_model_calls(middleware: AgentMiddleware[Any, Any, Any]) -> bool:
    kind = type(middleware)
    return (
        kind.wrap_model_call is not AgentMiddleware.wrap_model_call
        or kind.awrap_model_call is not AgentMiddleware.awrap_model_call
    )


def _emit(request: ModelRequest[Any], events: Events, listener: Listener) -> None:
    """Write the events of a call; of its first text, what has not been released already."""
    write, released = request.runtime.stream_writer, listener.released if isinstance(listener, Releaser) else ""
    for event in events:
        if event["type"] == "text":
            if not event["text"].startswith(released):
                write({"type": "restart"})
                released = ""
            event, released = {**event, "text": event["text"].removeprefix(released)}, ""
        if event.get("text", True):
            write(event)


def _rows(call: _Call) -> list[dict[str, str]]:
    return [{"handle": item.handle, "source": item.source, "id": item.id} for item in call.facts.injected]


def _claims_receipt(call: _Call, text: str) -> bool:
    """Does a text say that something is stored? Then it must be, before the text leaves."""
    verifier = call.facts.verifier(call.written)
    verifier.feed(text)
    verifier.finish()
    return verifier.holding


def _prepared(request: ModelRequest[Any], given: GivenItems, lang: str) -> ModelRequest[Any]:
    """The request as the model gets it: memory in the user turn, no marker of ours in any other text."""
    at = last_human(request.messages)
    messages = [
        user_turn(message, given, lang) if place == at and isinstance(message, HumanMessage) else escaped(message)
        for place, message in enumerate(request.messages)
    ]
    changes: dict[str, Any] = {"model": quiet_model(request.model), "messages": messages}
    if given.lines:
        changes["system_message"] = _instructed(request.system_message, lang)
    return request.override(**changes)


def _instructed(system: SystemMessage | None, lang: str) -> SystemMessage:
    """The agent's own system message, with our fixed words behind it."""
    fixed = instructions("agent", lang)
    if system is None:
        return SystemMessage(fixed)
    if isinstance(system.content, str):
        return system.model_copy(update={"content": f"{system.content}\n\n{fixed}"})
    return system.model_copy(update={"content": [*system.content, {"type": "text", "text": fixed}]})
