"""What of a model's message may be shown, and in which form?

Text is verified as one, however many blocks it came in; arguments of tool calls pass untouched, because a tool needs
exactly them; a structured answer is text for a person and is verified field by field. Everything else that may hold
words - thinking, raw provider fields, token lists - is left out, since nobody verified it; only names and numbers
stay. A model that wants its thinking back in the next call must have it switched off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from pydantic import BaseModel, TypeAdapter, ValidationError

from rqa_graph.agent_facts import AgentFacts
from rqa_graph.errors import WithheldError
from rqa_nodes.echo import VerificationReport

__all__ = [
    "REPORT_KEY",
    "Spoken",
    "clean_metadata",
    "clean_value",
    "report_row",
    "shown_acknowledgement",
    "shown_message",
]

REPORT_KEY: Final = "rqa"
"""Where the report stands in a message's `response_metadata`, as in messages of our own graph."""

_CALL_BLOCKS: Final = frozenset({"tool_use", "server_tool_use", "tool_call", "server_tool_call", "function_call"})
_PASSING_BLOCKS: Final = frozenset({"image", "image_url", "file", "redacted_thinking"})
_TOOL_RESULT: Final = "_tool_result"
_NO_WORDS: Final = re.compile(r"[A-Za-z0-9_.:/@+=-]*")
"""An id, a name, a time: in it nothing is said to anybody."""
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
    calls = [
        {**call, "args": facts.verify_fields(call["args"])[0] or {}} if call["id"] in structured else call
        for call in message.tool_calls
    ]
    arguments = {str(call["id"]): call["args"] for call in calls if call["id"] in structured}
    content = message.content
    shown = AIMessage(
        content=text if isinstance(content, str) else _blocks(content, text, arguments),
        id=message.id,
        name=message.name,
        tool_calls=calls,
        invalid_tool_calls=message.invalid_tool_calls,
        usage_metadata=message.usage_metadata,
        additional_kwargs=clean_metadata(message.additional_kwargs),
        response_metadata={**clean_metadata(message.response_metadata), REPORT_KEY: report_row(report)},
    )
    return Spoken(message=shown, report=report)


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


def _blocks(content: Sequence[Any], text: str, arguments: dict[str, Any]) -> list[Any]:
    """The verified text in place of the first text block, and what passes as it is."""
    kept: list[Any] = []
    is_said = False
    for block in content:
        kind = "text" if isinstance(block, str) else str(block.get("type", ""))
        if kind == "text":
            if text and not is_said:
                own = {} if isinstance(block, str) else {key: block[key] for key in ("id", "index") if key in block}
                kept.append({"type": "text", "text": text, **own})
            is_said = True
        elif kind in _CALL_BLOCKS:
            kept.append(_call_block(block, arguments))
        elif kind in _PASSING_BLOCKS or kind.endswith(_TOOL_RESULT):
            kept.append(block)
    return kept


def _call_block(block: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    call = str(block.get("call_id") or block.get("id", ""))
    if call not in arguments:
        return block
    raw = json.dumps(arguments[call], ensure_ascii=False)
    forms = {"input": arguments[call], "args": arguments[call], "arguments": raw, "partial_json": raw}
    return {**block, **{key: value for key, value in forms.items() if key in block}}


def clean_metadata(values: dict[str, Any]) -> dict[str, Any]:
    """What of a provider's fields holds no words: numbers, and strings without a space; lists are left out."""
    kept: dict[str, Any] = {}
    for key, value in values.items():
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


def shown_acknowledgement(message: ToolMessage, *, before: Any, after: Any, repaired: bool) -> BaseMessage:
    """The tool message that an agent writes beside a structured answer: it repeats the answer, or the model's fault."""
    if before is not None and before is not after and isinstance(message.content, str):
        return message.model_copy(update={"content": message.content.replace(str(before), str(after))})
    if before is None and repaired:
        return message.model_copy(update={"content": _REFUSED_STRUCTURE})
    return message
