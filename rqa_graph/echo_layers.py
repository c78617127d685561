"""The memory layers that `rqa echo-test` compares: ours, a LangGraph store with semantic search, and a raw list.

The two baselines do what is usual: every message of a conversation is stored as text and retrieved by similarity, with
the same embedder as ours. Ours is the whole graph, with the scripted assistant in the place of the model.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from rqa_checkpoints.embedding import Encoder
from rqa_graph.echo_test import Assistant, Found, Layer
from rqa_graph.errors import UsageFaultError
from rqa_graph.graph import build_graph
from rqa_graph.services import AppServices
from rqa_graph.turns import run_turn
from rqa_nodes.errors import ModelUnavailableError
from rqa_nodes.prompts import read
from rqa_nodes.scripted import ScriptedChatModel, ScriptedEvaluator
from rqa_nodes.state import Context

__all__ = ["GraphLayer", "RawList", "StoreLayer", "load_layer"]

_RETRIEVED = 5


class RawList:
    """A list of all messages; the newest that share most words with the question."""

    name = "raw list"

    def __init__(self) -> None:
        self._messages: list[str] = []

    def turn(self, asked: str, assistant: Assistant) -> tuple[str, Sequence[Found]]:
        """Retrieve by shared character pairs, store both messages."""
        pairs = _pairs(asked)
        newest_first = self._messages[::-1]
        ranked = sorted(newest_first, key=lambda text: -len(pairs & _pairs(text)))
        found = [Found(text, "") for text in ranked[:_RETRIEVED]]
        shown = assistant(found)
        self._messages += [asked, shown]
        return shown, found


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}


class StoreLayer:
    """LangGraph's `InMemoryStore` with semantic search."""

    name = "LangGraph InMemoryStore"

    def __init__(self, embedder: Encoder) -> None:
        self._store = InMemoryStore(
            index={"dims": embedder.dimension, "embed": cast("Any", embedder), "fields": ["text"]}
        )
        self._keys = itertools.count()

    def turn(self, asked: str, assistant: Assistant) -> tuple[str, Sequence[Found]]:
        """Retrieve by cosine, store both messages."""
        found = [Found(item.value["text"], "") for item in self._store.search(("m",), query=asked, limit=_RETRIEVED)]
        shown = assistant(found)
        for text in (asked, shown):
            self._store.put(("m",), str(next(self._keys)), {"text": text})
        return shown, found


class _Script(ScriptedChatModel):
    """Answers each prompt with what the scripted assistant makes of its memory lines."""

    def __init__(self) -> None:
        super().__init__([], engine="scripted")
        self.assistant: Assistant | None = None
        self.found: list[Found] = []

    def _next(self, messages: Sequence[BaseMessage]) -> str:
        if self.assistant is None:
            raise ModelUnavailableError("no turn of the echo test is running")
        self.found = [Found(line.text, line.source.value) for line in read(list(messages)).memory]
        return self.assistant(self.found)


class GraphLayer:
    """This product: the whole graph, verifier and all."""

    name = "rqa"

    def __init__(self, services: AppServices) -> None:
        """`services` of a fresh home; their model is replaced by the scripted assistant."""
        self._script = _Script()
        self._services = services.replaced(resolve=lambda _name: self._script, evaluator=ScriptedEvaluator([]))
        self._graph = build_graph(services=self._services, checkpointer=InMemorySaver())

    def turn(self, asked: str, assistant: Assistant) -> tuple[str, Sequence[Found]]:
        """One turn of the graph."""
        self._script.assistant, self._script.found = assistant, []
        result = run_turn(self._graph, asked, thread="echo", context=Context(evaluator=False))
        return result.text, self._script.found

    def close(self) -> None:
        """Release the home."""
        self._services.close()


def load_layer(place: str) -> Layer:
    """A layer of somebody else, by "module:Class" or "module:function" that makes one.

    Raises:
        UsageFaultError: No such module or name.
    """
    module, _, name = place.partition(":")
    with suppress(ImportError, AttributeError):
        return cast("Layer", getattr(importlib.import_module(module), name)())
    raise UsageFaultError("option.choice", option="--layer", value=place, choices="module:Class")
