"""The node `analyse`: what is the input made of, and which questions could be asked of it?

One completion drafts everything; another one is asked for only if the first cannot be read, or, where the budget has
one, if the drafts are too alike. Every string is verified before it enters the state. If the model gives nothing for a
panel that somebody waits for, the built-in engine takes over and the turn says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal

from langgraph.types import Command

from rqa_nodes.errors import ModelOutputError, RuleError
from rqa_nodes.facts import Facts, gather, scope_of
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect import diversity
from rqa_nodes.reflect.asking import Lookup, Plan, Request, adrive, budget_of, deadline_of, drive, removals_key
from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.feedback import feedback, issue_feedback
from rqa_nodes.reflect.parse import parse_analysis
from rqa_nodes.reflect.read_parts import Source, source_of
from rqa_nodes.reflect.schema import MAX_ITEMS, Analysis, Candidate, analysis_schema
from rqa_nodes.reflect.self_update import notes
from rqa_nodes.state import State, ToolRow
from rqa_nodes.tools.controller import Wish, look_up, open_tools
from rqa_nodes.tools.words import offer
from rqa_nodes.turn import BUILTIN, BUILTIN_TIME, ChatModel, Turn

__all__ = ["aanalyse", "analyse"]

_RETRIES = 1
"""How often a completion that cannot be read is asked for again."""

_ELEMENTS: Final = ("claims", "evidence", "tensions_input_internal", "assumptions", "frames")

Next = Command[Literal["rank", "govern"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """One usable completion, verified."""

    analysis: Analysis
    found: diversity.Diversity
    stripped: list[dict[str, Any]]
    removed: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """What stays the same over the completions of one round."""

    state: State
    turn: Turn
    facts: Facts
    budget: Budget
    deadline: datetime
    notes: tuple[str, ...]
    tools: tuple[str, ...]
    """Names of those that may still be asked for."""

    def around(self, issues: tuple[str, ...] = ()) -> PromptParts:
        """The prompt without what the person brought."""
        notes = (feedback(self.state.get("best"), self.facts.lang), issue_feedback(issues, self.facts.lang))
        return PromptParts(
            task="analyse",
            lang=self.facts.lang,
            user_text="",
            memory=self.facts.lines(self.budget.fragments),
            candidates=self.budget.candidates,
            tools=tuple(offer(name, self.facts.lang) for name in self.tools),
            notes=self.notes,
            feedback="\n".join(note for note in notes if note),
        )

    def request(self, source: Source, issues: tuple[str, ...] = ()) -> Request:
        parts = replace(self.around(issues), user_text=source.user_text, documents=source.documents)
        return Request(render(parts), self.deadline, analysis_schema(self.budget.candidates))

    def read(self, reply: str | RuleError | None) -> _Attempt:
        """What a completion brought, verified. Raises RuleError."""
        if isinstance(reply, RuleError):
            raise reply
        verified, report = self.facts.verify_fields(parse_analysis(reply or "", self.budget.candidates))
        analysis = diversity.with_targets(verified)
        return _Attempt(
            analysis=analysis,
            found=diversity.check(analysis, self.budget.candidates),
            stripped=[v for v in report.to_dict()["verdicts"] if v["kind"] != "valid"],
            removed=tuple(report.removed),
        )


def _attempts(
    asking: _Asking, source: Source, row: dict[str, Any]
) -> Generator[Request, str | RuleError | None, _Attempt | None]:
    """The best usable completion of a round: one retry of what cannot be read, and the budget's regenerations."""
    best: _Attempt | None = None
    retries, regenerations = _RETRIES, asking.budget.regenerations
    request = asking.request(source)
    while True:
        reply = yield request
        row["completions"] += 1
        try:
            attempt = asking.read(reply)
        except RuleError as error:
            row["failed"] = asking.facts.reason(error)
            if retries == 0 or not isinstance(error, ModelOutputError):
                return best
            retries -= 1
            continue
        if best is None or diversity.better(best.found, attempt.found):
            best = attempt
        if not attempt.found.issues or regenerations == 0:
            return best
        regenerations -= 1
        request = asking.request(source, attempt.found.issues)


def _looked_up(
    asking: _Asking, source: Source, first: _Attempt, row: dict[str, Any]
) -> Generator[Request | Lookup, str | RuleError | None, tuple[_Attempt, list[ToolRow]]]:
    """The attempt after what it asked for was looked up, and all rows of the turn.

    Each lookup that brings something is followed by one more completion. It ends when nothing new is asked for: every
    wish takes a row, and the calls of each tool are counted.
    """
    state, best, rows = asking.state, first, [*asking.state.get("tools", [])]
    while request := best.analysis["tool_request"]:
        found = yield from look_up(
            Wish(tool=request["tool"], query=request["query"]),
            state=state,
            turn=asking.turn,
            facts=asking.facts,
            rows=rows,
            deadline=asking.deadline,
        )
        rows.append(found.row)
        if not found.nodes:
            return best, rows
        row["lookups"] = row.get("lookups", 0) + 1
        asking = replace(
            asking, facts=asking.facts.with_found(found.nodes), tools=open_tools(asking.turn.services.tools, rows)
        )
        again = yield from _attempts(replace(asking, budget=replace(asking.budget, regenerations=0)), source, row)
        if again is None:
            return best, rows
        best = again
    return best, rows


