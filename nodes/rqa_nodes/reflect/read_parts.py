"""What is a round's analysis made over: the texts themselves, or the notes of their parts?

The texts, wherever they fit into the model's context beside the rest of the prompt. Else each part is read by one
completion, in order, until the share of the time that reading may take is over; the notes are put away as a blob, so
that later rounds read nothing twice. Code counts the parts; no model output can add one.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from rqa_nodes.errors import ModelUnavailableError, RuleError
from rqa_nodes.facts import Facts, scope_of
from rqa_nodes.models import estimate_prompt, estimate_tokens
from rqa_nodes.prompt_parts import DocumentPart, PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.asking import Request, deadline_of, removals_key
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.reading import MOST_PARTS, NOTES, Part, fit, notes_of, parts_of, rows_of
from rqa_nodes.reflect.schema import Analysis, analysis_schema
from rqa_nodes.state import State
from rqa_nodes.structure.code_prose import is_code, prose_of
from rqa_nodes.turn import BUILTIN, ChatModel, Turn

__all__ = ["Source", "source_of"]

_SHARE: Final = 0.6
"""Of the time that is left: the rest is for the rounds over what was read."""
_FAILURES: Final = 2
"""So many calls that fail in a row end the reading: the server is gone."""
_HEADER_TOKENS: Final = 64
"""What names a document in a prompt."""
_FEEDBACK_SHARE: Final = 8
"""Of the room: kept free beside the notes for what later rounds are told about the last one."""
_TEXT_SHARE: Final = 4
"""The person's own text counts as a document from a quarter of the room on."""

Asking = Generator[Request, "str | RuleError | None", "Source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What stands in the prompt of a round for what the person brought."""

    user_text: str
    documents: tuple[DocumentPart, ...]
    reading: dict[str, Any]
    """For the state: `{"rows", "notes"}`; no notes where everything was read as it is."""
    failed: RuleError | None = None
    """Why there is nothing to make an analysis over."""


def source_of(state: State, turn: Turn, facts: Facts, *, model: ChatModel, others: PromptParts) -> Asking:
    """What the round reads with this model. `others` is the prompt without it."""
    room = model.room
    taken = estimate_prompt(render(others))
    user_text, documents = facts.user_text, facts.documents
    if room is None or taken + _tokens(user_text, documents) <= room:
        return Source(user_text=user_text, documents=documents, reading={"rows": _whole(documents, model)})
    if estimate_tokens(user_text) > room // _TEXT_SHARE:
        user_text, documents = fit(user_text, room // 16), (DocumentPart(locator="", text=user_text), *documents)
    notes_room = room - taken - estimate_tokens(user_text) - room // _FEEDBACK_SHARE
    before = state.get("reading") or {}
    if before.get("notes"):
        notes = turn.services.memory.get_blob(before["notes"], scope=scope_of(state, turn))
        return Source(user_text=user_text, documents=(DocumentPart(locator=NOTES, text=notes),), reading=before)
    found = yield from _read_parts(_Reader(state, turn, facts, user_text, documents), room=room)
    rows = rows_of(documents, found.parts, found.read)
    if not found.read:
        return Source(user_text=user_text, documents=(), reading={"rows": rows}, failed=found.failed)
    notes = notes_of(found.read, found.analyses, documents, notes_room)
    kept = {"rows": rows, "notes": turn.services.memory.put_blob(notes, scope=scope_of(state, turn))}
    return Source(user_text=user_text, documents=(DocumentPart(locator=NOTES, text=notes),), reading=kept)


def _whole(documents: tuple[DocumentPart, ...], model: ChatModel) -> list[dict[str, Any]]:
    """The list for documents that the model is given as they are: of a program the built-in engine reads the words."""
    rows = rows_of(documents)
    for row, document in zip(rows, documents, strict=True):
        if model.engine == BUILTIN and is_code(document.locator):
            row["words"] = len(prose_of(document.text, document.locator))
    return rows


def _tokens(user_text: str, documents: tuple[DocumentPart, ...]) -> int:
    return estimate_tokens(user_text) + sum(estimate_tokens(d.text) + _HEADER_TOKENS for d in documents)


@dataclass(frozen=True, slots=True)
class _Reader:
    """What stays the same over the parts."""

    state: State
    turn: Turn
    facts: Facts
    user_text: str
    documents: tuple[DocumentPart, ...]

    def prompt(self, part: Part | None, of: int = 0) -> PromptParts:
        """The prompt for one part, or the one around a part."""
        shown: tuple[DocumentPart, ...] = ()
        if part is not None:
            locator = self.documents[part.document].locator
            shown = (DocumentPart(locator=f"{locator} {part.number}/{of}".strip(), text=part.text),)
        return PromptParts(
            task="analyse", lang=self.facts.lang, user_text=self.user_text, documents=shown, candidates=1
        )

    def deadline(self, left: datetime) -> datetime:
        now = self.turn.services.clock()
        return now + (left - now) * _SHARE


@dataclass(slots=True)
class _Found:
    parts: tuple[Part, ...]
    read: list[Part]
    analyses: list[Analysis]
    failed: RuleError | None = None


def _read_parts(reader: _Reader, *, room: int) -> Generator[Request, str | RuleError | None, _Found]:
    """One completion a part, in order, as far as time and the server allow."""
    parts = parts_of(reader.documents, room - estimate_prompt(render(reader.prompt(None))) - _HEADER_TOKENS)
    found, failures = _Found(parts, [], []), 0
    end = reader.deadline(deadline_of(reader.state, reader.turn))
    for number, part in enumerate(parts[:MOST_PARTS], start=1):
        if reader.turn.services.clock() >= end or failures >= _FAILURES:
            break
        progress = {"type": "progress", "stage": "read", "round": 1, "part": number, "of": len(parts)}
        reader.turn.emit(progress)
        of = sum(other.document == part.document for other in parts)
        reply = yield Request(render(reader.prompt(part, of)), end, analysis_schema(1))
        try:
            if isinstance(reply, RuleError):
                raise reply
            analysis, report = reader.facts.verify_fields(parse_analysis(reply or "", 1))
        except RuleError as error:
            found.failed = error
            failures = failures + 1 if isinstance(error, ModelUnavailableError) else 0
            continue
        failures = 0
        reader.turn.services.removals.keep(removals_key(reader.state, 1, "read", number), tuple(report.removed))
        found.read.append(part)
        found.analyses.append(analysis)
    return found
