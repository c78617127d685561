"""May the answer be kept, must a person look at it, or is there none?

One table from what was counted to what is done. A person is asked where the score is near, where the domain is
sensitive, and where only a second opinion is missing: then the person is that opinion. The asker never waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from langgraph.types import Command, Send

from rqa_nodes.deliberate.agreement import contradictions
from rqa_nodes.deliberate.claims import Guard, claims_of
from rqa_nodes.deliberate.engines import tasks
from rqa_nodes.deliberate.ports import Inquiry
from rqa_nodes.deliberate.score import CAP
from rqa_nodes.deliberate.state import DeliberationState, Outcome, ask_of

__all__ = ["HIGH_IMPORTANCE", "RULES", "SHOWN_GI", "Case", "Rule", "Ruling", "gate", "may_show", "rule"]

SHOWN_GI: Final = 800
"""From here on an answer that waits for a person may be shown, marked as unverified; below, the asker gets none."""
HIGH_IMPORTANCE: Final = 300
"""A hundred times the binary logarithm of (1 + requests in 30 days), times the risk of the domain: 7 requests of a
plain domain, or 2 of a sensitive one."""
_FLOOR: Final = CAP + 1
"""The score from which on an answer counts as verified where no policy says more."""
_ONLY_MISSING: Final = frozenset({"one_family", "no_reviewer"})


class Case(NamedTuple):
    """What a ruling is made of."""

    gi: int
    baseline: int
    sensitive: bool
    caps: frozenset[str]
    support: int
    """Thousandths of the claims that sources carry."""
    importance: int
    keepable: bool
    """Question and answer may be written down."""
    can_repeat: bool
    """There are engines that were not asked yet."""
    contested: bool = False
    """It says something else than the answer that was kept for this very question."""


class Ruling(NamedTuple):
    """What becomes of an answer."""

    outcome: Outcome | Literal["again"]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One row: the first whose condition holds decides."""

    id: str
    condition: Callable[[Case], bool]
    outcome: Outcome | Literal["again"]


RULES: Final[tuple[Rule, ...]] = (
    Rule(id="no_source", condition=lambda c: "no_source" in c.caps, outcome="abstain"),
    Rule(id="again", condition=lambda c: c.gi < SHOWN_GI and c.can_repeat, outcome="again"),
    Rule(id="no_answer", condition=lambda c: "no_answer" in c.caps, outcome="abstain"),
    Rule(id="contested", condition=lambda c: c.contested and c.keepable, outcome="review"),
    Rule(id="score", condition=lambda c: c.gi >= c.baseline and not c.sensitive, outcome="accept"),
    Rule(id="not_keepable", condition=lambda c: not c.keepable, outcome="abstain"),
    Rule(id="sensitive", condition=lambda c: c.gi >= c.baseline, outcome="review"),
    Rule(id="low_gi", condition=lambda c: c.gi >= SHOWN_GI, outcome="review"),
    Rule(
        id="no_second_opinion",
        condition=lambda c: c.support == 1000 and bool(c.caps) and c.caps <= _ONLY_MISSING,
        outcome="review",
    ),
    Rule(id="important", condition=lambda c: c.importance >= HIGH_IMPORTANCE, outcome="review"),
    Rule(id="below_band", condition=lambda _: True, outcome="abstain"),
)
"""Order matters; the last row always holds."""


def rule(case: Case) -> Ruling:
    """The first row that holds."""
    found = next(row for row in RULES if row.condition(case))
    return Ruling(found.outcome, found.id)


def may_show(gi: int, *, sensitive: bool) -> bool:
    """May an answer that waits for a person be shown, marked as unverified?"""
    return gi >= SHOWN_GI and not sensitive


def gate(state: DeliberationState, inquiry: Inquiry) -> Command[Literal["engines", "attest", "enqueue"]]:
    """Rule on the answer."""
    ask = ask_of(state, inquiry.scope, lang=state["run"]["lang"])
    limits = inquiry.answer_library.limits(ask)
    text = state.get("chosen", {}).get("text", "")
    findings = inquiry.answer_library.findings(ask, text)
    case = Case(
        gi=state.get("gi", 0),
        baseline=limits.baseline_gi if limits else _FLOOR,
        sensitive=bool(limits and limits.sensitive),
        caps=frozenset(state.get("caps", ["no_source"])),
        support=state.get("counted", {}).get("part_support", 0),
        importance=inquiry.answer_library.importance(ask),
        keepable=bool(limits) and ask.cacheable and not ask.no_store and not findings,
        can_repeat=state["run"]["round"] == 1 and bool(inquiry.bench.alternates),
        contested=_contests(state, text, inquiry.guard),
    )
    ruling = rule(case)
    if ruling.outcome == "again":
        again: DeliberationState = {**state, "run": {**state["run"], "round": 2}}
        sends = [Send("engines", task) for task in tasks(again, inquiry.bench.alternates)]
        return Command(update={"run": again["run"]}, goto=sends)
    update: dict[str, Any] = {
        "outcome": ruling.outcome,
        "reason": ruling.reason,
        "importance": case.importance,
        "refused": _refusal(case, findings),
    }
    return Command(update=update, goto="attest" if ruling.outcome == "accept" and case.keepable else "enqueue")


def _contests(state: DeliberationState, text: str, guard: Guard) -> bool:
    prior = state.get("prior")
    if not text or not prior or not state.get("revalidates"):
        return False
    before, now = ([claim.text for claim in claims_of(answer)] for answer in (prior["answer"], text))
    return contradictions(before, now, guard, state["run"]["lang"]) > 0


def _refusal(case: Case, findings: Sequence[str]) -> str:
    """Why nothing of this run is kept, where that is known already."""
    if case.keepable:
        return ""
    return "findings" if findings else "not_cacheable"