def _analyse(state: State, turn: Turn, model: ChatModel, deadline: datetime) -> Plan:
    facts = gather(state, turn)
    approved = notes(turn.services.memory.queue.areas(scope=scope_of(state, turn)))
    budget = budget_of(state, turn)
    asking = _Asking(
        state=state,
        turn=turn,
        facts=facts,
        budget=budget,
        deadline=deadline,
        notes=approved,
        tools=open_tools(turn.services.tools, state.get("tools", [])),
    )
    row: dict[str, Any] = {
        "round": state.get("round", 0) + 1,
        "engine": model.engine,
        "completions": 0,
        "evaluator_calls": 0,
    }
    source = yield from source_of(state, turn, facts, model=model, others=asking.around())
    if source.failed is not None:
        row["failed"] = facts.reason(source.failed)
        return _update(state, row, {}, source.reading)
    first = yield from _attempts(asking, source, row)
    if first is None:
        return _update(state, row, {}, source.reading)
    best, looked_up = yield from _looked_up(asking, source, first, row)
    if row.get("lookups"):
        row["understood"] = _new_in(best.analysis, first.analysis)
    turn.services.removals.keep(removals_key(state, row["round"]), best.removed)
    row.pop("failed", None)
    row |= {
        "candidates": len(best.analysis["question_candidates"]),
        "kept": list(best.found.kept),
        "layers": [_draft(best, index)["target_layer"] for index in best.found.kept],
        "stances": [_draft(best, index)["stance"] for index in best.found.kept],
        "dropped": [{"index": d.index, "reason": d.reason} for d in best.found.dropped],
        "issues": list(best.found.issues),
        "stripped": best.stripped,
    }
    return {**_update(state, row, dict(best.analysis), source.reading), "tools": looked_up}


def _new_in(later: Analysis, before: Analysis) -> list[str]:
    """Elements of an analysis that were not in the one before, at most as many as a list may have."""
    known = {text for name in _ELEMENTS for text in before["feature_map"][name]}
    found = (text for name in _ELEMENTS for text in later["feature_map"][name])
    return [*dict.fromkeys(text for text in found if text not in known)][:MAX_ITEMS]


def _draft(attempt: _Attempt, index: int) -> Candidate:
    return attempt.analysis["question_candidates"][index]


def _update(state: State, row: dict[str, Any], analysis: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    return {
        "reading": reading,
        "round": row["round"],
        "analysis": analysis,
        "engine": row["engine"],
        "rounds": [*state.get("rounds", []), row],
        "shortlist": [],
        "evaluation": {},
    }


def _open(state: State, turn: Turn) -> ChatModel:
    """The model of this round; once the built-in engine has taken over in a turn, it stays."""
    turn.emit({"type": "progress", "stage": "analyse", "round": state.get("round", 0) + 1})
    return turn.services.chat(BUILTIN if state.get("engine") == BUILTIN else turn.context.model)


def _must_take_over(state: State, update: dict[str, Any]) -> bool:
    return (
        not update["analysis"] and state["route"]["level"] == 3 and update["round"] == 1 and update["engine"] != BUILTIN
    )


def _builtin(state: State, turn: Turn) -> tuple[Plan, ChatModel]:
    """The same round by the built-in engine; it has time of its own."""
    model = turn.services.chat(BUILTIN)
    return _analyse(state, turn, model, turn.services.clock() + BUILTIN_TIME), model


def _taken_over(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    return {**second, "degraded": True, "degraded_reason": first["rounds"][-1]["failed"]}


def _next(update: dict[str, Any], model: ChatModel, state: State) -> Next:
    notice = {} if state.get("notice") else {"notice": model.notice}
    return Command(update={**update, **notice}, goto="rank" if update["analysis"] else "govern")


def analyse(state: State, turn: Turn) -> Next:
    """Take the input apart and draft K questions."""
    model = _open(state, turn)
    update = drive(_analyse(state, turn, model, deadline_of(state, turn)), model)
    if _must_take_over(state, update):
        update = _taken_over(update, drive(*_builtin(state, turn)))
    return _next(update, model, state)


async def aanalyse(state: State, turn: Turn) -> Next:
    """Async form of `analyse`."""
    model = await asyncio.to_thread(_open, state, turn)
    update = await adrive(_analyse(state, turn, model, deadline_of(state, turn)), model)
    if _must_take_over(state, update):
        update = _taken_over(update, await adrive(*await asyncio.to_thread(_builtin, state, turn)))
    return _next(update, model, state)
