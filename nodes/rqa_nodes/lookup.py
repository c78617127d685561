"""Was this answered before, and verified then?

Asked only where the request allows it (`cacheable`), before memory, a model or a tool takes part, and never for what
came with a document or asked for the panel. A stored answer is given only if the verifier leaves it as it is, alone
with its sources and again with the facts of this turn; otherwise it is put aside and the turn goes on as if it had
never been.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from langgraph.types import Command

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.provenance import Ask, CacheOutcome, CacheReason, Entry, Lookup
from rqa_nodes.facts import Facts, cached_sources, gather, gather_input, scope_of
from rqa_nodes.ports import Cache
from rqa_nodes.state import Draft, ItemRef, State
from rqa_nodes.turn import Turn

__all__ = ["lookup"]

_AUTHOR = "integrity-cache"
_INSTRUMENT = 3
_WRITES = 1
"""The phase of the rollout from which on a question is deliberated on, and its answer kept."""
_NOT_DELIBERATED = frozenset(
    {CacheReason.store_failed, CacheReason.jurisdiction_missing, CacheReason.jurisdiction_conflict}
)


def ask_of(state: State, turn: Turn, question: str) -> Ask:
    """The request as the cache takes it. What a state says of its owner decides nothing: the run's context does."""
    wanted = state["cache_request"]
    return Ask(
        question=question,
        tenant=scope_of(state, turn).tenant,
        domain=wanted.get("domain", ""),
        locale=state["turn"]["lang"],
        jurisdiction=wanted.get("jurisdiction", ""),
    )


def refused(state: State) -> CacheReason | None:
    """Why the cache is not asked, whatever is in it: the turn is about more than its question."""
    if state.get("documents"):
        return CacheReason.documents
    return CacheReason.instrument if state["route"]["level"] == _INSTRUMENT else None


def find(cache: Cache, ask: Ask) -> Lookup:
    """Look a question up; an answer that the verifier would change now is put aside."""
    found = cache.look(ask)
    entry = found.entry
    if found.outcome is not CacheOutcome.hit or entry is None:
        return found
    alone = Facts(lang=ask.locale, user_text="", nodes=cached_sources(entry))
    if alone.verify(entry.answer, written=False).text == entry.answer:
        return found
    cache.quarantine(entry.id, tenant=ask.tenant, reason=CacheReason.not_verified.value)
    return _not_verified(found)


def _not_verified(found: Lookup) -> Lookup:
    return replace(found, outcome=CacheOutcome.miss, reason=CacheReason.not_verified, entry=None, hit=None)


def _trace(found: Lookup) -> dict[str, Any]:
    """What the state keeps: names, numbers and ids; the question that matched is shown, so that a person can object."""
    entry = found.entry
    shown = {"matched_question": entry.question, "valid_until": entry.valid_until, "gi": entry.gi} if entry else {}
    return {**found.to_dict(), **shown}


def _given(state: State, entry: Entry, report: dict[str, Any]) -> dict[str, Any]:
    """The stored answer on its way to `verify`. It leaves no item: what was verified lies in the ledger."""
    refs = [ItemRef(id=node.id, handle=node.handle, source=node.source.value) for node in cached_sources(entry)]
    return {
        "injected": refs,
        "engine": _AUTHOR,
        "route": {**state["route"], "side_question": False},
        "draft": Draft(part="answer", text=entry.answer, released=0, author=_AUTHOR, items=[], notes=[], report=report),
    }


def _answered(state: State, turn: Turn, cache: Cache, ask: Ask) -> tuple[Lookup, dict[str, Any]]:
    """What the look-up came to, and the update that gives its answer; empty where there is none to give."""
    found = find(cache, ask)
    if found.outcome is not CacheOutcome.hit or found.entry is None:
        return cache.confirm(ask, found), {}
    report = gather(state, turn).with_found(cached_sources(found.entry)).verify(found.entry.answer)
    if report.text != found.entry.answer:  # only what was said in this thread makes it say something else
        found = _not_verified(found)
    found = cache.confirm(ask, found)
    if found.outcome is not CacheOutcome.hit or found.entry is None:
        return found, {}
    return found, _given(state, found.entry, report.to_dict())


def onward(found: Lookup, turn: Turn) -> Literal["deliberate", "recall"]:
    """Where a question goes that no stored answer is given to.

    To memory and a model goes what must not be deliberated on (a bypass), what cannot be (a store that fails, no source
    on the list, no law named), and everything while the rollout only watches.
    """
    asked = found.outcome is not CacheOutcome.bypass and found.reason not in _NOT_DELIBERATED
    return "deliberate" if asked and found.phase >= _WRITES and turn.services.deliberates else "recall"


def lookup(state: State, turn: Turn) -> Command[Literal["deliberate", "recall", "verify"]]:
    """Give the stored answer, or go on."""
    cache, reason = turn.services.cache, refused(state)
    if cache is None or reason is not None:
        trace = {"outcome": CacheOutcome.bypass.value, "reason": (reason or CacheReason.store_failed).value}
        return Command(update={"cached": trace}, goto="recall")
    try:
        found, update = _answered(state, turn, cache, ask_of(state, turn, gather_input(state, turn).user_text))
    except CheckpointError:
        trace = {"outcome": CacheOutcome.miss.value, "reason": CacheReason.store_failed.value}
        return Command(update={"cached": trace}, goto="recall")
    turn.emit({"type": "cache", "outcome": found.outcome.value, "reason": found.reason.value})
    return Command(update={"cached": _trace(found), **update}, goto="verify" if update else onward(found, turn))
