"""The node `govern`: may this leave, and does the reflection go one round deeper?

Counters come from the nodes, limits from the budget; nothing that a model wrote can move either. At the end it writes
the panel (level 3) or the side question (level 2) as verified text for the publishing node.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal, cast

from langgraph.types import Command

from rqa_checkpoints.errors import UnknownProposalError
from rqa_checkpoints.provenance import QueueStatus, proposal_id
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.facts import gather, given_refs, scope_of
from rqa_nodes.reflect.asking import budget_of, deadline_of, removals_key
from rqa_nodes.reflect.budgets import Budget
from rqa_nodes.reflect.choice import Choice
from rqa_nodes.reflect.govern import Counters, Decision, Violation, gates
from rqa_nodes.reflect.govern import govern as decide
from rqa_nodes.reflect.panel import Boundary, panel, to_markdown
from rqa_nodes.reflect.schema import Analysis
from rqa_nodes.reflect.self_update import SELF_UPDATE
from rqa_nodes.reflect.side_question import may_surface, spend
from rqa_nodes.state import Draft, LateQuestion, State
from rqa_nodes.tools.controller import used
from rqa_nodes.turn import Turn

__all__ = ["govern"]

_LEAST_ROUND = timedelta(seconds=1)
"""Less time than this is no time for another round."""


def _counters(state: State, turn: Turn, budget: Budget) -> Counters:
    row, rows, tools = state["rounds"][-1], state.get("tools", []), turn.services.tools
    called = {name: tools.get(name) for name in tools.enabled}
    return Counters(
        round=state["round"],
        fragments=min(len(state.get("injected", [])), budget.fragments),
        completions=row["completions"],
        evaluator_calls=row["evaluator_calls"],
        searches=sum(bool(lookup["items"]) for lookup in rows),
        lookups=row.get("lookups", 0),
        over_tools=tuple(sorted(name for name, tool in called.items() if tool and used(rows, name) > tool.calls)),
    )


def _violations(state: State, turn: Turn, counters: Counters, budget: Budget) -> tuple[Violation, ...]:
    if not state["analysis"]:
        return ()
    facts = gather(state, turn)
    return gates(
        cast("Analysis", state["analysis"]),
        counters,
        budget,
        texts=[state["evaluation"].get("rationale", "")],
        input_text=facts.input_text,
        memory=[node.text for node in facts.nodes],
        enabled_tools=turn.services.tools.enabled,
        log_intact=turn.services.memory.is_intact(),
    )


def _decide(state: State, turn: Turn, budget: Budget) -> Decision:
    counters, out_of_time = _counters(state, turn, budget), _is_out_of_time(state, turn)
    return decide(
        state.get("best") or None,
        _violations(state, turn, counters, budget),
        counters,
        budget,
        deep_enough=turn.services.budgets.thresholds.deep_enough,
        out_of_time=out_of_time,
        # A model that is cut off by the clock has not failed.
        model_failed=not state["analysis"] and not out_of_time,
    )


def _is_out_of_time(state: State, turn: Turn) -> bool:
    return turn.services.clock() + _LEAST_ROUND >= deadline_of(state, turn)


def _stripped(rounds: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [verdict for row in rounds for verdict in row.get("stripped", [])]


def _items(shown: Mapping[str, Any]) -> list[dict[str, str]]:
    """What the panel leaves in memory: its question and its tensions, the assistant's own."""
    question = shown["question"]
    items = [{"text": question["question"], "kind": "question"}] if question else []
    return items + [{"text": tension, "kind": "tension"} for tension in shown["tensions"]["input"]]


def _proposal(analysis: Mapping[str, Any] | None, state: State, turn: Turn) -> dict[str, Any] | None:
    """What the generator would like to change, for a person to decide; None for what a person decided before."""
    payload = (analysis or {}).get("self_update_proposal")
    if not payload:
        return None
    try:
        checked = dict(SELF_UPDATE.check(payload))
    except ProposalRefusedError:
        return None
    key, scope = json.dumps(checked, sort_keys=True), scope_of(state, turn)
    item = proposal_id(scope, SELF_UPDATE.name, key)
    try:
        waits = turn.services.memory.queue.get(item, scope=scope).status is QueueStatus.pending
    except UnknownProposalError:
        waits = True
    made = {"kind": SELF_UPDATE.name, "payload": checked, "requester": state["engine"], "key": key}
    return {"item": item, "proposal": made} if waits else None


