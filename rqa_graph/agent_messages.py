"""What of a model's message may be shown, and in which form?

Text is verified as one, however many blocks it came in; arguments of tool calls pass untouched, because a tool needs
exactly them; a structured answer is text for a person and is verified field by field, and so are pictures and files.
Everything else that may hold words - thinking, raw provider fields, token lists, calls that could not be parsed - is
left out, since nobody verified it; names, ids and numbers stay as far as nothing is said in them. A model that wants
its thinking back in the next call must have it switched off.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall, RemoveMessage, ToolCall, ToolMessage
from langgraph.errors import GraphInterrupt
from langgraph.types import Interrupt
from pydantic import BaseModel, TypeAdapter, ValidationError

from rqa_graph.agent_facts import AgentFacts
from rqa_graph.errors import WithheldError
from rqa_nodes.echo import VerificationReport

__all__ = [
    "ARGUMENTS",
    "REPORT_KEY",
    "Spoken",
    "as_spoken",
    "clean_asked",
    "clean_interrupt",
    "clean_metadata",
    "clean_value",
    "report_row",
    "shown_acknowledgement",
    "shown_id",
    "shown_label",
    "shown_message",
]

REPORT_KEY: Final = "rqa"
"""Where the report stands in a message's `response_metadata`, as in messages of our own graph."""

ARGUMENTS: Final = frozenset({"args", "arguments"})
"""What a person approves must be shown exactly."""

_CALL_BLOCKS: Final = frozenset({"tool_use", "server_tool_use", "tool_call", "server_tool_call", "function_call"})
_PASSING_BLOCKS: Final = frozenset({"image", "image_url", "file", "redacted_thinking"})
_CALL_KEYS: Final = frozenset({"type", "id", "call_id", "name", "input", "args", "arguments", "partial_json", "index"})
_TOOL_RESULT: Final = "_tool_result"
_LONGEST_LABEL: Final = 80
_DATA: Final = re.compile(r"[!-Z\\^-~]*")
"""An address or encoded bytes: no space, no bracket, no other script."""
_NO_WORDS: Final = re.compile(r"[A-Za-z0-9_.:/@+=-]*")
"""An id, a name, a time: in it nothing is said to anybody."""
_NAMELESS_TOOL: Final = "unknown_tool"
_REFUSED_STRUCTURE: Final = "Error: the arguments do not fit the schema. Please fix your mistakes."


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A message as it may be shown, and what the check found."""

    message: AIMessage
    report: VerificationReport


def shown_message(
    message: AIMessage,
    facts: AgentFacts,
    *,
    written: Sequence[str] | bool = False,
    structured: Collection[str] = (),
    is_json: bool = False,
) -> Spoken:
    """The verified form of a message.

    Args:
        message: As the model said it.
        facts: What the model was given.
        written: What was stored this turn, for receipts.
        structured: Ids of tool calls that are a structured answer: their arguments are verified too.
        is_json: The text is a structured answer in JSON: its fields are verified one by one.
    """
    text, report = _checked_text(message.text, facts, written, is_json=is_json)
    calls = [_call(call, facts, is_answer=call["id"] in structured) for call in message.tool_calls]
    arguments = {str(call["id"]): call["args"] for call in message.tool_calls if call["id"] in structured}
    verified = {call: facts.verify_fields(args)[0] or {} for call, args in arguments.items()}
    content = message.content
    shown = AIMessage(
        content=text if isinstance(content, str) else _blocks(content, text, verified, facts),
        id=shown_id(message.id),
        name=shown_label(message.name, facts),
        tool_calls=calls,
        invalid_tool_calls=[_unparsed(call, facts) for call in message.invalid_tool_calls],
        usage_metadata=message.usage_metadata,
        additional_kwargs=clean_metadata(message.additional_kwargs),
        response_metadata={**clean_metadata(message.response_metadata), REPORT_KEY: report_row(report)},
    )
    return Spoken(message=shown, report=report)


def as_spoken(message: BaseMessage) -> AIMessage | None:
    """Any message that a model call returned, as the model's own; None for what says nothing or is a tool's."""
    if isinstance(message, ToolMessage | RemoveMessage):
        return None
    return message if isinstance(message, AIMessage) else AIMessage(message.content, id=message.id, name=message.name)


def shown_id(value: str | None) -> str | None:
    """An id in which nothing is said: itself, or a digest of it."""
    if value is None or _is_name(value):
        return value
    return f"id_{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def shown_label(value: str | None, facts: AgentFacts) -> str | None:
    """The name of a speaker or a tool: itself if it is short and claims nothing."""
    if value is None or _is_name(value):
        return value
    return value if len(value) <= _LONGEST_LABEL and not facts.verify(value).altered else None


def _call(call: ToolCall, facts: AgentFacts, *, is_answer: bool) -> ToolCall:
    """A call whose arguments are a tool's, and pass, or a structured answer, and do not."""
    args = (facts.verify_fields(call["args"])[0] or {}) if is_answer else call["args"]
    name = shown_label(call["name"], facts) or _NAMELESS_TOOL
    return ToolCall(name=name, args=args, id=shown_id(call["id"]), type="tool_call")


def _unparsed(call: InvalidToolCall, facts: AgentFacts) -> InvalidToolCall:
    """A call that no tool will get: what it was called, and nothing of its words."""
    name, own = shown_label(call["name"], facts), shown_id(call["id"])
    return InvalidToolCall(type="invalid_tool_call", name=name, id=own, args=None, error=None)


