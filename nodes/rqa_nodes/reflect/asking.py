"""How does a node ask a model, in both forms, with its logic written once?

A plan is a generator: it yields requests, is sent the text or the error, and returns the node's update; what it wants
looked up it yields too. A small
synchronous and a small asynchronous runner drive it; a plan runs in a thread in the asynchronous form, because what it
does between requests may read the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from langchain_core.messages import BaseMessage

from rqa_nodes.errors import RuleError, ToolError
from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.state import State
from rqa_nodes.tools.toolbox import Source, Toolbox, ToolCall
from rqa_nodes.turn import Completer, Turn

__all__ = ["Lookup", "Plan", "Request", "adrive", "budget_of", "deadline_of", "drive", "removals_key", "settle"]


@dataclass(frozen=True, slots=True)
class Request:
    """One completion wanted from a model."""

    messages: list[BaseMessage]
    deadline: datetime
    schema: Mapping[str, Any] | None


@dataclass(slots=True)
class Lookup:
    """One call of a tool wanted; the runner puts what came of it in here."""

    tools: Toolbox
    name: str
    call: ToolCall
    seconds: float
    found: Sequence[Source] = ()
    error: ToolError | None = None

    def run(self) -> None:
        """Call the tool and wait."""
        try:
            self.found = self.tools.run(self.name, self.call, seconds=self.seconds)
        except ToolError as error:
            self.error = error

    async def arun(self) -> None:
        """Async form of `run`."""
        try:
            self.found = await self.tools.arun(self.name, self.call, seconds=self.seconds)
        except ToolError as error:
            self.error = error


Plan = Generator[Request | Lookup, "str | RuleError | None", dict[str, Any]]


_Result = TypeVar("_Result")


class _Done(Exception):  # noqa: N818  # no error: StopIteration cannot leave a thread, so this carries its value
    def __init__(self, update: dict[str, Any]) -> None:
        super().__init__()
        self.update = update


def _advance(plan: Plan, reply: str | RuleError | None) -> Request | Lookup:
    try:
        return plan.send(reply)
    except StopIteration as done:
        raise _Done(done.value) from None


def drive(plan: Plan, model: Completer) -> dict[str, Any]:
    """Run a plan; a failed call is sent into it as the error."""
    reply: str | RuleError | None = None
    while True:
        try:
            request = _advance(plan, reply)
        except _Done as done:
            return done.update
        if isinstance(request, Lookup):
            request.run()
            reply = None
            continue
        try:
            reply = model.complete(request.messages, deadline=request.deadline, schema=request.schema)
        except RuleError as error:
            reply = error


async def adrive(plan: Plan, model: Completer) -> dict[str, Any]:
    """Async form of `drive`."""
    reply: str | RuleError | None = None
    while True:
        try:
            request = await asyncio.to_thread(_advance, plan, reply)
        except _Done as done:
            return done.update
        if isinstance(request, Lookup):
            await request.arun()
            reply = None
            continue
        try:
            reply = await model.acomplete(request.messages, deadline=request.deadline, schema=request.schema)
        except RuleError as error:
            reply = error


def settle(plan: Generator[Lookup, None, _Result]) -> _Result:
    """Run a plan that asks no model."""
    try:
        while True:
            next(plan).run()
    except StopIteration as done:
        result: _Result = done.value
        return result


def budget_of(state: State, turn: Turn) -> Budget:
    """What this reflection may use: the router's word, and a person's K and depth."""
    budgets = turn.services.budgets
    if state["route"]["level"] != 3:
        return budgets.side
    named = budgets.named(state["route"]["budget"])
    return named.overridden(candidates=turn.context.candidates, rounds=turn.context.depth)


def deadline_of(state: State, turn: Turn) -> datetime:
    """When this reflection must be over: its budget's seconds from the start of the turn, within the turn's limit.

    A side reflection begins after the answer, whenever that came: `reflection_started` is set by the node that allowed
    it.
    """
    facts = state["turn"]
    started = datetime.fromisoformat(state.get("reflection_started") or facts["recorded_at"])
    limit = started + timedelta(seconds=budget_of(state, turn).seconds)
    return limit if state["route"]["level"] == 2 else min(limit, datetime.fromisoformat(facts["deadline"]))


def removals_key(state: State, *steps: object) -> str:
    """Where the words removed in a step of this reflection wait for the commit of the part that it ends in."""
    part = "answer" if state["route"]["level"] == 3 else "question"
    return "/".join([state["turn"]["turn_id"], part, *map(str, steps)])
