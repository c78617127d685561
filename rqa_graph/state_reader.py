"""In which form does each part of somebody else's state leave?

Messages leave verified, each against those before it, and keep the form in which they were first shown: a history does
not change when memory does. The outside fact: a state says nothing about who made a message. So a message is the
person's only if it came in with the input; what a node adds as "human" is the assistant's.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, Final, NamedTuple

from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    convert_to_messages,
)
from langgraph.types import Interrupt, Overwrite

from rqa_graph.agent_facts import AgentFacts
from rqa_graph.agent_messages import ARGUMENTS, clean_value, shown_label, shown_message
from rqa_graph.errors import WithheldError
from rqa_nodes.echo import Injected

__all__ = ["INTERRUPT", "Given", "Rules", "Shown", "StateReader"]

INTERRUPT: Final = "__interrupt__"
Given = Sequence[Injected] | Callable[[Mapping[str, Any]], Sequence[Injected]]

_KEPT_MESSAGES: Final = 4096
"""How many messages keep the form in which they were first shown; a longer history is verified anew."""


class Shown:
    """The form in which each message was first shown: a history does not change when memory does. Thread-safe."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, BaseMessage] = OrderedDict()
        self._made: OrderedDict[str, None] = OrderedDict()
        self._lock = Lock()

    def get(self, mark: str) -> BaseMessage | None:
        """The form in which a message was shown, if it is still kept."""
        with self._lock:
            return self._kept.get(mark)

    def keep(self, mark: str, message: BaseMessage) -> None:
        """Remember the form."""
        with self._lock:
            self._kept[mark] = message
            while len(self._kept) > _KEPT_MESSAGES:
                self._kept.popitem(last=False)

    def made(self, name: str) -> None:
        """A node wrote this as if a person had said it."""
        with self._lock:
            self._made[name] = None
            while len(self._made) > _KEPT_MESSAGES:
                self._made.popitem(last=False)

    def is_made(self, name: str) -> bool:
        """Did a node write this?"""
        with self._lock:
            return name in self._made


class _Line(NamedTuple):
    """A message as it is shown, and whether the graph made it."""

    message: BaseMessage
    is_made: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a graph's state is read."""

    given: Given
    external: frozenset[str]
    messages_key: str
    shown: Shown = field(default_factory=Shown)
    """What all runs of one graph have shown."""