def _checked_text(
    text: str, facts: AgentFacts, written: Sequence[str] | bool, *, is_json: bool
) -> tuple[str, VerificationReport]:
    if not is_json:
        report = facts.verify(text, written)
        return report.text, report
    clean, report = facts.verify_fields(json.loads(text))
    return (json.dumps(clean, ensure_ascii=False) if report.altered else text), report


def report_row(report: VerificationReport) -> dict[str, Any]:
    """A report for a message's metadata: kinds, spans, references and hashes; the text stands beside it."""
    return {key: value for key, value in report.to_dict().items() if key != "text"}


def _blocks(content: Sequence[Any], text: str, arguments: dict[str, Any], facts: AgentFacts) -> list[Any]:
    """The verified text in place of the first text block, and what passes."""
    kept: list[Any] = []
    is_said = False
    for block in content:
        kind = "text" if isinstance(block, str) else str(block.get("type", ""))
        if kind == "text":
            if text and not is_said:
                kept.append({"type": "text", "text": text, **_place(block)})
            is_said = True
        elif kind in _CALL_BLOCKS:
            kept.append(_call_block(block, arguments, facts))
        elif kind in _PASSING_BLOCKS:
            kept.append(_media(block, facts))
        elif kind.endswith(_TOOL_RESULT):
            kept.append(block)
    return kept


def _place(block: Any) -> dict[str, Any]:
    """Where a text block stands."""
    own = {} if isinstance(block, str) else {key: block[key] for key in ("id", "index") if key in block}
    return {key: shown_id(value) if isinstance(value, str) else value for key, value in own.items()}


def _media(value: Any, facts: AgentFacts) -> Any:
    """A picture or a file: addresses and encoded bytes pass, every other string is verified."""
    if isinstance(value, dict):
        return {key: _media(one, facts) for key, one in value.items() if _is_name(key)}
    if isinstance(value, list):
        return [_media(one, facts) for one in value]
    return facts.verify(value).text if isinstance(value, str) and not _DATA.fullmatch(value) else value


def _call_block(block: dict[str, Any], arguments: dict[str, Any], facts: AgentFacts) -> dict[str, Any]:
    call = str(block.get("call_id") or block.get("id", ""))
    kept = {key: value for key, value in block.items() if key in _CALL_KEYS}
    kept |= {key: shown_id(str(kept[key])) for key in ("id", "call_id") if key in kept}
    if "name" in kept:
        kept["name"] = shown_label(str(kept["name"]), facts) or _NAMELESS_TOOL
    if call not in arguments:
        return kept
    raw = json.dumps(arguments[call], ensure_ascii=False)
    forms = {"input": arguments[call], "args": arguments[call], "arguments": raw, "partial_json": raw}
    return {**kept, **{key: value for key, value in forms.items() if key in block}}


def clean_metadata(values: dict[str, Any]) -> dict[str, Any]:
    """What of a provider's fields holds no words: numbers, and strings without a space; lists are left out."""
    kept: dict[str, Any] = {}
    for key, value in values.items():
        if not _is_name(key):
            continue
        if isinstance(value, dict):
            kept[key] = clean_metadata(value)
        elif value is None or isinstance(value, int | float) or _is_name(value):
            kept[key] = value
    return kept


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and _NO_WORDS.fullmatch(value) is not None


def clean_value(value: Any, facts: AgentFacts) -> Any:
    """The verified form of a structured answer, of the same type; what needed no repair is returned itself.

    Raises:
        WithheldError: Without its unverified parts it is no valid value of its type any more.
    """
    data = _plain(value)
    if data is None:
        return value
    clean, report = facts.verify_fields(data)
    if not report.altered:
        return value
    try:
        if isinstance(value, BaseModel):
            return type(value).model_validate(clean, by_alias=True, by_name=True)
        if is_dataclass(value):
            return TypeAdapter(type(value)).validate_python(clean)
    except ValidationError:
        clean = None
    if clean is None:
        raise WithheldError(
            f"a structured answer of type {type(value).__name__} holds claims that cannot be shown, "
            "and without them it is not valid",
            hint="Make the fields that claim something about memory optional.",
        )
    return clean


def _plain(value: Any) -> Any:
    """A value as mappings, lists and strings; None for what has no such form."""
    if isinstance(value, BaseModel):
        return value.model_dump()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value if isinstance(value, dict | list | tuple | str) else None


def shown_acknowledgement(
    message: ToolMessage, facts: AgentFacts, *, before: Any, after: Any, repaired: bool
) -> BaseMessage:
    """The tool message that an agent writes beside a structured answer: it repeats the answer, or the model's fault."""
    content = message.content
    if before is None and repaired:
        content = _REFUSED_STRUCTURE
    elif isinstance(content, str):
        content = content if before is after else content.replace(str(before), str(after))
        content = facts.verify(content).text
    return message.model_copy(update={"content": content, "tool_call_id": shown_id(message.tool_call_id)})


def clean_interrupt(stop: GraphInterrupt, facts: AgentFacts) -> GraphInterrupt:
    """What a person is asked in the middle of a model call: verified, but for the arguments of calls."""
    asked = stop.args[0] if stop.args else ()
    return GraphInterrupt(
        [replace(one, value=clean_asked(one.value, facts)) for one in asked if isinstance(one, Interrupt)]
    )


def clean_asked(value: Any, facts: AgentFacts) -> Any:
    """The verified form of what a person is asked; the arguments of a call are shown exactly."""
    if isinstance(value, dict):
        return {key: one if key in ARGUMENTS else clean_asked(one, facts) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [clean_asked(one, facts) for one in value]
    return clean_value(value, facts)
