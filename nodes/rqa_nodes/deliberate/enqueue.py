"""What waits for a person, and what is written down of a run that kept nothing?

An answer under review goes into the product's one queue, with everything that a person needs to decide on it; the run
ends all the same. The same question with the same sources is the same item, however often it is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from rqa_checkpoints.errors import CheckpointError, QueueFullError
from rqa_checkpoints.provenance import CACHE_USER, Ask, Proposal, Scope
from rqa_nodes.deliberate.keeping import noted, used_sources
from rqa_nodes.deliberate.ports import Inquiry, cached
from rqa_nodes.deliberate.score import GI_VERSION
from rqa_nodes.deliberate.state import DeliberationState, ask_of

__all__ = ["ANSWER_KIND", "CONTESTED_KIND", "EXPIRING_KIND", "answer_payload", "enqueue", "item_key"]

ANSWER_KIND: Final = "cache_answer"
EXPIRING_KIND: Final = "cache_expiring"
CONTESTED_KIND: Final = "cache_contested"
_ASKED: Final = ("question", "domain", "locale", "jurisdiction")


def item_key(ask: Ask, sources: Mapping[str, str]) -> str:
    """The same question in the same scope, answered from the same sources, is one item."""
    parts = [ask.domain, ask.locale, ask.jurisdiction, ask.question.strip(), *sorted(sources.values())]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def answer_payload(state: DeliberationState, ask: Ask) -> dict[str, Any]:
    """What a person decides on."""
    used = used_sources(state)
    return {
        "ask": {name: getattr(ask, name) for name in _ASKED},
        "answer": state["chosen"]["text"],
        "sources": [asdict(cached(found, span)) | {"authority": found.authority} for found, span in used],
        "gi": state["gi"],
        "gi_version": GI_VERSION,
        "gi_components": state["counted"],
        "reason": state["reason"],
        "caps": state["caps"],
        "importance": state["importance"],
        "candidates": [
            {name: row[name] for name in ("engine", "family", "text")} for row in state["candidates"] if row["text"]
        ],
        "run": state["run"]["id"],
        "authors": [],
    }


def enqueue(state: DeliberationState, inquiry: Inquiry) -> dict[str, Any]:
    """Queue what a person must look at, and write down what the run came to."""
    update: dict[str, Any] = {}
    if state["outcome"] == "review":
        update = _queued(state, inquiry)
    noted({**state, **update}, inquiry, item=update.get("item", ""))  # type: ignore[typeddict-item]
    return update


def _queued(state: DeliberationState, inquiry: Inquiry) -> dict[str, Any]:
    ask = ask_of(state, inquiry.scope, lang=state["run"]["lang"])
    payload = answer_payload(state, ask)
    sources = {row["locator"]: row["sha256"] for row in payload["sources"]}
    engines = ", ".join(sorted({row["engine"] for row in payload["candidates"]}))
    kind = ANSWER_KIND
    if state.get("revalidates"):
        kind = CONTESTED_KIND if state["reason"] == "contested" else EXPIRING_KIND
    proposal = Proposal(kind=kind, payload=payload, requester=engines, key=item_key(ask, sources))
    try:
        found = inquiry.queue.put(proposal, scope=Scope(ask.tenant, CACHE_USER), at=state["run"]["at"])
    except QueueFullError as error:
        return {"outcome": "abstain", "reason": error.code}
    except CheckpointError:
        return {"outcome": "abstain", "reason": "not_queued"}
    return {"item": found.id}
