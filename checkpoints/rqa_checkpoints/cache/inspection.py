"""Does everything in the ledger hold, and is every row what its events say?

The whole of it, where a look-up proves one entry: each signed event, each payload, and the rows as they would be built
from the events alone. What a tampered column hides from a look-up is found here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from rqa_checkpoints import tables
from rqa_checkpoints.cache.ledger import LedgerFault, is_signed
from rqa_checkpoints.cache.proof import prove_attestation
from rqa_checkpoints.cache.reader import TAMPERED
from rqa_checkpoints.cache.rows import ATTEST, CACHE_RULES, CHANGE
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.chain import Event
from rqa_checkpoints.database import Database
from rqa_checkpoints.facts import Fact
from rqa_checkpoints.records import Scope

__all__ = ["Inspection", "inspect_ledger"]

_TABLES = (tables.cache_entry, tables.cache_event, tables.cache_rollout, tables.cache_audit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What was found."""

    events: int
    entries: int
    first_broken: int | None
    """Number of the first event of the whole chain that is not as it was written."""
    faults: tuple[LedgerFault, ...]

    @property
    def holds(self) -> bool:
        """Is nothing wrong?"""
        return self.first_broken is None and not self.faults


def inspect_ledger(store: CacheStore) -> Inspection:
    """Check all of it; reads only."""
    broken = store.ledger.log.verify_chain()
    with store.reading() as view:
        events = store.ledger.signed(view)
        faults = [*_event_faults(store, events), *_row_faults(view, events)]
        entries = len(view.execute(select(tables.cache_entry.c.id)).all())
    return Inspection(events=len(events), entries=entries, first_broken=broken, faults=tuple(faults))


def _event_faults(store: CacheStore, events: list[Event]) -> Iterator[LedgerFault]:
    keys = store.ledger.ring.trusted
    for event in events:
        try:
            fault = is_signed(event, keys)
            if not fault and event.op == ATTEST:
                fault, _ = prove_attestation(event, keys)
            entry = str(event.public().get("entry", ""))
            reason = str(event.public().get("reason", "")) if event.op == CHANGE else ""
            fault = fault or (reason if reason.startswith(TAMPERED) else "")
        except (ValueError, KeyError, TypeError, AttributeError):
            fault, entry = "unreadable", ""
        if fault and fault != "erased":
            yield LedgerFault(seq=event.seq, entry=entry, what=fault)


def _row_faults(view: Connection, events: list[Event]) -> Iterator[LedgerFault]:
    """Rows that the events do not give, and rows that they give and that are missing."""
    fresh = Database.open(":memory:")
    try:
        with fresh.writing() as target:
            for event in events:
                try:
                    fact = Fact(
                        seq=event.seq,
                        op=event.op,
                        scope=Scope(event.tenant, event.user),
                        public=event.public(),
                        private=event.secret(),
                    )
                    CACHE_RULES[event.op](target, fact)
                except Exception:  # noqa: BLE001, S112  # a tampered event was named above; its rows show as missing
                    continue
            for table in _TABLES:
                wanted, found = _rows(target, table), _rows(view, table)
                for key in sorted({*wanted, *found}, key=str):
                    if wanted.get(key) != found.get(key):
                        yield LedgerFault(seq=0, entry=_named(table, key), what=f"row:{table.name}")
    finally:
        fresh.close()


def _rows(view: Connection, table: Any) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    width = len(table.primary_key.columns)
    columns = [*table.primary_key.columns, *table.c]
    return {tuple(row[:width]): tuple(row[width:]) for row in view.execute(select(*columns))}


def _named(table: Any, key: tuple[Any, ...]) -> str:
    names = [column.name for column in table.primary_key.columns]
    fields = dict(zip(names, key, strict=True))
    return str(fields.get("id", fields.get("entry", "")))
