"""May this leave?

The only way to the end of the graph `deliberate`, and the only writer of its messages: the answer is checked once more
with its sources as injected external items, as any text of the product is.
"""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AIMessage
from langgraph.types import Command

from rqa_nodes.deliberate.body import deliberated, said
from rqa_nodes.deliberate.engines import injected
from rqa_nodes.deliberate.ports import Inquiry
from rqa_nodes.deliberate.state import DeliberationState, found_of
from rqa_nodes.echo import verify as verify_text

__all__ = ["verify"]


def verify(state: DeliberationState, inquiry: Inquiry) -> Command[Literal["__end__"]]:
    """Check, and say it."""
    given = injected([found_of(row) for row in state["sources"]])
    report = verify_text(said(state), injected=given, transcript=(), written=True, lang=state["run"]["lang"])
    result = deliberated(state)
    if result["answer"] is not None and result["answer"] not in report.text:
        result = {**result, "answer": report.text}
    message = AIMessage(
        report.text, id=f"{state['run']['id']}-answer", response_metadata={"rqa": report.to_dict() | {"text": ""}}
    )
    inquiry.emit({"type": "text", "part": "answer", "text": report.text})
    return Command(update={"messages": [message], "result": result}, goto="__end__")
