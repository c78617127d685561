"""Nothing that was verified answers this: what do the sources say now?

The node of a turn that runs the steps of a deliberation, as a graph without a verifier of its own. What comes of it is
a draft like any other: the turn's verifier checks it with the sources as external items, which are read again from the
corpus and not from the state. A waiting answer and a missing one say so in words; nothing here leaves an item in
memory, since what was verified lies in the ledger and what was not is in the review queue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.provenance import CacheOutcome
from rqa_nodes.deliberate.state import DeliberationInput, Prior
from rqa_nodes.facts import gather_input, scope_of
from rqa_nodes.state import Draft, State
from rqa_nodes.turn import Turn

__all__ = ["AUTHOR", "adeliberate", "deliberate"]

AUTHOR: Final = "deliberation"


def _prior(state: State, turn: Turn) -> Prior | None:
    """The kept answer to a near question, read from the ledger."""
    cached, cache = state["cached"], turn.services.cache
    if cache is None or cached.get("outcome") != CacheOutcome.context.value or not cached.get("entry"):
        return None
    try:
        entry = cache.entry(str(cached["entry"]), tenant=scope_of(state, turn).tenant)
    except CheckpointError:
        return None
    return Prior(entry=entry.id, question=entry.question, answer=entry.answer)


def asked_of(state: State, turn: Turn) -> DeliberationInput:
    """The question of a turn as the steps take it."""
    wanted = state["cache_request"]
    return DeliberationInput(
        question=gather_input(state, turn).user_text,
        domain=wanted.get("domain", ""),
        locale=state["turn"]["lang"],
        jurisdiction=wanted.get("jurisdiction", ""),
        cacheable=True,
        prior=_prior(state, turn),
    )


def told(state: State, done: Mapping[str, Any]) -> dict[str, Any]:
    """What the steps came to, as the draft of the turn."""
    result, domain = done["result"], str(state["cache_request"].get("domain", ""))
    sources = [{"locator": row["locator"], "sha256": row["sha256"]} for row in result["sources"]]
    kept = {name: result[name] for name in ("status", "reason", "giScore", "entry", "reviewId")}
    return {
        "deliberated": {**kept, "domain": domain, "sources": sources},
        "engine": AUTHOR,
        "route": {**state["route"], "side_question": False},
        "draft": Draft(part="answer", text=done["said"], released=0, author=AUTHOR, items=[], notes=[], report={}),
    }


def deliberate(state: State, turn: Turn) -> dict[str, Any]:
    """Find an answer in the sources, or say that there is none."""
    done = turn.services.deliberate(asked_of(state, turn), looked=state["cached"], scope=scope_of(state, turn))
    return told(state, done)


async def adeliberate(state: State, turn: Turn) -> dict[str, Any]:
    """Async form of `deliberate`."""
    given = await asyncio.to_thread(asked_of, state, turn)
    done = await turn.services.adeliberate(given, looked=state["cached"], scope=scope_of(state, turn))
    return told(state, done)
