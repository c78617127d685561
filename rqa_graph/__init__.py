"""RQA Graph: an assistant whose own past guesses can never come back as facts.

Names are loaded when they are first used: `from rqa_graph import verify` must cost no framework, no database and no
model, because it is called inside other people's agents.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rqa_checkpoints.memory import ProvenanceMemory
    from rqa_checkpoints.provenance import SourceClass
    from rqa_checkpoints.saver import QdrantSaver
    from rqa_checkpoints.store import MemoryStore
    from rqa_graph.deliberation import build_deliberation
    from rqa_graph.graph import build_graph
    from rqa_graph.integrity import Question, aanswer_with_integrity, answer_with_integrity
    from rqa_graph.linting import lint_analysis
    from rqa_graph.middleware import EchoGuardMiddleware
    from rqa_graph.reachability import assert_verified
    from rqa_graph.reviewing import build_review
    from rqa_graph.wrapping import guard
    from rqa_nodes.echo import IncrementalVerifier, Injected, Verdict, VerdictKind, VerificationReport, verify

__all__ = [
    "EchoGuardMiddleware",
    "IncrementalVerifier",
    "Injected",
    "MemoryStore",
    "ProvenanceMemory",
    "QdrantSaver",
    "Question",
    "SourceClass",
    "Verdict",
    "VerdictKind",
    "VerificationReport",
    "aanswer_with_integrity",
    "answer_with_integrity",
    "assert_verified",
    "build_deliberation",
    "build_graph",
    "build_review",
    "guard",
    "lint_analysis",
    "verify",
]

_HOMES: Final = {
    "EchoGuardMiddleware": "rqa_graph.middleware",
    "IncrementalVerifier": "rqa_nodes.echo",
    "Injected": "rqa_nodes.echo",
    "MemoryStore": "rqa_checkpoints.store",
    "ProvenanceMemory": "rqa_checkpoints.memory",
    "QdrantSaver": "rqa_checkpoints.saver",
    "Question": "rqa_graph.integrity",
    "SourceClass": "rqa_checkpoints.provenance",
    "Verdict": "rqa_nodes.echo",
    "VerdictKind": "rqa_nodes.echo",
    "VerificationReport": "rqa_nodes.echo",
    "aanswer_with_integrity": "rqa_graph.integrity",
    "answer_with_integrity": "rqa_graph.integrity",
    "assert_verified": "rqa_graph.reachability",
    "build_deliberation": "rqa_graph.deliberation",
    "build_graph": "rqa_graph.graph",
    "build_review": "rqa_graph.reviewing",
    "guard": "rqa_graph.wrapping",
    "lint_analysis": "rqa_graph.linting",
    "verify": "rqa_nodes.echo",
}
"""Public name, and the module that it lives in."""


def __getattr__(name: str) -> Any:
    """Load a public name from its module, once."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
