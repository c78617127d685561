"""On which sources may the answer rest?

The first step: it mints what is fixed for the run and searches the corpus that a person allowed. A source that reads
like orders to an assistant is withheld and counted. Nothing that we answered before is ever among the sources.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Literal

from langgraph.types import Command, Send

from rqa_checkpoints.provenance import SourceClass
from rqa_nodes.deliberate.engines import tasks
from rqa_nodes.deliberate.ports import Inquiry
from rqa_nodes.deliberate.state import DeliberationState, Run, ask_of, row_of
from rqa_nodes.injection import injection_reason
from rqa_nodes.language import detect

__all__ = ["language_of", "retrieve"]


def language_of(locale: str, question: str) -> str:
    """The language of an answer: the locale's where it is one that we write, else the question's."""
    return locale[:2] if locale[:2] in ("en", "ja") else detect(question)


def retrieve(state: DeliberationState, inquiry: Inquiry) -> Command[Literal["engines", "gate"]]:
    """Begin a run, and find its sources."""
    lang = language_of(state.get("locale", ""), state["question"])
    ask = ask_of(state, inquiry.scope, lang=lang)
    found = inquiry.corpus.search(ask.question, domain=ask.domain, limit=inquiry.bench.sources)
    usable = [row for row in found if not injection_reason(f"{row.text}\n{row.locator}", SourceClass.external)]
    now = inquiry.clock()
    run = Run(
        id=inquiry.ids(),
        at=now.isoformat(timespec="milliseconds"),
        deadline=(now + timedelta(seconds=inquiry.bench.seconds)).isoformat(),
        lang=lang,
        round=1,
    )
    update: dict[str, Any] = {
        "run": run,
        "sources": [row_of(row) for row in usable],
        "withheld": len(found) - len(usable),
    }
    begun: Any = {**state, **update}
    sends = [Send("engines", task) for task in tasks(begun, inquiry.bench.engines)] if usable else []
    return Command(update=update, goto=sends or "gate")