class StateReader:
    """Reads the parts of one run in order, and knows the messages so far as they were shown."""

    def __init__(self, rules: Rules, modes: frozenset[str]) -> None:
        self._rules = rules
        self._shown = rules.shown
        self._modes = modes
        self._state: Mapping[str, Any] = {}
        self._lines: list[_Line] = []
        self._persons: set[str] | None = None
        """Names of the messages that came in; None before the first state of the run."""

    def take(self, part: tuple[str, Any]) -> Iterator[tuple[str, Any]]:
        """What of a part (mode, data) of the inner stream leaves, by mode."""
        mode, data = part
        if mode == "values":
            clean = self._values(data)
            if "values" in self._modes:
                yield "values", clean
            return
        clean = {node: self._update(node, update) for node, update in data.items()}
        if "messages" in self._modes:
            for node, update in clean.items():
                for message in self._new_messages(update):
                    yield "messages", (message, {"langgraph_node": node})
        if "updates" in self._modes:
            yield "updates", clean

    def _new_messages(self, update: Any) -> list[BaseMessage]:
        updates = update if isinstance(update, list) else [update]
        found = [one.get(self._rules.messages_key) for one in updates if isinstance(one, dict)]
        return [m for value in found if isinstance(value, list) for m in value if isinstance(m, BaseMessage)]

    def _values(self, data: Any) -> Any:
        if not isinstance(data, dict):
            return self._value(data)
        self._state = data
        key = self._rules.messages_key
        if key in data:
            messages = convert_to_messages(data[key])
            self._look_who(messages)
            self._lines = self._listed(messages)
        return {
            name: [line.message for line in self._lines] if name == key else self._named(name, value)
            for name, value in data.items()
        }

    def _look_who(self, messages: Sequence[BaseMessage]) -> None:
        """A person's or system message is one of the first state of a run; a later one was made by the graph."""
        names = {_name(m, place) for place, m in enumerate(messages) if isinstance(m, HumanMessage | SystemMessage)}
        if self._persons is None:
            self._persons = {name for name in names if not self._shown.is_made(name)}
        for name in names - self._persons:
            self._shown.made(name)

    def _update(self, node: str, update: Any) -> Any:
        if node == INTERRUPT:
            return tuple(self._interrupt(one) for one in update)
        if isinstance(update, list | tuple):
            return [self._update(node, one) for one in update]
        if not isinstance(update, dict):
            return self._value(update)
        return {name: self._in_update(name, value) for name, value in update.items()}

    def _in_update(self, name: str, value: Any) -> Any:
        if name != self._rules.messages_key:
            return self._named(name, value)
        if isinstance(value, Overwrite):
            return Overwrite(self._in_update(name, value.value))
        messages = convert_to_messages(value if isinstance(value, list) else [value])
        return [line.message for line in self._listed(messages, self._lines)][len(self._lines) :]

    def _named(self, name: str, value: Any) -> Any:
        if name == INTERRUPT:
            return [self._interrupt(one) for one in value]
        return value if name in self._rules.external else self._value(value)

    def _listed(self, messages: Sequence[BaseMessage], before: Sequence[_Line] | None = None) -> list[_Line]:
        """Messages in their verified form, each against those before it.

        For an update, `before` are the lines that it comes after; they then stand before its own.
        """
        lines = list(before or ())
        for message in messages:
            is_made = self._is_made(message, len(lines), in_update=before is not None)
            lines.append(_Line(self._message(message, lines) if is_made else message, is_made))
        return lines

    def _is_made(self, message: BaseMessage, place: int, *, in_update: bool) -> bool:
        if not isinstance(message, HumanMessage | SystemMessage):
            return isinstance(message, AIMessage | ChatMessage)
        if in_update:
            return not message.id or message.id not in (self._persons or ())
        return self._shown.is_made(_name(message, place))

    def _message(self, message: BaseMessage, before: Sequence[_Line]) -> BaseMessage:
        mark = _mark(message)
        kept = self._shown.get(mark)
        if kept is None:
            kept = self._verified(message, self._facts(before))
            self._shown.keep(mark, kept)
            self._shown.keep(_mark(kept), kept)
        return kept

    def _verified(self, message: BaseMessage, facts: AgentFacts) -> BaseMessage:
        if isinstance(message, AIMessage):
            return shown_message(message, facts).message
        said = shown_message(AIMessage(message.content, id=message.id, name=message.name), facts).message
        changes = {"content": said.content, "id": said.id, "name": said.name}
        if isinstance(message, ChatMessage):
            changes["role"] = shown_label(message.role, facts) or "assistant"
        return message.model_copy(update={**changes, "additional_kwargs": {}, "response_metadata": {}})

    def _facts(self, before: Sequence[_Line]) -> AgentFacts:
        given = self._rules.given
        items = [*(given(self._state) if callable(given) else given), *self._documents()]
        forged = [at for at, line in enumerate(before) if line.is_made]
        return AgentFacts.of([line.message for line in before], given=items, forged=forged)

    def _documents(self) -> list[Injected]:
        """Texts of the state that are external, with their keys or sources as locators."""
        found: list[tuple[str, str]] = []
        for name, value in self._state.items():
            for one in value if isinstance(value, list | tuple) else [value]:
                if isinstance(one, Document):
                    found.append((str(one.metadata.get("source") or name), one.page_content))
                elif isinstance(one, str) and name in self._rules.external:
                    found.append((name, one))
        return [
            Injected(handle="", source="external", text=text, id=f"{locator}#{number}", author=locator)
            for number, (locator, text) in enumerate(found)
        ]

    def _interrupt(self, interrupt: Any) -> Any:
        if not isinstance(interrupt, Interrupt):
            return self._value(interrupt)
        return replace(interrupt, value=self._value(interrupt.value))

    def _value(self, value: Any) -> Any:
        """Any value of the state: messages as messages, arguments of calls as they are, all other strings verified."""
        if isinstance(value, BaseMessage):
            is_made = isinstance(value, AIMessage | ChatMessage)
            return self._message(value, self._before_reply()) if is_made else value
        if isinstance(value, Document):
            return value
        if not _is_plain(value):
            if isinstance(value, dict):
                return {key: one if key in ARGUMENTS else self._value(one) for key, one in value.items()}
            if isinstance(value, list | tuple):
                return [self._value(one) for one in value]
            if isinstance(value, set | frozenset):
                return type(value)(self._value(one) for one in value)
        facts = self._facts(self._before_reply())
        clean = clean_value(value, facts)
        return _readable(value, facts) if clean is value and not _is_plain(value) else clean

    def _before_reply(self) -> list[_Line]:
        """The messages without what the graph has said in answer to the last one: a draft is no earlier suggestion."""
        at = max((at for at, line in enumerate(self._lines) if _is_person(line)), default=-1)
        return [*self._lines[: at + 1], *(line for line in self._lines[at + 1 :] if not line.is_made)]


def _readable(value: Any, facts: AgentFacts) -> Any:
    """An object that is no JSON, if nothing that it prints would have to be taken out.

    Raises:
        WithheldError: It would, and cannot be repaired.
    """
    printed = value.decode("utf-8", "replace") if isinstance(value, bytes) else f"{value!r} {value}"
    if not facts.verify(printed).altered:
        return value
    raise WithheldError(
        f"a value of type {type(value).__name__} in the state holds claims that cannot be taken out of it",
        hint="Keep text in strings, mappings, lists, messages, pydantic models or dataclasses.",
    )


def _is_person(line: _Line) -> bool:
    return isinstance(line.message, HumanMessage) and not line.is_made


def _name(message: BaseMessage, place: int) -> str:
    """What a person's message is known by: its id, or where it stands."""
    return message.id or f"{place}:{message.text}"


def _is_plain(value: Any) -> bool:
    """Is this JSON without arguments of calls, to be verified as one?"""
    if isinstance(value, dict):
        return ARGUMENTS.isdisjoint(value) and all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, str | int | float)


def _mark(message: BaseMessage) -> str:
    """What a message is known by: its id and everything that it says."""
    words = f"{message.id}\0{message.type}\0{message.content!r}\0{getattr(message, 'tool_calls', '')!r}"
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
