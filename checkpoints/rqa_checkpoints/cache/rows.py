"""What do the events of the ledger add up to?

The rules of `state.py` for the events of the Integrity Cache. The columns come from the signed event alone, so that a
replay of the log gives the same rows; a new entry and the end of the one that it replaces are one event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import Connection, and_, delete, insert, select, update

from rqa_checkpoints import tables
from rqa_checkpoints.cache.records import ATTESTED_COLUMNS, EntryStatus
from rqa_checkpoints.facts import Fact

__all__ = ["ATTEST", "AUDIT", "CACHE_RULES", "CHANGE", "COMMIT", "KEY", "ROLLOUT", "RUN", "erase_cached", "run_name"]

ATTEST: Final = "attest"
"""What an answer is, signed; its words are the private fields."""
COMMIT: Final = "cache"
"""An attested answer becomes an entry, and replaces the one that was there."""
CHANGE: Final = "cachestate"
"""An entry is withdrawn, quarantined, or no longer (or again) served."""
ROLLOUT: Final = "rollout"
"""A tenant, domain and locale enter a phase."""
AUDIT: Final = "audit"
"""A person looked at an entry and says whether it is right."""
RUN: Final = "deliberated"
"""What a deliberation came to: names and numbers, whatever became of its answer."""
KEY: Final = "ledgerkey"
"""A signing key begins, or follows another one that signs for it."""

_COLUMNS: Final = (*ATTESTED_COLUMNS, "payload_hash", "attestation")


def _named(connection: Connection, fact: Fact, *entries: str) -> None:
    rows = [{"tenant": fact.scope.tenant, "entry": entry, "seq": fact.seq, "op": fact.op} for entry in entries if entry]
    connection.execute(insert(tables.cache_event), rows)


def _attest(connection: Connection, fact: Fact) -> None:
    if fact.private:  # else its words were erased, and the log is read again
        _named(connection, fact, fact.public["entry"])


def _commit(connection: Connection, fact: Fact) -> None:
    public, entry = fact.public, tables.cache_entry
    replaced = and_(entry.c.tenant == fact.scope.tenant, entry.c.id == public["columns"]["supersedes"])
    ended = {"status": EntryStatus.superseded.value, "changed": fact.seq}
    connection.execute(update(entry).where(replaced, entry.c.status == EntryStatus.active.value).values(ended))
    row = {
        **{name: public["columns"][name] for name in _COLUMNS},
        "tenant": fact.scope.tenant,
        "id": public["entry"],
        "status": EntryStatus.active.value,
        "servable": public["servable"],
        "quarantined": False,
        "born": fact.seq,
        "changed": fact.seq,
    }
    named = tables.cache_event.c
    attested = and_(named.tenant == fact.scope.tenant, named.entry == public["entry"], named.op == ATTEST)
    if connection.execute(select(named.seq).where(attested)).first() is not None:
        connection.execute(insert(entry), row)
    _named(connection, fact, public["entry"], public["columns"]["supersedes"])


def _change(connection: Connection, fact: Fact) -> None:
    entry = tables.cache_entry
    mine = and_(entry.c.tenant == fact.scope.tenant, entry.c.id == fact.public["entry"])
    connection.execute(update(entry).where(mine).values({**fact.public["change"], "changed": fact.seq}))
    _named(connection, fact, fact.public["entry"])


def _rollout(connection: Connection, fact: Fact) -> None:
    names = ("domain", "locale", "phase", "by")
    row = {**{name: fact.public[name] for name in names}, "tenant": fact.scope.tenant}
    table = tables.cache_rollout
    key = and_(*(table.c[name] == row[name] for name in ("tenant", "domain", "locale")))
    connection.execute(delete(table).where(key))
    connection.execute(insert(table), {**row, "since": fact.public["at"], "seq": fact.seq})


def _audit(connection: Connection, fact: Fact) -> None:
    table, public = tables.cache_audit, fact.public
    row = {"tenant": fact.scope.tenant, "entry": public["entry"], "by": public["by"]}
    connection.execute(delete(table).where(and_(*(table.c[name] == value for name, value in row.items()))))
    connection.execute(insert(table), {**row, "right": public["right"], "at": public["at"], "seq": fact.seq})
    _named(connection, fact, public["entry"])


def run_name(run: str) -> str:
    """Under which name the event of a run is found, beside those of entries."""
    return f"run:{run}"[:36]


def _run(connection: Connection, fact: Fact) -> None:
    _named(connection, fact, run_name(fact.public["run"]))


def _key(_connection: Connection, _fact: Fact) -> None:
    """A key stands in the log so that everybody sees when it began; who is trusted says the key file."""


def erase_cached(connection: Connection, tenant: str, first: int, last: int) -> None:
    """Take out the entries whose words are among these events."""
    entry, named = tables.cache_entry, tables.cache_event
    connection.execute(delete(entry).where(entry.c.tenant == tenant, entry.c.attestation.between(first, last)))
    attested = and_(named.c.tenant == tenant, named.c.op == ATTEST, named.c.seq.between(first, last))
    connection.execute(delete(named).where(attested))


CACHE_RULES: Mapping[str, Callable[[Connection, Fact], None]] = {
    ATTEST: _attest,
    COMMIT: _commit,
    CHANGE: _change,
    ROLLOUT: _rollout,
    AUDIT: _audit,
    RUN: _run,
    KEY: _key,
}
