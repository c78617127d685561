"""What can go wrong around an adapter, said in words for a person.

TrainingError
├── CorpusError        a file of examples or pairs cannot be read
├── MissingToolError   a library or a program that a step needs is not installed
├── ModelError         a base model or an adapter cannot be used
└── RefusedError       a gate is shut, or a person has not said yes
"""

from __future__ import annotations

from typing import ClassVar

from rqa_graph.errors import AppError, ExitCode

__all__ = ["CorpusError", "MissingToolError", "ModelError", "RefusedError", "TrainingError"]


class TrainingError(AppError):
    """Root of the tree."""

    code: ClassVar[str] = "training"
    exit: ClassVar[ExitCode] = ExitCode.usage


class CorpusError(TrainingError):
    """A file of examples, pairs or votes cannot be read; names the file and the line."""

    code = "corpus"


class MissingToolError(TrainingError):
    """Something that the step needs is not installed; the hint says how to get it."""

    code = "missing_tool"


class ModelError(TrainingError):
    """A base model or an adapter is not there, or is not what it should be."""

    code = "model"
    exit = ExitCode.model_unavailable


class RefusedError(TrainingError):
    """A gate is shut, or nobody approved."""

    code = "refused"
    exit = ExitCode.check_failed
