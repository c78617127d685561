"""What is an example, what does a model see of it, and when are two the same?

An example is what production would have sent and what a good generator would have answered: the prompt is rendered by
production's own renderer, so that a model is trained on the bytes that it will be served. The input's hash decides
about the holdout, so an input stays on its side however often a corpus is made, and whatever memory stands beside it.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from langchain_core.messages import convert_to_openai_messages

from evals.suite import DATASETS, read_rows
from rqa_checkpoints.provenance import SourceClass
from rqa_graph import Injected
from rqa_nodes.errors import ModelOutputError
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.schema import Analysis
from training.errors import CorpusError

__all__ = [
    "APPROVED",
    "HOLDOUT_SHARE",
    "Example",
    "Message",
    "content_hash",
    "deepens",
    "file_hash",
    "gold_hashes",
    "held_out",
    "input_hash",
    "parsed",
    "read_examples",
    "read_json",
    "rendered",
    "rows_of",
]

APPROVED: Final = "approved"
"""The review state without which nothing is trained on."""

HOLDOUT_SHARE: Final = 0.1
_DEEPER: Final = ("tensions_input_internal", "tensions_memory_cross", "assumptions", "frames")
_TEXTS: Final = ("id", "lang", "source", "date", "review", "user_text", "assistant")
_FIELDS: Final = (*_TEXTS, "candidates", "memory")


Message = dict[str, str]
"""`{"role", "content"}`, as chat templates take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One input, and what a good generator makes of it."""

    id: str
    lang: str
    source: str
    """Where it comes from: who wrote it, or which turn."""
    date: str
    """ISO date of writing."""
    review: str
    """"approved", "pending" or "rejected"; a person decides."""
    candidates: int
    """K: how many questions are asked for."""
    user_text: str
    memory: tuple[Injected, ...] = ()
    assistant: str
    """The analysis, as one JSON object in a string."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Example:
        """Read one JSON object.

        Raises:
            ValueError: A field is missing or of the wrong kind; says which.
        """
        missing = [name for name in _FIELDS if name not in row]
        if missing:
            raise ValueError(f"lacks {', '.join(missing)}")
        wrong = [name for name in _TEXTS if not isinstance(row[name], str)]
        if wrong or type(row["candidates"]) is not int or not isinstance(row["memory"], list):
            raise ValueError(f"wrong type in {', '.join([*wrong, 'candidates, memory'][:2])}")
        try:
            memory = tuple(Injected(**item) for item in row["memory"])
        except TypeError as error:
            raise ValueError(f"an item of memory cannot be read: {error}") from error
        return cls(**{**{name: row[name] for name in _FIELDS}, "memory": memory})

    def to_row(self) -> dict[str, Any]:
        """The JSON object; fields of memory that are empty are left out."""
        memory = [{name: value for name, value in asdict(item).items() if value} for item in self.memory]
        return {**asdict(self), "memory": memory}

    def prompt(self) -> list[Message]:
        """The system and the user message, byte for byte as production sends them."""
        lines = tuple(
            MemoryLine(
                handle=item.handle,
                source=SourceClass(item.source),
                text=item.text,
                author=item.author,
                date=item.date,
                locator=item.locator,
            )
            for item in self.memory
        )
        parts = PromptParts(
            task="analyse", lang=self.lang, user_text=self.user_text, memory=lines, candidates=self.candidates
        )
        return rendered(parts)


def rendered(parts: PromptParts) -> list[Message]:
    """A prompt as production renders it."""
    return cast("list[Message]", convert_to_openai_messages(render(parts)))


def parsed(text: str, candidates: int) -> Analysis | None:
    """The analysis that production's parser makes of a completion; None where it makes none."""
    try:
        return parse_analysis(text, candidates)
    except ModelOutputError:
        return None


def deepens(analysis: Analysis) -> bool:
    """Does it go below what was said: has it a tension, an assumption or a frame?"""
    return any(analysis["feature_map"][name] for name in _DEEPER)


def input_hash(user_text: str) -> str:
    """SHA-256 of an input; width, case and white space do not make another one."""
    folded = " ".join(unicodedata.normalize("NFKC", user_text).casefold().split())
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()


def content_hash(example: Example) -> str:
    """SHA-256 of what an example shows a generator and wants from it."""
    row = example.to_row()
    shown = json.dumps([row["user_text"], row["memory"], row["assistant"]], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def held_out(user_text: str) -> bool:
    """Is the input kept from training? About one in ten, by its hash alone."""
    return int(input_hash(user_text)[:8], 16) < HOLDOUT_SHARE * 2**32


@cache
def gold_hashes() -> frozenset[str]:
    """Hashes of the inputs that the suites measure with; no corpus may hold one."""
    files = sorted(DATASETS.glob("questions.*.jsonl"))
    return frozenset(input_hash(row["text"]) for file in files for row in read_rows(file))


def read_examples(path: Path) -> list[Example]:
    """The examples of a file of JSON lines.

    Raises:
        CorpusError: The file cannot be read, or a line is no example; says which line and why.
    """
    return [_example(row, path, number) for number, row in enumerate(rows_of(path), 1)]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines. Raises CorpusError."""
    try:
        rows = read_rows(path)
    except OSError as error:
        raise CorpusError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "A corpus is UTF-8 text with one JSON object a line, as in `training/seed.jsonl`."
        raise CorpusError(f"{str(path)!r} is no file of JSON lines: {error}", hint=hint) from error
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise CorpusError(f"line {number} of {str(path)!r} holds {type(row).__name__}, expected an object")
    return rows


def _example(row: Mapping[str, Any], path: Path, number: int) -> Example:
    try:
        return Example.from_row(row)
    except ValueError as error:
        hint = f"An example has the fields {', '.join(_FIELDS)}."
        raise CorpusError(f"line {number} of {str(path)!r}: {error}", hint=hint) from error


def read_json(path: Path) -> dict[str, Any]:
    """One JSON object. Raises CorpusError."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CorpusError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"{str(path)!r} is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise CorpusError(f"{str(path)!r} holds {type(value).__name__}, expected an object")
    return value
