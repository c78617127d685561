"""Turns taken as a surface takes them, in both forms, with everything that was seen of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import BaseMessage, HumanMessage

from rqa_graph.turns import Graph, TurnResult, read_turn
from rqa_nodes.prompts import read
from rqa_nodes.scripted import ScriptedChatModel
from rqa_nodes.state import Context

__all__ = ["FORMS", "LEVELS", "ByTask", "Form", "Told", "config_of", "resume", "tell"]

Form = Literal["sync", "async"]
FORMS: tuple[Form, ...] = ("sync", "async")

LEVELS = {
    "en": {
        0: "hello",
        1: "What is the capital of Sweden?",
        2: "Should we move the mill upstream, or is that the wrong question?",
        3: "Analyse this plan critically: the mill always pays for itself, therefore we must move it upstream.",
    },
    "ja": {
        0: "こんにちは",
        1: "スウェーデンの首都はどこですか？",
        2: "製粉所を上流に移すべきでしょうか、それとも問いの立て方が違うのでしょうか？",
        3: "この計画を批判的に分析してください：製粉所は必ず元が取れる。だから上流に移さなければならない。",
    },
}
"""One input a level, in each language."""


class ByTask(ScriptedChatModel):
    """Says one thing as an answer and another as an analysis, as often as it is asked: a run may be repeated."""

    def __init__(self, answer: str, analysis: str) -> None:
        super().__init__([])
        self._by_task = {"answer": answer, "analyse": analysis}

    def _next(self, messages: Sequence[BaseMessage]) -> str:
        self._replies = [self._by_task[read(list(messages)).task]]
        return super()._next(messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One run, as it was seen."""

    result: TurnResult
    nodes: list[str]
    """In the order in which they ended."""
    events: list[dict[str, Any]]
    state: dict[str, Any]

    def shown(self, part: str) -> str:
        """What the custom channel showed of a part, put together."""
        return "".join(e["text"] for e in self.events if e["type"] == "text" and e["part"] == part)


def config_of(thread: str = "t") -> Any:
    return {"configurable": {"thread_id": thread}}


def tell(
    graph: Graph,
    text: str,
    *,
    form: Form = "sync",
    thread: str = "t",
    documents: Sequence[dict[str, str]] = (),
    **context: Any,
) -> Told:
    """Say something in a thread, and see what comes of it."""
    given: dict[str, Any] = {"messages": [HumanMessage(text)]}
    if documents:
        given["documents"] = list(documents)
    return _run(graph, given, form=form, config=config_of(thread), context=Context(**context))


def resume(graph: Graph, config: Any = None, *, form: Form = "sync", **context: Any) -> Told:
    """Go on where a thread stands, or from the checkpoint that the config names."""
    return _run(graph, None, form=form, config=config or config_of(), context=Context(**context))


def _run(graph: Graph, given: Any, *, form: Form, config: Any, context: Context) -> Told:
    modes: Any = ["custom", "updates"]

    async def collect() -> list[Any]:
        return [part async for part in graph.astream(given, config, context=context, stream_mode=modes)]

    if form == "async":
        parts = asyncio.run(collect())
    else:
        parts = list(graph.stream(given, config, context=context, stream_mode=modes))
    thread = config["configurable"]["thread_id"]
    state = graph.get_state(config_of(thread)).values
    return Told(
        result=read_turn(state, thread),
        nodes=[node for mode, part in parts if mode == "updates" for node in part],
        events=[part for mode, part in parts if mode == "custom"],
        state=state,
    )
