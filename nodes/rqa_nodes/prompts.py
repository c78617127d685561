"""What does a model read, and which part of it is data?

`render` writes the parts as one system message (fixed instructions only) and one human message (everything else, in
marked blocks), and `read` is its exact inverse, so that the built-in engine works on the same bytes as a model server.
Invariants: no remembered, retrieved or user text is ever in a system message; no text can open or close a block,
because markers inside it are escaped, reversibly. Lone surrogates are escaped too: they cannot be sent as UTF-8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast, get_args

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from rqa_checkpoints.provenance import SourceClass, Stance, answered_phrase, speaker_phrase
from rqa_nodes.errors import PromptFormatError
from rqa_nodes.injection import filter_injection
from rqa_nodes.prompt_parts import DocumentPart, MemoryLine, PromptParts, Task, TranscriptLine
from rqa_nodes.prompt_texts import instructions
from rqa_nodes.reflect.rubric import rubric_text

__all__ = ["escape", "filter_injection", "input_block", "memory_block", "read", "render", "unescape"]

_NAMES: Final = ("memory_context", "document", "transcript", "tools", "notes", "feedback", "input", "rqa", "surrogate")
_FIELD: Final = r'(?:[\w.@+/-]++(?::[\w.@+/-]++)*+|"(?:[^"\\]|\\.)*+")'
"""A value in a header: bare where it is harmless, else a JSON string. `re` backtracks nowhere in it."""


def _any_width(word: str) -> str:
    return "".join(f"[{c}{chr(ord(c) + 0xFEE0)}]" if c.isalpha() else f"[{c}＿]" for c in word)


_BLANK: Final = r"[\s\u200b-\u200f\u2060\ufeff]*+"
_LOOKALIKE: Final = rf"[\[［]\\*+(?={_BLANK}[/／]?+{_BLANK}(?:{'|'.join(map(_any_width, _NAMES))})(?!\w))"
"""The opening of what a model may take for one of our markers, in any width, case or spacing."""
_TO_ESCAPE: Final = re.compile(rf"[\ud800-\udfff]|{_LOOKALIKE}", re.IGNORECASE)
_ESCAPED: Final = re.compile(rf"\[surrogate ([0-9a-f]{{4}})\]|{_LOOKALIKE}", re.IGNORECASE)

_HEADER: Final = re.compile(rf"\[rqa task=({_FIELD}) lang=({_FIELD}) k=(-?\d+)(?: list=({_FIELD}))?\]")
_DOCUMENT: Final = re.compile(rf"\[document ({_FIELD})\]")
_MEMORY_ITEM: Final = re.compile(rf"\[m:({_FIELD})\] \(((?:\w+={_FIELD} ?)*+)\) ", re.DOTALL)
_PAIR: Final = re.compile(rf"(\w+)=({_FIELD})", re.DOTALL)
_TRANSCRIPT_ITEM: Final = re.compile(rf"({_FIELD}): ", re.DOTALL)


def escape(text: str) -> str:
    """Make a text unable to open or close a block: one backslash after the bracket of anything like a marker."""
    return _TO_ESCAPE.sub(_escape_one, text)


def unescape(text: str) -> str:
    """The exact inverse of `escape`."""
    return _ESCAPED.sub(_unescape_one, text)


def _escape_one(match: re.Match[str]) -> str:
    found = match.group()
    if found[0] in "[［":
        return found + "\\"
    return f"[surrogate {ord(found):04x}]"


def _unescape_one(match: re.Match[str]) -> str:
    if match.group(1):
        return chr(int(match.group(1), 16))
    return match.group().removesuffix("\\")


def render(parts: PromptParts) -> list[BaseMessage]:
    """Write the parts as messages.

    Returns:
        A system message with our fixed instructions for the task and language, and a human message with the data:
        a header line, then the blocks memory_context, document (one each), transcript, tools, notes and feedback where
        there are any, and input last. `MemoryLine.id` is written only where it is set: leave it out to save tokens,
        since the handle is what a reply cites.
    """
    system = rubric_text() if parts.task == "evaluate" else instructions(parts.task, parts.lang)
    return [SystemMessage(content=system), HumanMessage(content="\n".join(_blocks(parts)))]


def memory_block(memory: Sequence[MemoryLine], lang: str) -> str:
    """The data block of remembered items alone, for a prompt that somebody else writes; "" for none."""
    return _block("memory_context", _items(_memory_item(line, lang) for line in memory)) if memory else ""


def input_block(text: str) -> str:
    """The user's own words as a block, so that nothing in them reads as one of ours."""
    return _block("input", text)


def _blocks(parts: PromptParts) -> Iterable[str]:
    listing = f" list={escape(_field(parts.listing))}" if parts.listing else ""
    yield f"[rqa task={_field(parts.task)} lang={_field(parts.lang)} k={parts.candidates}{listing}]"
    if parts.memory:
        yield memory_block(parts.memory, parts.lang)
    for document in parts.documents:
        yield f"[document {escape(_field(document.locator))}]\n{escape(document.text)}\n[/document]"
    if parts.transcript:
        yield _block("transcript", _items(f"{_field(line.role)}: {line.text}" for line in parts.transcript))
    if parts.tools:
        yield _block("tools", _items(parts.tools))
    if parts.notes:
        yield _block("notes", _items(parts.notes))
    if parts.feedback:
        yield _block("feedback", parts.feedback)
    yield input_block(parts.user_text)


