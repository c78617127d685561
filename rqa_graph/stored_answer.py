"""How is a stored answer given out: the body of `/v1/deliberate` for a hit."""

from __future__ import annotations

from typing import Any, Final

from rqa_checkpoints.cache.records import Lookup
from rqa_checkpoints.provenance import source_handle
from rqa_nodes.deliberate.body import body, parts_of, source_row

__all__ = ["hit_body"]

_SOURCES: Final = {"exact": "integrity_cache_exact", "semantic": "integrity_cache_semantic"}


def hit_body(found: Lookup) -> dict[str, Any]:
    """The body for a stored answer."""
    entry = found.entry
    assert entry is not None  # a hit has one
    assert found.hit is not None
    return body(
        status="ok",
        answer=entry.answer,
        giScore=entry.gi / 1000,
        source=_SOURCES[found.hit.value],
        ledgerTx=f"{entry.attestation}:{entry.payload_hash}",
        entry=entry.id,
        sources=[source_row(source_handle(row["locator"], row["sha256"]), row) for row in entry.payload["sources"]],
        verifiedAt=entry.verified_at,
        validUntil=entry.valid_until,
        humanOverride=entry.human_override,
        reason=found.reason.value,
        gi={
            "version": entry.payload["gi_version"],
            "parts": parts_of(entry.payload["gi_components"]),
            "caps": [],
        },
        trace={
            "cacheHit": True,
            "hitKind": found.hit.value,
            "similarity": found.similarity / 1000 if found.similarity is not None else None,
            "matchedQuestion": entry.question,
            "policyVersion": found.policy_version,
            "guard": list(found.detail),
            "ledgerVerified": True,
        },
    )
