"""Deliberations over a folder of documents whose engines say what a test tells them to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.policy import PolicyBook
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.cache.vectors import QuestionIndex
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import Scope, source_handle
from rqa_graph.answer_library import IntegrityLibrary
from rqa_graph.corpus import FolderCorpus
from rqa_graph.deliberating import Deliberating
from rqa_graph.deliberation_settings import SourceSettings
from rqa_graph.resources import load_config
from rqa_graph.services import AppServices
from rqa_nodes.deliberate.ports import Bench
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.prompts import read
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.route import Router
from rqa_nodes.scripted import ScriptedEvaluator
from tests.support.caches import LINEAR, POLICIES, ScriptedEncoder, SetClock
from tests.support.graphs import counting_ids

__all__ = ["ANSWERS", "DOCUMENTS", "Sage", "answering", "deliberating_services", "marks", "write_documents"]

DOCUMENTS: Mapping[str, str] = {
    "survey/fuji.md": "# Mount Fuji\n\nMount Fuji is 3,776 metres high. Mount Fuji last erupted in 1707.\n",
    "atlas/japan.md": "# Japan\n\nMount Fuji is 3,776 metres high. The Shinano River is 367 kilometres long.\n",
    "survey/富士山.md": "# 富士山\n\n富士山の高さは3776メートルです。富士山は1707年に噴火しました。\n",
}
_ENCODER = ScriptedEncoder({})
ANSWERS: Mapping[str, str] = {
    "a": "Mount Fuji is 3,776 metres high {m:3,776 metres}.",
    "b": "Mount Fuji is 3,776 metres high {m:3,776 metres}.",
}


def write_documents(folder: Path, documents: Mapping[str, str] = DOCUMENTS) -> list[SourceSettings]:
    """Lay documents down; the first part of each name is a folder with a publisher of its own."""
    for name, text in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    names = sorted({name.split("/")[0] for name in documents})
    return [
        SourceSettings(folder=str(folder / name), publisher=f"The {name}", authority=name == "survey") for name in names
    ]


class Sage:
    """An engine or reviewer that says the same each time, and counts how often it was asked."""

    is_local = True
    notice = ""
    room = None

    def __init__(self, engine: str, say: str | Exception | Callable[[Any], str]) -> None:
        self.engine = engine
        self.prompts: list[Any] = []
        self._say = say

    def complete(self, messages: Any, *, deadline: datetime, schema: Any) -> str:
        del deadline, schema
        parts = read(messages)
        self.prompts.append(parts)
        if isinstance(self._say, Exception):
            raise self._say
        said = self._say(parts) if callable(self._say) else self._say
        for line in parts.memory:
            for words in (line.text, line.text[:-1]):
                said = said.replace(f"{{m:{words}}}", f"[m:{line.handle}]")
        return _cited(said, parts)

    async def acomplete(self, messages: Any, *, deadline: datetime, schema: Any) -> str:
        return self.complete(messages, deadline=deadline, schema=schema)


def _cited(said: str, parts: Any) -> str:
    while "{m:" in said:
        before, _, rest = said.partition("{m:")
        words, _, after = rest.partition("}")
        handle = next(line.handle for line in parts.memory if words in line.text and line.source == "external")
        said = f"{before}[m:{handle}]{after}"
    return said


def marks(
    *, faithful: int = 10, complete: int = 10, veto: bool = False, contradiction: bool = False
) -> Callable[[Any], str]:
    """A reviewer that gives every answer the same."""

    def say(parts: Any) -> str:
        rows = [
            {"answer": int(part.locator), "faithful": faithful, "complete": complete, "veto": veto}
            for part in parts.documents
        ]
        return json.dumps({"reviews": rows, "contradiction": contradiction})

    return say


def answering(answers: Mapping[str, str | Exception] = ANSWERS, review: Any = None) -> dict[str, Sage]:
    """Engines of the families alpha and beta, and a reviewer of the family gamma."""
    sages = {
        name: Sage(engine, answers[key])
        for name, engine, key in (("alpha:1", "scripted:alpha1", "a"), ("beta:1", "scripted:beta1", "b"))
        if key in answers
    }
    return {**sages, "gamma:1": Sage("scripted:gamma1", review or marks())}


class _Lines:
    """Keeps figures in a list."""

    def __init__(self, lines: list[Any] | None) -> None:
        self._lines = [] if lines is None else lines

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        self._lines.extend(lines)


def deliberating_services(
    folder: Path,
    sages: Mapping[str, Sage],
    *,
    clock: SetClock | None = None,
    policies: Mapping[str, Any] = POLICIES,
    phase: int = 4,
    sources: Sequence[SourceSettings] | None = None,
    home: Path | str = ":memory:",
    ids: Callable[[], str] | None = None,
    requests: int = 0,
    recorded: list[Any] | None = None,
    vectors: Path | None = None,
    **bench: Any,
) -> AppServices:
    """Services with scripted engines, a folder of documents, a clock that stands still, and a key in memory.

    With `vectors` there is a semantic tier whose index lies there.
    """
    clock = clock or SetClock()
    listed = write_documents(folder) if sources is None else sources
    book = PolicyBook.from_mapping({**policies, "rollout": [{"phase": phase}]})

    def chat(name: str) -> Any:
        if name not in sages:
            raise ModelUnavailableError(f"{name!r} is not there")
        return sages[name]

    def library(memory: ProvenanceMemory) -> IntegrityLibrary:
        cache = IntegrityCache(
            memory.log,
            ring=KeyRing.in_memory(),
            policies=book,
            clock=clock,
            open_questions=None if vectors is None else lambda store: QuestionIndex.open(store, _ENCODER, vectors),
            recorder=_Lines(recorded),
            scale=LINEAR,
        )
        return IntegrityLibrary(cache, clock=clock, requests=lambda _mark: requests)

    engines = tuple(name for name in sages if not name.startswith("gamma"))
    reviewer = next((name for name in sages if name.startswith("gamma")), "")
    return AppServices(
        router=Router.from_rules(load_config("router")),
        budgets=Budgets.from_mapping(load_config("budgets")),
        evaluator=ScriptedEvaluator([]),
        open_memory=lambda: ProvenanceMemory.open(
            home, clock=clock, ids=counting_ids("w"), embedder="hash", index=":memory:"
        ),
        resolve=chat,
        scope=Scope("local", "mara"),
        deliberating=Deliberating(
            bench=Bench(**{"engines": engines, "reviewer": reviewer, **bench}),
            corpus=FolderCorpus(listed, home=folder, clock=clock),
            open_library=library,
        ),
        clock=clock,
        ids=ids or counting_ids("r"),
        monotonic=lambda: 0.0,
    )


def handle_of(folder: Path, name: str) -> str:
    """The handle of a document."""
    import hashlib

    return source_handle(name, hashlib.sha256((folder / name).read_bytes()).hexdigest())
