"""What is an asker told: the words, and the same as one JSON object?

The object is the body of `/v1/deliberate`. A served, a fresh, a waiting and a missing answer have the same fields, so
that nobody mistakes one for the other by what is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rqa_nodes.deliberate.gate import may_show
from rqa_nodes.deliberate.keeping import used_sources
from rqa_nodes.deliberate.ports import Found
from rqa_nodes.deliberate.score import GI_VERSION
from rqa_nodes.deliberate.state import DeliberationState
from rqa_nodes.deliberate.words import WORDS

__all__ = ["body", "deliberated", "said", "source_row"]

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


def deliberated(state: DeliberationState) -> dict[str, Any]:
    """The object for a fresh answer."""
    counted, kept = state.get("counted", {}), state.get("kept", {})
    shown = _shown(state)
    parts = {name.removeprefix("part_"): value for name, value in counted.items() if name.startswith("part_")}
    return body(
        status={"accept": "ok", "review": "pending_review" if shown else "abstained"}.get(
            state["outcome"], "abstained"
        ),
        answer=state["chosen"]["text"] if shown else None,
        giScore=state["gi"] / 1000 if counted else None,
        ledgerTx=f"{kept['ledger_seq']}:{kept['ledger_hash']}" if kept else None,
        entry=kept.get("entry"),
        sources=[source_row(found.handle, _row(found, span)) for found, span in used_sources(state)] if shown else [],
        verifiedAt=kept.get("verified_at"),
        validUntil=kept.get("valid_until"),
        reason=state["reason"],
        reviewId=state.get("item") or None,
        gi={"version": GI_VERSION if counted else "", "parts": parts, "caps": state.get("caps", [])},
        trace={"ledgerVerified": bool(kept), "bypassReason": state.get("refused", "")},
    )


def _row(found: Found, span: str) -> dict[str, Any]:
    return {
        "locator": found.locator,
        "publisher": found.publisher,
        "retrieved_at": found.retrieved_at,
        "sha256": found.sha256,
        "span": span,
    }


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
