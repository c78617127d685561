"""What does another memory's dump hold, and who said it?

Exports of ours, dumps of mem0, LangGraph stores (LangMem among them), Qdrant scrolls, ChatGPT exports and plain JSON
lines become one kind of row. A class is taken over only where the dump itself says who spoke; a text that nobody
vouches for is "unknown", and nothing here ever turns it into the user's.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args

from rqa_checkpoints.transfer import EXPORT_SCHEMA
from rqa_graph.errors import RowError

__all__ = ["FORMATS", "DumpFormat", "DumpRow", "detect_format", "parse_dump", "read_dump"]

DumpFormat = Literal["rqa", "mem0", "langgraph", "qdrant", "chatgpt", "jsonl"]
FORMATS: Final[tuple[str, ...]] = get_args(DumpFormat)

_TEXT_FIELDS: Final = ("text", "memory", "content", "page_content", "data", "document", "value")
_SPEAKER_FIELDS: Final = ("source", "role", "actor", "speaker")
_SPEAKERS: Final[Mapping[str, str]] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "agent": "assistant",
    "model": "assistant",
    "tool": "external",
    "external": "external",
    "document": "external",
    "system": "system",
}
"""What other systems call a speaker, and the class it stands for."""
_DATE_FIELDS: Final = ("recorded_at", "created_at", "updated_at", "date", "create_time", "timestamp")


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpRow:
    """One remembered text of a dump."""

    text: str
    source: str
    """"user", "assistant", "external", "system" or, where the dump does not say, "unknown"."""
    id: str
    author: str
    date: str
    """ISO 8601, or "" where the dump has none."""
    thread: str
    """Conversation that it stands in; "" outside one."""


def detect_format(value: Any) -> DumpFormat:
    """Tell the format of a parsed dump by its shape; rows of no known shape are plain JSON lines."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, Mapping):
        return "jsonl"
    checks: tuple[tuple[DumpFormat, bool], ...] = (
        ("rqa", first.get("schema") == EXPORT_SCHEMA),
        ("chatgpt", "mapping" in first),
        ("qdrant", "payload" in first or "points" in first or "points" in _inside(first, "result")),
        ("langgraph", "namespace" in first and "key" in first),
        ("mem0", "memory" in first or "results" in first),
    )
    return next((name for name, holds in checks if holds), "jsonl")


def read_dump(text: str, kind: str = "", *, place: str = "-") -> tuple[str, list[DumpRow]]:
    """Read a dump.

    Args:
        text: JSON, or one JSON object a line.
        kind: One of `FORMATS`; "" looks at the shape.
        place: Where the text comes from, for messages.

    Returns:
        The format, and the rows that hold words.

    Raises:
        RowError: The text is neither JSON nor JSON lines.
    """
    value = parse_dump(text, place)
    name = kind or detect_format(value)
    return name, [row for row in _READERS[name](value) if row.text.strip()]


def parse_dump(text: str, place: str = "-") -> Any:
    """The JSON value, or the values of a text with one a line. Raises RowError."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return [_line(line, number, place) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _line(line: str, number: int, place: str) -> Any:
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        fields = "text, source?, id?, date?"
        raise RowError("row.invalid", line=number, path=place, reason=error, fields=fields) from error


def _inside(value: Any, name: str) -> Any:
    part = value.get(name) if isinstance(value, Mapping) else None
    return part if isinstance(part, Mapping | list) else {}


def _rows(value: Any, *wrappers: str) -> list[Any]:
    """The list of rows, whatever it is wrapped in."""
    for wrapper in wrappers:
        if isinstance(value, Mapping) and wrapper in value:
            value = value[wrapper]
    return value if isinstance(value, list) else [value]


def _first_text(value: Any, names: Iterable[str] = _TEXT_FIELDS) -> str:
    """The first field that holds words; a field that holds a mapping is looked into."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        return ""
    for name in names:
        if found := _first_text(value.get(name), names):
            return found
    return ""


def _row(value: Any, *, text: str, near: Iterable[Any] = (), thread: str = "") -> DumpRow:
    places = [place for place in (value, *near) if isinstance(place, Mapping)]

    def field(names: Iterable[str]) -> str:
        found = (place.get(name) for name in names for place in places)
        return next((str(one) for one in found if isinstance(one, str | int | float) and str(one).strip()), "")

    speaker = field(_SPEAKER_FIELDS).casefold()
    return DumpRow(
        text=text,
        source=_SPEAKERS.get(speaker.split(":", 1)[0], "unknown"),
        id=field(("id", "key", "handle")),
        author=field(("author", "agent_id", "user_id", "name")),
        date=_date(field(_DATE_FIELDS)),
        thread=thread or field(("thread", "thread_id", "run_id", "conversation_id")),
    )


def _date(value: str) -> str:
    try:
        return datetime.fromtimestamp(float(value), UTC).isoformat(timespec="seconds") if value else ""
    except (ValueError, OverflowError, OSError):
        return value


def _mem0(value: Any) -> Iterator[DumpRow]:
    for row in _rows(value, "results", "memories"):
        yield _row(row, text=_first_text(row), near=[_inside(row, "metadata")])


def _langgraph(value: Any) -> Iterator[DumpRow]:
    for row in _rows(value, "items"):
        inner = _inside(row, "value")
        namespace = row.get("namespace") if isinstance(row, Mapping) else None
        thread = "/".join(map(str, namespace)) if isinstance(namespace, list) else ""
        yield _row(row, text=_first_text(inner), near=[inner], thread=thread)


def _qdrant(value: Any) -> Iterator[DumpRow]:
    for row in _rows(value, "result", "points"):
        payload = _inside(row, "payload")
        yield _row(row, text=_first_text(payload), near=[payload, _inside(payload, "metadata")])


def _chatgpt(value: Any) -> Iterator[DumpRow]:
    for number, conversation in enumerate(_rows(value)):
        mapping = _inside(conversation, "mapping")
        thread = _first_text(conversation, ("id", "conversation_id", "title")) or str(number)
        nodes = mapping.values() if isinstance(mapping, Mapping) else ()
        for message in (_inside(node, "message") for node in nodes):
            parts = _inside(_inside(message, "content"), "parts")
            text = "\n".join(part for part in parts if isinstance(part, str)) if isinstance(parts, list) else ""
            yield _row(message, text=text, near=[_inside(message, "author")], thread=thread)


def _jsonl(value: Any) -> Iterator[DumpRow]:
    for row in _rows(value, "items", "rows"):
        yield _row(row, text=_first_text(row))


def _rqa(value: Any) -> Iterator[DumpRow]:
    for row in _rows(value):
        if isinstance(row, Mapping) and row.get("type") == "item":
            yield _row(row, text=_first_text(row))


_READERS: Final[Mapping[str, Callable[[Any], Iterator[DumpRow]]]] = {
    "rqa": _rqa,
    "mem0": _mem0,
    "langgraph": _langgraph,
    "qdrant": _qdrant,
    "chatgpt": _chatgpt,
    "jsonl": _jsonl,
}