def _block(name: str, body: str) -> str:
    return f"[{name}]\n{escape(body)}\n[/{name}]"


def _items(items: Iterable[str]) -> str:
    return "\n".join("- " + item.replace("\n", "\n  ") for item in items)


def _memory_item(line: MemoryLine, lang: str) -> str:
    fields = {
        "source": line.source.value,
        "kind": line.kind,
        "date": line.date,
        "time": line.time,
        "status": line.status,
        "author": line.author,
        "locator": line.locator,
        "listed": "yes" if line.listed else "",
        "confirmed": line.confirmed,
        "denied": line.denied,
        "confirms": ",".join(line.confirms),
        "denies": ",".join(line.denies),
        "superseded_by": line.superseded_by,
        "id": line.id,
    }
    header = " ".join(f"{name}={_field(value)}" for name, value in fields.items() if value)
    return f"[m:{_field(line.handle)}] ({header}) {_phrase(fields, lang)}: {line.text}"


def _phrase(fields: Mapping[str, str], lang: str) -> str:
    for stance in Stance:
        if fields["source"] == SourceClass.assistant and (date := fields.get(stance.value)):
            return answered_phrase(stance, lang, date=date)
    return speaker_phrase(
        SourceClass(fields["source"]), lang, author=fields.get("author", ""), locator=fields.get("locator", "")
    )


def _field(value: str) -> str:
    return value if re.fullmatch(_FIELD, value) and value[0] != '"' else json.dumps(value, ensure_ascii=False)


def _value(field: str) -> str:
    return cast("str", json.loads(field)) if field.startswith('"') else field


def read(messages: Sequence[BaseMessage]) -> PromptParts:
    """Read the parts back from rendered messages: `read(render(parts)) == parts`.

    Raises:
        PromptFormatError: the last message was not made by `render`.
    """
    content = messages[-1].content if messages else ""
    lines = content.split("\n") if isinstance(content, str) else []
    header = _HEADER.fullmatch(lines[0]) if lines else None
    if not header or _value(header[1]) not in get_args(Task):
        raise PromptFormatError(
            f"not a rendered prompt: {str(content)[:60]!r}; expected a first line `[rqa task=... lang=... k=...]`",
            hint="Build the messages with `render(PromptParts(...))`.",
        )
    lang = _value(header[2])
    blocks = list(_read_blocks(lines[1:]))
    return PromptParts(
        task=cast("Task", _value(header[1])),
        lang=lang,
        user_text=_only(blocks, "input"),
        memory=tuple(_read_memory(item, lang) for item in _read_items(_only(blocks, "memory_context"))),
        documents=tuple(
            DocumentPart(locator=_value(unescape(name[1])), text=body)
            for marker, body in blocks
            if (name := _DOCUMENT.fullmatch(marker))
        ),
        transcript=tuple(_read_spoken(item) for item in _read_items(_only(blocks, "transcript"))),
        candidates=int(header[3]),
        listing=_value(unescape(header[4] or "")),
        tools=tuple(_read_items(_only(blocks, "tools"))),
        notes=tuple(_read_items(_only(blocks, "notes"))),
        feedback=_only(blocks, "feedback"),
    )


def _read_blocks(lines: Sequence[str]) -> Iterable[tuple[str, str]]:
    start = 0
    while start < len(lines):
        marker = lines[start]
        name = marker[1:-1].split(" ", 1)[0]
        if f"[/{name}]" not in lines[start:]:
            raise PromptFormatError(f"the block {marker[:60]!r} is not closed; expected a line `[/{name}]`")
        end = lines.index(f"[/{name}]", start)
        yield marker, unescape("\n".join(lines[start + 1 : end]))
        start = end + 1


def _only(blocks: Sequence[tuple[str, str]], name: str) -> str:
    return next((body for marker, body in blocks if marker == f"[{name}]"), "")


def _read_items(body: str) -> list[str]:
    return [item.replace("\n  ", "\n") for item in body.removeprefix("- ").split("\n- ")] if body else []


def _read_memory(item: str, lang: str) -> MemoryLine:
    header = _MEMORY_ITEM.match(item)
    if not header:
        raise PromptFormatError(f"not a memory line: {item[:60]!r}; expected `[m:handle] (source=... ...) ...`")
    fields = {name: _value(value) for name, value in _PAIR.findall(header[2])}
    return MemoryLine(
        handle=_value(header[1]),
        source=SourceClass(fields["source"]),
        text=item[header.end() + len(_phrase(fields, lang)) + len(": ") :],
        id=fields.get("id", ""),
        author=fields.get("author", ""),
        date=fields.get("date", ""),
        time=fields.get("time", ""),
        kind=fields.get("kind", ""),
        status=fields.get("status", ""),
        locator=fields.get("locator", ""),
        listed="listed" in fields,
        confirmed=fields.get("confirmed", ""),
        denied=fields.get("denied", ""),
        confirms=tuple(filter(None, fields.get("confirms", "").split(","))),
        denies=tuple(filter(None, fields.get("denies", "").split(","))),
        superseded_by=fields.get("superseded_by", ""),
    )


def _read_spoken(item: str) -> TranscriptLine:
    header = _TRANSCRIPT_ITEM.match(item)
    if not header:
        raise PromptFormatError(f"not a transcript line: {item[:60]!r}; expected `role: text`")
    return TranscriptLine(role=_value(header[1]), text=item[header.end() :])
