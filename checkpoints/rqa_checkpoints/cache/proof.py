"""Is an entry, at this moment, what was attested?

Asked each time before one is served: the words and columns are compared with the signed event, every event about the
entry is checked with its signature, and the state that these events add up to must be the state of the row. A row that
does not hold is no entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, RowMapping

from rqa_checkpoints.cache.entries import columns_of
from rqa_checkpoints.cache.ledger import Ledger, is_signed
from rqa_checkpoints.cache.records import Entry, EntryStatus, FreshnessTag
from rqa_checkpoints.cache.rows import ATTEST, AUDIT, CHANGE, COMMIT
from rqa_checkpoints.cache.signing import PublicKeys, payload_digest
from rqa_checkpoints.chain import Event

__all__ = ["Proof", "prove", "prove_attestation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a row turned out to be."""

    fault: str
    """"" if it holds, else the name of the check that failed."""
    entry: Entry | None = None


@dataclass(slots=True)
class _State:
    """What the events add up to."""

    born: int = 0
    changed: int = 0
    fields: dict[str, Any] = field(default_factory=dict)


def prove(view: Connection, ledger: Ledger, row: RowMapping) -> Proof:
    """Check one row of `cache_entry` against the ledger. Never raises for what stands in it.

    Row and events are read each time; where every value and byte of them is one that held before under the same keys,
    so does it now, and the signatures are not computed again.
    """
    events = ledger.about(view, str(row["tenant"]), str(row["id"]))
    same = (ledger.ring.current, tuple(row.items()), tuple(events))
    kept = ledger.kept_proofs.get(same)
    if kept is not None:
        return Proof(fault="", entry=kept)
    found = _proven(events, row, ledger)
    if found.entry is not None:
        ledger.kept_proofs.put(same, found.entry)
    return found


def _proven(events: Sequence[Event], row: RowMapping, ledger: Ledger) -> Proof:
    try:
        fault, payload = _fault(events, row, ledger.ring.trusted)
        entry = _entry(row, payload) if not fault else None
    except (KeyError, ValueError, TypeError, AttributeError):
        fault, entry = "unreadable", None
    return Proof(fault=fault, entry=entry)


def prove_attestation(event: Event, keys: PublicKeys) -> tuple[str, Mapping[str, Any]]:
    """Is this event a signed attestation of the words that lie with it? The fault, "" for none, and the payload."""
    fault = is_signed(event, keys)
    if fault:
        return fault, {}
    payload, public = event.secret().get("payload", {}), event.public()
    if event.op != ATTEST or payload_digest(payload) != public["payload_hash"]:
        return "payload", {}
    if payload["id"] != public["entry"] or payload["tenant"] != event.tenant:
        return "payload", {}
    return "", payload


def _fault(events: Sequence[Event], row: RowMapping, keys: PublicKeys) -> tuple[str, Mapping[str, Any]]:
    attested = [event for event in events if event.seq == row["attestation"]]
    if not attested:
        return "no_attestation", {}
    fault, payload = prove_attestation(attested[0], keys)
    if fault:
        return fault, {}
    for event in events:
        fault = is_signed(event, keys) if event.seq != row["attestation"] else ""
        if fault:
            return fault, {}
    columns = columns_of(payload, payload_hash=attested[0].public()["payload_hash"], attestation=attested[0].seq)
    if payload["id"] != row["id"] or any(_differs(row[name], value) for name, value in columns.items()):
        return "columns", {}
    state = _state(events, str(row["id"]), columns)
    if state is None:
        return "no_commit", {}
    own = {**state.fields, "born": state.born, "changed": state.changed}
    return ("status" if any(_differs(row[name], value) for name, value in own.items()) else ""), payload


def _differs(found: Any, wanted: Any) -> bool:
    return type(found) is not type(wanted) or found != wanted


def _state(events: Sequence[Event], entry: str, columns: Mapping[str, Any]) -> _State | None:
    state = _State()
    for event in events:
        public = event.public()
        if event.op == COMMIT and public["entry"] == entry:
            found = public["columns"]
            if found.keys() != columns.keys() or any(_differs(found[name], value) for name, value in columns.items()):
                return None
            status = EntryStatus.active.value
            state = _State(event.seq, event.seq, {"status": status, "servable": public["servable"]})
            state.fields["quarantined"] = False
        elif event.op == COMMIT and state.fields.get("status") == EntryStatus.active.value:
            state.fields["status"], state.changed = EntryStatus.superseded.value, event.seq
        elif event.op == CHANGE:
            state.fields |= public["change"]
            state.changed = event.seq
        elif event.op not in (ATTEST, AUDIT, COMMIT):
            return None
    return state if state.born else None


def _entry(row: RowMapping, payload: Mapping[str, Any]) -> Entry:
    return Entry(
        id=row["id"],
        tenant=row["tenant"],
        payload=payload,
        payload_hash=row["payload_hash"],
        attestation=row["attestation"],
        status=EntryStatus(row["status"]),
        servable=row["servable"],
        quarantined=row["quarantined"],
        gi=row["gi"],
        freshness_tag=FreshnessTag(row["freshness_tag"]),
        verified_at=row["verified_at"],
        valid_until=row["valid_until"],
        human_override=row["human_override"],
        scope_key=row["scope_key"],
        embedding_model=row["embedding_model"],
        supersedes=row["supersedes"],
    )
