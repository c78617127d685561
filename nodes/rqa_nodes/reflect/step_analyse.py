"""The node `analyse`: what is the input made of, and which questions could be asked of it?

One completion drafts everything; another one is asked for only if the first cannot be read, or, where the budget has
one, if the drafts are too alike. Every string is verified before it enters the state. If the model gives nothing for a
panel that somebody waits for, the built-in engine takes over and the turn says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.types import Command

from rqa_nodes.errors import ModelOutputError, RuleError
from rqa_nodes.facts import Facts, gather
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect import diversity
from rqa_nodes.reflect.asking import Plan, Request, adrive, budget_of, deadline_of, drive
from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.feedback import feedback, issue_feedback
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.schema import Analysis, analysis_schema
from rqa_nodes.state import State
from rqa_nodes.turn import ChatModel, Turn

__all__ = ["aanalyse", "analyse"]

_BUILTIN = "builtin"

Next = Command[Literal["rank", "govern"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """One usable completion, verified."""

    analysis: Analysis
    found: diversity.Diversity
    stripped: list[dict[str, Any]]
    removed: tuple[Mapping[str, Any], ...]


def _read(reply: str | RuleError | None, facts: Facts, budget: Budget) -> _Attempt:
    if isinstance(reply, RuleError):
        raise reply
    parsed = parse_analysis(reply or "", budget.candidates)
    verified, report = facts.verify_fields(parsed)
    analysis = diversity.with_targets(verified)
    return _Attempt(
        analysis=analysis,
        found=diversity.check(analysis, budget.candidates),
        stripped=[v for v in report.to_dict()["verdicts"] if v["kind"] != "valid"],
        removed=tuple(report.removed),
    )


def _request(state: State, turn: Turn, facts: Facts, *, issues: tuple[str, ...] = ()) -> Request:
    budget = budget_of(state, turn)
    notes = (feedback(state.get("best"), facts.lang), issue_feedback(issues, facts.lang))
    parts = PromptParts(
        task="analyse",
        lang=facts.lang,
        user_text=facts.user_text,
        memory=facts.lines()[: budget.fragments],
        documents=facts.documents,
        candidates=budget.candidates,
        feedback="\n".join(note for note in notes if note),
    )
    return Request(render(parts), deadline_of(state, turn), analysis_schema(budget.candidates))


def _analyse(state: State, turn: Turn, engine: str) -> Plan:
    budget, facts = budget_of(state, turn), gather(state, turn)
    request = _request(state, turn, facts)
    row: dict[str, Any] = {"round": state.get("round", 0) + 1, "engine": engine, "evaluator_calls": 0}
    best: _Attempt | None = None
    regenerations = 0
    for completions in range(1, 2 + max(1, budget.regenerations)):
        reply = yield request
        row["completions"] = completions
        try:
            attempt = _read(reply, facts, budget)
        except RuleError as error:
            row["failed"] = error.message
            if isinstance(error, ModelOutputError):
                continue
            break
        if best is None or diversity.better(best.found, attempt.found):
            best = attempt
        if not attempt.found.issues or regenerations >= budget.regenerations:
            break
        regenerations += 1
        request = _request(state, turn, facts, issues=attempt.found.issues)
    if best is None:
        return _update(state, row, {})
    part = "answer" if state["route"]["level"] == 3 else "question"
    turn.services.removals.keep(f"{state['turn']['turn_id']}/{part}/{row['round']}", best.removed)
    row.pop("failed", None)
    row |= {
        "candidates": len(best.analysis["question_candidates"]),
        "kept": list(best.found.kept),
        "dropped": [{"index": d.index, "reason": d.reason} for d in best.found.dropped],
        "issues": list(best.found.issues),
        "stripped": best.stripped,
    }
    return _update(state, row, dict(best.analysis))


def _update(state: State, row: dict[str, Any], analysis: dict[str, Any]) -> dict[str, Any]:
    return {
        "round": row["round"],
        "analysis": analysis,
        "engine": row["engine"],
        "rounds": [*state.get("rounds", []), row],
        "shortlist": [],
        "evaluation": {},
    }


def _open(state: State, turn: Turn) -> ChatModel:
    """The model of this round; once the built-in engine has taken over, it stays."""
    number = state.get("round", 0) + 1
    turn.emit({"type": "progress", "stage": "analyse", "round": number})
    stayed = number > 1 and state.get("engine") == _BUILTIN
    return turn.services.chat(_BUILTIN if stayed else turn.context.model)


def _must_take_over(state: State, update: dict[str, Any]) -> bool:
    return (
        not update["analysis"]
        and state["route"]["level"] == 3
        and update["round"] == 1
        and update["engine"] != _BUILTIN
    )


def _taken_over(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {**second, "degraded": True, "degraded_reason": first["rounds"][-1]["failed"]}


def _next(update: dict[str, Any], model: ChatModel, state: State) -> Next:
    notice = {} if state.get("notice") else {"notice": model.notice}
    return Command(update={**update, **notice}, goto="rank" if update["analysis"] else "govern")


def analyse(state: State, turn: Turn) -> Next:
    """Take the input apart and draft K questions."""
    model = _open(state, turn)
    update = drive(_analyse(state, turn, model.engine), model)
    if _must_take_over(state, update):
        builtin = turn.services.chat(_BUILTIN)
        update = _taken_over(update, drive(_analyse(state, turn, builtin.engine), builtin))
    return _next(update, model, state)


async def aanalyse(state: State, turn: Turn) -> Next:
    """Async form of `analyse`."""
    model = await asyncio.to_thread(_open, state, turn)
    update = await adrive(_analyse(state, turn, model.engine), model)
    if _must_take_over(state, update):
        builtin = await asyncio.to_thread(turn.services.chat, _BUILTIN)
        update = _taken_over(update, await adrive(_analyse(state, turn, builtin.engine), builtin))
    return _next(update, model, state)