def _reading(state: State) -> list[Mapping[str, Any]]:
    """What was read of the documents, and what the judge was shown of them where that was not all."""
    shown = [row["evaluator_read"] for row in state["rounds"] if "evaluator_read" in row]
    return [*state.get("reading", {}).get("rows", []), *({"evaluator": row} for row in shown[-1:])]


def _panel(state: State, turn: Turn, decision: Decision, budget: Budget) -> dict[str, Any]:
    rejected = decision.rejected
    best = None if rejected else cast("Choice | None", state.get("best") or None)
    analysis = state.get("best_analysis") if best else state["analysis"]
    stop = decision.stop_reason
    boundary = Boundary(
        stop_reason=stop.value if stop else "",
        budget=budget,
        rounds=state["round"],
        injected=min(len(state.get("injected", [])), budget.fragments),
        violations=[violation.to_dict() for violation in decision.violations],
        withheld=state.get("withheld", []),
        stripped=_stripped(state["rounds"]),
        reading=_reading(state),
        lookups=[dict(row) for row in state.get("tools", [])],
        understood=[text for row in state["rounds"] for text in row.get("understood", [])],
    )
    rest = cast("list[Choice]", state.get("runners_up", []))
    shown = panel(cast("Analysis | None", analysis or None), best, rest, boundary, lang=state["turn"]["lang"])
    wish = None if rejected else _proposal(analysis, state, turn)
    shown.pop("self_update_proposal", None)
    if wish:
        shown["self_update_proposal"] = {"item": wish["item"], **wish["proposal"]["payload"]}
    # Each string is verified; together they are a new text, and a sentence may mean more beside another.
    report = gather(state, turn).verify(to_markdown(shown))
    turn.services.removals.keep(removals_key(state, "panel"), report.removed)
    draft = Draft(
        part="answer",
        text=report.text,
        released=0,
        author=state["engine"],
        items=_items(shown),
        notes=[],
        report=report.to_dict(),
        proposals=[wish["proposal"]] if wish else [],
    )
    return {"panel": shown, "draft": draft, "question": best["question"] if best else None}


def _held(state: State, best: Mapping[str, Any]) -> dict[str, Any]:
    """A question that lost only to the clock waits for the next answer."""
    late = LateQuestion(
        turn=state["turn"],
        question=best["question"],
        target_text=best["target_text"],
        author=state["engine"],
        injected=given_refs(state),
    )
    draft = Draft(part="held", text="", released=0, author=state["engine"], items=None, notes=[], report={})
    return {"draft": draft, "question_reason": "held", "late": late}


def _side_question(state: State, turn: Turn, decision: Decision) -> dict[str, Any]:
    best = state.get("best") or None
    ruling = may_surface(
        None if decision.rejected else best,
        thresholds=turn.services.budgets.thresholds,
        budget=state.get("question_budget"),
        closed_topics=state.get("closed_topics", []),
    )
    if ruling.surfaces and best and _is_out_of_time(state, turn):
        return _held(state, best)
    text = best["question"] if best and ruling.surfaces else ""
    wish = None if decision.rejected else _proposal(state["analysis"], state, turn)
    draft = Draft(
        part="question",
        text=text,
        released=0,
        author=state["engine"],
        items=None,
        notes=[],
        report={},
        proposals=[wish["proposal"]] if wish else [],
    )
    update: dict[str, Any] = {"draft": draft, "question_reason": ruling.reason}
    if ruling.surfaces and best:
        update |= {
            "question_budget": spend(state.get("question_budget")),
            "asked": [best["question"], best["target_text"]],
        }
    return update


def govern(state: State, turn: Turn) -> Command[Literal["analyse", "verify"]]:
    """Check every gate, then stop with a reason or go one round deeper."""
    budget = budget_of(state, turn)
    decision = _decide(state, turn, budget)
    row = {**state["rounds"][-1], "violations": [violation.gate.name for violation in decision.violations]}
    update: dict[str, Any] = {"rounds": [*state["rounds"][:-1], row]}
    if decision.stop_reason is None:
        return Command(update=update, goto="analyse")
    update["stop_reason"] = decision.stop_reason.value
    if state["route"]["level"] == 3:
        update |= _panel(state, turn, decision, budget)
    else:
        update |= _side_question(state, turn, decision)
    return Command(update=update, goto="verify")
