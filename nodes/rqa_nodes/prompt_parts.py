"""What a prompt is made of, before it is words.

The same parts go to a model server (rendered by `prompts.py`) and to the built-in engine (read back from the
rendered messages), so that neither sees anything that the other does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rqa_checkpoints.provenance import SourceClass

__all__ = ["DocumentPart", "MemoryLine", "PromptParts", "Task", "TranscriptLine"]

Task = Literal["answer", "analyse", "deliberate", "evaluate", "judge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLine:
    """One injected item, as the model sees it."""

    handle: str
    source: SourceClass
    text: str
    id: str = ""
    author: str = ""
    date: str = ""
    """ISO date of recording."""
    time: str = ""
    """Time of that day, where it tells what the person said later than what; "" elsewhere."""
    kind: str = "statement"
    status: str = "open"
    locator: str = ""
    listed: bool = False
    """Whether it stands on the list that the person asks for."""
    confirmed: str = ""
    """ISO date on which the person said yes to it; "" where no such answer is given with it."""
    denied: str = ""
    """The same of a no."""
    confirms: tuple[str, ...] = ()
    """Handles of the lines that this one, of the person, says yes to."""
    denies: tuple[str, ...] = ()
    """The same of a no."""
    superseded_by: str = ""
    """Handle of the line with which the person has replaced this one since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A document of this turn, whole."""

    locator: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptLine:
    """A visible earlier message."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptParts:
    """Everything that one model call is given."""

    task: Task
    lang: str
    """"en", "ja" or "zh": the language of the input, and of the reply."""
    user_text: str
    memory: tuple[MemoryLine, ...] = ()
    documents: tuple[DocumentPart, ...] = ()
    transcript: tuple[TranscriptLine, ...] = ()
    listing: str = ""
    """The list that the person asks for: `tasks_todo`, `values` and so on; "" where they ask for none."""
    candidates: int = 0
    """K, for the task `analyse`."""
    tools: tuple[str, ...] = ()
    """What may be asked for, a line each, for the task `analyse`."""
    notes: tuple[str, ...] = ()
    """Adjustments to its own asking that a person approved, for the task `analyse`."""
    feedback: str = ""
    """The verdict of the last round, for a deeper one."""
