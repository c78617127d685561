"""The nodes `rank`, `evaluate` and `degrade`: which of the drafted questions is the best one?

Stage 1 is the generator's own order, stage 2 one call of the pinned evaluator. Any failure of stage 2 goes to a node of
its own, so that it is seen in a drawing and in a trace: the turn goes on with stage 1, and says so and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from langgraph.types import Command

from rqa_nodes.errors import NotAskedError, RuleError
from rqa_nodes.facts import Facts, gather
from rqa_nodes.models import estimate_prompt
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.reflect.asking import Plan, Request, adrive, budget_of, deadline_of, drive, removals_key
from rqa_nodes.reflect.choice import choice, is_better, runners_up
from rqa_nodes.reflect.degrade import reason_of
from rqa_nodes.reflect.evaluate import Verdict, evaluation_parts, judge, offered
from rqa_nodes.reflect.rank import rank as shortlist_of
from rqa_nodes.reflect.reading import excerpt
from rqa_nodes.reflect.schema import Analysis, element_text, evaluation_schema
from rqa_nodes.state import State
from rqa_nodes.turn import Turn

__all__ = ["aevaluate", "degrade", "evaluate", "rank"]

Judged = Command[Literal["govern", "degrade"]]


def _analysis(state: State) -> Analysis:
    return cast("Analysis", state["analysis"])


def _with_row(state: State, **changes: Any) -> list[dict[str, Any]]:
    """The telemetry with the row of this round changed."""
    return [*state["rounds"][:-1], {**state["rounds"][-1], **changes}]


def rank(state: State, turn: Turn) -> Command[Literal["evaluate", "govern"]]:
    """Stage 1: the generator's own order over the candidates that count, cut to S."""
    row, input_text = state["rounds"][-1], gather(state, turn).input_text
    size = budget_of(state, turn).shortlist
    found = shortlist_of(_analysis(state), row["kept"], size=size, input_text=input_text)
    indexes = list(found.indexes)
    dropped = [*row["dropped"], *({"index": d.index, "reason": d.reason} for d in found.dropped)]
    update = {"shortlist": indexes, "rounds": _with_row(state, shortlist=indexes, dropped=dropped)}
    return Command(update=update, goto="evaluate" if indexes else "govern")


def _chosen(state: State, verdict: Verdict | None, reason: str = "") -> dict[str, Any]:
    """The best of this round and the rest of the shortlist; an earlier round's question may stay the best."""
    analysis, number = _analysis(state), state["round"]
    index = verdict.best if verdict else state["shortlist"][0]
    new = choice(analysis, index, round_number=number, verdict=verdict, degraded_reason=reason)
    if not is_better(new, state.get("best") or None):
        return {}
    rest = runners_up(
        analysis,
        tuple(state["shortlist"]),
        best=index,
        round_number=number,
        verdict=verdict,
        degraded_reason=reason,
    )
    return {"best": dict(new), "best_analysis": state["analysis"], "runners_up": [dict(row) for row in rest]}


def _evaluate(state: State, turn: Turn) -> Plan:
    facts, evaluator, analysis = gather(state, turn), turn.services.evaluator, _analysis(state)
    memory, local = [node.text for node in facts.nodes], evaluator.is_local
    shown = offered(analysis, state["shortlist"], local=local, input_text=facts.input_text, memory=memory)
    if not shown:
        return {"evaluation": {"degraded": "only_memory"}}
    parts = evaluation_parts(analysis, shown, input_text=facts.input_text, lang=facts.lang, local=local, memory=memory)
    parts = _fitting(parts, analysis, shown, room=evaluator.room)
    reply = yield Request(render(parts), deadline_of(state, turn), evaluation_schema(len(shown)))
    if isinstance(reply, NotAskedError):
        # Nothing was sent, so this says nothing about the evaluator: its circuit stays as it is.
        return {"evaluation": {"degraded": reason_of(reply).value}}
    row: dict[str, Any] = {"evaluator_calls": 1}
    if parts.user_text != facts.input_text:
        row["evaluator_read"] = {"characters": len(parts.user_text), "of": len(facts.input_text)}
    try:
        if isinstance(reply, RuleError):
            raise reply
        verdict = judge(reply or "", shown)
    except RuleError as error:
        evaluator.judged(usable=False)
        return {"evaluation": {"degraded": reason_of(error).value}, "rounds": _with_row(state, **row)}
    evaluator.judged(usable=True)
    verdict, stripped = _with_verified_rationale(verdict, state, turn, facts)
    row |= {
        "evaluation": verdict.to_dict(),
        "chosen": verdict.best,
        "stripped": [*state["rounds"][-1]["stripped"], *stripped],
    }
    return {"evaluation": verdict.to_dict(), "rounds": _with_row(state, **row), **_chosen(state, verdict)}


def _fitting(parts: PromptParts, analysis: Analysis, shown: Sequence[int], *, room: int | None) -> PromptParts:
    """The judge's prompt; of an input that is too long, the passages around what the candidates are about."""
    if room is None or estimate_prompt(render(parts)) <= room:
        return parts
    drafts = [analysis["question_candidates"][index] for index in shown]
    texts = [element_text(analysis["feature_map"], draft["target_element"]) for draft in drafts]
    around = estimate_prompt(render(replace(parts, user_text="")))
    return replace(parts, user_text=excerpt(parts.user_text, texts, room - around))


def _with_verified_rationale(
    verdict: Verdict, state: State, turn: Turn, facts: Facts
) -> tuple[Verdict, list[dict[str, Any]]]:
    """The verdict as it may be shown, and what was found in its words."""
    report = facts.verify(verdict.rationale)
    turn.services.removals.keep(removals_key(state, state["round"], "rationale"), report.removed)
    found = [{**row, "part": "rationale"} for row in report.to_dict()["verdicts"] if row["kind"] != "valid"]
    return replace(verdict, rationale=report.text), found


def _refused(turn: Turn) -> str:
    return turn.services.evaluator.unusable() if turn.context.evaluator else "evaluator_off"


def _judged(update: dict[str, Any]) -> Judged:
    return Command(update=update, goto="degrade" if "degraded" in update["evaluation"] else "govern")


def evaluate(state: State, turn: Turn) -> Judged:
    """Stage 2: one call of the pinned evaluator, or none where it cannot be asked."""
    refused = _refused(turn)
    if refused:
        return _judged({"evaluation": {"degraded": reason_of(refused).value}})
    turn.emit({"type": "progress", "stage": "evaluate", "round": state["round"]})
    return _judged(drive(_evaluate(state, turn), turn.services.evaluator))


async def aevaluate(state: State, turn: Turn) -> Judged:
    """Async form of `evaluate`."""
    refused = _refused(turn)
    if refused:
        return _judged({"evaluation": {"degraded": reason_of(refused).value}})
    turn.emit({"type": "progress", "stage": "evaluate", "round": state["round"]})
    return _judged(await adrive(_evaluate(state, turn), turn.services.evaluator))


def degrade(state: State, turn: Turn) -> dict[str, Any]:
    """Go on with stage 1 alone, and say why."""
    del turn
    reason = state["evaluation"]["degraded"]
    return {
        "degraded": True,
        "degraded_reason": state.get("degraded_reason") or reason,
        "rounds": _with_row(state, degraded=reason, chosen=state["shortlist"][0]),
        **_chosen(state, None, reason),
    }
