"""What do several engines answer, each by itself, from the same sources?

One task an engine, side by side. The first one never sees an answer that was kept before, so that an old mistake has
one witness who could not copy it. What an engine says is verified with the sources before it enters any channel. One
that fails is a candidate without words, and no reason to stop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from typing_extensions import TypedDict

from rqa_checkpoints.provenance import SourceClass, source_handle
from rqa_nodes.deliberate.families import family_of
from rqa_nodes.deliberate.ports import Found, Inquiry
from rqa_nodes.deliberate.state import Candidate, DeliberationState, Prior, Run, found_of
from rqa_nodes.echo import Injected
from rqa_nodes.echo import verify as verify_text
from rqa_nodes.errors import ModelUnavailableError, RuleError
from rqa_nodes.prompt_parts import MemoryLine, PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.asking import Plan, Request, adrive, drive
from rqa_nodes.turn import ChatModel

__all__ = ["EngineTask", "aengines", "engines", "injected", "source_lines", "tasks"]

_LONGEST_ANSWER = 8_000
"""Characters: more is no answer to one question, and would not fit the review queue."""


class EngineTask(TypedDict):
    """What one engine is given."""

    engine: str
    question: str
    run: Run
    sources: list[dict[str, Any]]
    prior: Prior | None


def tasks(state: DeliberationState, names: Sequence[str]) -> list[EngineTask]:
    """One task an engine; the first runs blind to what was answered before."""
    return [
        EngineTask(
            engine=name,
            question=state["question"],
            run=state["run"],
            sources=state["sources"],
            prior=state.get("prior") if place else None,
        )
        for place, name in enumerate(dict.fromkeys(names))
    ]


def injected(sources: Sequence[Found]) -> list[Injected]:
    """The sources as the verifier is told of them."""
    return [
        Injected(handle=row.handle, source="external", text=row.text, author=row.publisher, locator=row.locator)
        for row in sources
    ]


def source_lines(sources: Sequence[Found]) -> tuple[MemoryLine, ...]:
    """The sources as a model sees them."""
    return tuple(
        MemoryLine(
            handle=row.handle,
            source=SourceClass.external,
            text=row.text,
            author=row.publisher,
            date=row.retrieved_at[:10],
            locator=row.locator,
        )
        for row in sources
    )


def _ask(task: EngineTask, model: ChatModel, inquiry: Inquiry) -> Plan:
    sources = [found_of(row) for row in task["sources"]]
    started = inquiry.clock()
    parts = PromptParts(
        task="deliberate",
        lang=task["run"]["lang"],
        user_text=task["question"],
        memory=(*source_lines(sources), *_prior_line(task["prior"])),
    )
    reply = yield Request(render(parts), inquiry.deadline(task["run"]["deadline"]), None)
    seconds = (inquiry.clock() - started).total_seconds()
    if isinstance(reply, RuleError) or reply is None:
        return _candidate(task, model.engine, failure=reply.code if reply else "no_words", seconds=seconds)
    given = [*injected(sources), *(_prior_item(line) for line in _prior_line(task["prior"]))]
    report = verify_text(
        reply[:_LONGEST_ANSWER],
        injected=given,
        transcript=[("user", task["question"])],
        written=False,
        lang=task["run"]["lang"],
    )
    return _candidate(task, model.engine, text=report.text.strip(), seconds=seconds)


def _candidate(
    task: EngineTask, engine: str, *, text: str = "", failure: str = "", seconds: float = 0.0
) -> dict[str, Any]:
    row = Candidate(
        engine=engine,
        family=family_of(engine),
        round=task["run"]["round"],
        text=text,
        failure=failure or ("" if text else "no_words"),
        seconds=round(seconds, 3),
    )
    return {"candidates": [row]}


def _prior_line(prior: Prior | None) -> tuple[MemoryLine, ...]:
    if not prior:
        return ()
    handle = source_handle("prior", prior["entry"])
    return (MemoryLine(handle=handle, source=SourceClass.assistant, text=prior["answer"], author="library"),)


def _prior_item(line: MemoryLine) -> Injected:
    return Injected(handle=line.handle, source="assistant", text=line.text, author=line.author)


def _resolved(task: EngineTask, inquiry: Inquiry) -> ChatModel | dict[str, Any]:
    try:
        return inquiry.chat(task["engine"])
    except ModelUnavailableError as error:
        return _candidate(task, task["engine"], failure=error.code)


def engines(task: EngineTask, inquiry: Inquiry) -> dict[str, Any]:
    """Ask one engine."""
    model = _resolved(task, inquiry)
    return model if isinstance(model, dict) else drive(_ask(task, model, inquiry), model)


async def aengines(task: EngineTask, inquiry: Inquiry) -> dict[str, Any]:
    """Async form of `engines`; looking for a server runs in a thread."""
    model = await asyncio.to_thread(_resolved, task, inquiry)
    return model if isinstance(model, dict) else await adrive(_ask(task, model, inquiry), model)
