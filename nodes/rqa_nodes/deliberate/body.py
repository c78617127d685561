"""What is an asker told: the words, and the same as one JSON object?

The object is the body of `/v1/deliberate`. A served, a fresh, a waiting and a missing answer have the same fields, so
that nobody mistakes one for the other by what is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from rqa_nodes.deliberate.gate import may_show
from rqa_nodes.deliberate.keeping import used_sources
from rqa_nodes.deliberate.ports import cached
from rqa_nodes.deliberate.score import GI_VERSION
from rqa_nodes.deliberate.state import DeliberationState
from rqa_nodes.deliberate.words import WORDS

__all__ = ["body", "deliberated", "parts_of", "said", "source_row"]

_LEDGER_FAULTS: Final = frozenset({"ledger_key", "store_unavailable", "chain_broken", "home_not_writable"})
"""Nothing could be signed or written: what is given all the same is marked."""


def body(**fields: Any) -> dict[str, Any]:
    """The object with all its fields, of which the given ones differ from "there is no answer"."""
    empty: dict[str, Any] = {
        "status": "abstained",
        "answer": None,
        "giScore": None,
        "source": "deliberation",
        "ledgerTx": None,
        "entry": None,
        "sources": [],
        "verifiedAt": None,
        "validUntil": None,
        "humanOverride": False,
        "reason": "",
        "reviewId": None,
        "gi": {"version": "", "parts": {}, "caps": []},
    }
    trace: dict[str, Any] = {
        "cacheHit": False,
        "hitKind": None,
        "similarity": None,
        "matchedQuestion": None,
        "policyVersion": "",
        "guard": [],
        "bypassReason": "",
        "singleFlight": "none",
        "ledgerVerified": False,
    }
    return {**empty, **fields, "trace": {**trace, **fields.get("trace", {})}}


def source_row(handle: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """A source as an asker sees it."""
    return {
        "handle": handle,
        "locator": source["locator"],
        "publisher": source["publisher"],
        "retrievedAt": source["retrieved_at"],
        "sha256": source["sha256"],
        "span": source["span"],
    }


def parts_of(components: Mapping[str, int]) -> dict[str, int]:
    """The parts of a score by name, from what is attested with an answer."""
    return {name.removeprefix("part_"): value for name, value in components.items() if name.startswith("part_")}


def deliberated(state: DeliberationState) -> dict[str, Any]:
    """The object for a fresh answer."""
    counted, kept, used = state.get("counted", {}), state.get("kept", {}), used_sources(state)
    shown = _shown(state)
    return body(
        status="ok" if state["outcome"] == "accept" else "pending_review" if shown else "abstained",
        answer=state["chosen"]["text"] if shown else None,
        giScore=state["gi"] / 1000 if counted else None,
        ledgerTx=f"{kept['ledger_seq']}:{kept['ledger_hash']}" if kept else None,
        entry=kept.get("entry"),
        sources=[source_row(one.handle, asdict(cached(one, span))) for one, span in used] if shown else [],
        verifiedAt=kept.get("verified_at"),
        validUntil=kept.get("valid_until"),
        reason=state["reason"],
        reviewId=state.get("item") or None,
        gi={"version": GI_VERSION if counted else "", "parts": parts_of(counted), "caps": state.get("caps", [])},
        trace={"ledgerVerified": bool(kept), "bypassReason": state.get("refused", "")},
    )


def _shown(state: DeliberationState) -> bool:
    if state["outcome"] == "accept":
        return True
    return (
        state["outcome"] == "review"
        and bool(state.get("item"))
        and may_show(state["gi"], sensitive=state["reason"] == "sensitive")
    )


def said(state: DeliberationState) -> str:
    """What the asker reads."""
    words = WORDS["ja" if state["run"]["lang"] == "ja" else "en"]
    text, item = state.get("chosen", {}).get("text", ""), state.get("item", "")
    if state["outcome"] == "accept":
        refused = state.get("refused", "")
        return f"{words['unkept'].format(reason=refused)}\n\n{text}" if refused in _LEDGER_FAULTS else text
    if _shown(state):
        return f"{words['pending'].format(item=item)}\n\n{text}"
    reason = words.get(state["reason"], state["reason"])
    return " ".join([words["abstained"].format(reason=reason), *([words["asked"].format(item=item)] if item else [])])
