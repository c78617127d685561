"""What does a model that wrote none of them think of the answers?

The reviewer is of a family that no engine is of; it sees the answers without names, in an order that says nothing. What
it says is numbers in closed ranges, read by code: no word of it is kept or shown. A review that cannot be used is a
missing review.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rqa_nodes.deliberate.engines import source_lines
from rqa_nodes.deliberate.families import family_of
from rqa_nodes.deliberate.ports import Inquiry
from rqa_nodes.deliberate.state import Candidate, DeliberationState, Verdict, found_of
from rqa_nodes.errors import ModelOutputError, ModelUnavailableError, RuleError
from rqa_nodes.prompt_parts import DocumentPart, PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect._json_text import find_object
from rqa_nodes.reflect.asking import Plan, Request, adrive, drive
from rqa_nodes.turn import ChatModel

__all__ = ["ajudge", "judge", "read_review", "shuffled"]

_HIGHEST: Final = 10
_REVIEW: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "answer": {"type": "integer"},
        "faithful": {"type": "integer"},
        "complete": {"type": "integer"},
        "veto": {"type": "boolean"},
    },
    "required": ["answer", "faithful", "complete", "veto"],
    "additionalProperties": False,
}
_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"reviews": {"type": "array", "items": _REVIEW}, "contradiction": {"type": "boolean"}},
    "required": ["reviews", "contradiction"],
    "additionalProperties": False,
}


def shuffled(candidates: Sequence[Candidate], run: str) -> list[Candidate]:
    """The answers that have words, in an order by a hash of run and engine: the same for a resumed run."""
    return sorted(
        (row for row in candidates if row["text"]),
        key=lambda row: hashlib.sha256(f"{run}/{row['engine']}".encode()).hexdigest(),
    )


def read_review(reply: str, shown: Sequence[Candidate]) -> tuple[dict[str, int], list[str], bool]:
    """Thousandths by engine, the engines with a veto, and whether anything is contradictory.

    Raises:
        ModelOutputError: no such object. A row out of range, or about no answer that was shown, counts for nothing.
    """
    found = find_object(reply, wanted=("reviews",))
    rows = found.get("reviews")
    if not isinstance(rows, list) or not isinstance(found.get("contradiction"), bool):
        raise ModelOutputError("the review holds no list of reviews and no verdict on contradiction", reason="invalid")
    scores: dict[str, int] = {}
    vetoes = []
    for row in rows:
        engine = _reviewed(row, shown)
        if engine and engine not in scores:
            scores[engine] = (row["faithful"] + row["complete"]) * 1000 // (2 * _HIGHEST)
            vetoes += [engine] if row["veto"] else []
    return scores, vetoes, bool(found["contradiction"])


def _reviewed(row: object, shown: Sequence[Candidate]) -> str:
    if not isinstance(row, dict) or not isinstance(row.get("veto"), bool):
        return ""
    numbers = [_number(row.get(name)) for name in ("answer", "faithful", "complete")]
    place, *given = numbers
    usable = 1 <= place <= len(shown) and all(0 <= number <= _HIGHEST for number in given)
    return shown[place - 1]["engine"] if usable else ""


def _number(value: object) -> int:
    """An integer as it is; -1 for anything else, which is out of every range."""
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def _verdict(
    reviewer: str,
    *,
    scores: dict[str, int] | None = None,
    vetoes: Sequence[str] = (),
    contradiction: bool = False,
    failure: str = "",
) -> dict[str, Any]:
    verdict = Verdict(
        reviewer=reviewer,
        family=family_of(reviewer) if reviewer else "",
        scores=scores or {},
        vetoes=list(vetoes),
        contradiction=contradiction,
        failure=failure,
    )
    return {"verdict": verdict}


def _review(state: DeliberationState, inquiry: Inquiry, shown: Sequence[Candidate], model: ChatModel) -> Plan:
    parts = PromptParts(
        task="judge",
        lang=state["run"]["lang"],
        user_text=state["question"],
        memory=source_lines([found_of(row) for row in state["sources"]]),
        documents=tuple(DocumentPart(locator=str(n), text=row["text"]) for n, row in enumerate(shown, 1)),
    )
    reply = yield Request(render(parts), inquiry.deadline(state["run"]["deadline"]), _SCHEMA)
    try:
        if isinstance(reply, RuleError):
            raise reply
        scores, vetoes, contradiction = read_review(reply or "", shown)
    except RuleError as error:
        return _verdict(model.engine, failure=error.code)
    return _verdict(model.engine, scores=scores, vetoes=vetoes, contradiction=contradiction)


def _reviewer(state: DeliberationState, inquiry: Inquiry, shown: Sequence[Candidate]) -> ChatModel | dict[str, Any]:
    """Who reviews; a verdict that says why nobody does."""
    if not inquiry.bench.reviewer:
        return _verdict("", failure="no_reviewer")
    if not shown:
        return _verdict("", failure="no_answer")
    try:
        model = inquiry.chat(inquiry.bench.reviewer)
    except ModelUnavailableError as error:
        return _verdict(inquiry.bench.reviewer, failure=error.code)
    if family_of(model.engine) in {row["family"] for row in state["candidates"]}:
        return _verdict(model.engine, failure="same_family")
    return model


def judge(state: DeliberationState, inquiry: Inquiry) -> dict[str, Any]:
    """Have the answers reviewed."""
    shown = shuffled(state["candidates"], state["run"]["id"])
    model = _reviewer(state, inquiry, shown)
    return model if isinstance(model, dict) else drive(_review(state, inquiry, shown, model), model)


async def ajudge(state: DeliberationState, inquiry: Inquiry) -> dict[str, Any]:
    """Async form of `judge`."""
    shown = shuffled(state["candidates"], state["run"]["id"])
    model = await asyncio.to_thread(_reviewer, state, inquiry, shown)
    return model if isinstance(model, dict) else await adrive(_review(state, inquiry, shown, model), model)
