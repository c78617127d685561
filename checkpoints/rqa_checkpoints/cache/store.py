"""How does an attested answer become an entry, and how does an entry end?

Two steps, each one transaction that may be repeated: attest, then commit. Between them stands a check that what was
attested can be read back. Whoever is killed there leaves an attestation without an entry, which the sweeper commits or
makes void; nothing is served that was not committed. Of two writers under one key the first one's row stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from sqlalchemy import Connection, RowMapping, and_, bindparam, exists, select

from rqa_checkpoints import tables
from rqa_checkpoints.cache.entries import Prepared, columns_of
from rqa_checkpoints.cache.freshness import SERVED, is_valid
from rqa_checkpoints.cache.leases import Leases
from rqa_checkpoints.cache.ledger import Ledger
from rqa_checkpoints.cache.proof import Proof, prove, prove_attestation
from rqa_checkpoints.cache.records import Entry, EntryStatus, FreshnessTag
from rqa_checkpoints.cache.rows import ATTEST, AUDIT, CHANGE, COMMIT, ROLLOUT, RUN, run_name
from rqa_checkpoints.chain import Event
from rqa_checkpoints.errors import ChainBrokenError, EntryRefusedError, RuleBrokenError, UnknownEntryError
from rqa_checkpoints.log import Writer

__all__ = ["Attested", "CacheStore", "Committed", "RolloutRow"]

_CANDIDATES: Final = 8
"""Rows looked at under one key, the newest first: one active, and those that it replaced."""


class Attested(NamedTuple):
    """What became of an attestation."""

    state: Literal["attested", "repeated"]
    entry: str
    seq: int


class Committed(NamedTuple):
    """What became of a commit."""

    state: Literal["committed", "repeated", "adopted"]
    """`adopted`: another writer's entry stands under the key, and it is that one."""
    entry: str


class RolloutRow(NamedTuple):
    """A phase that a person set."""

    tenant: str
    domain: str
    locale: str
    phase: int
    since: str
    by: str


_ENTRY: Final = tables.cache_entry
_MINE: Final = _ENTRY.c.tenant == bindparam("tenant")
_UNDER_KEY: Final = (
    select(_ENTRY)
    .where(_MINE, _ENTRY.c.scope_key == bindparam("key"))
    .order_by(_ENTRY.c.born.desc())
    .limit(_CANDIDATES)
)
_ONE: Final = select(_ENTRY).where(_MINE, _ENTRY.c.id == bindparam("id"))
_BY_ID: Final = select(_ENTRY).where(_MINE, _ENTRY.c.id.in_(bindparam("ids", expanding=True)))
_ROLLOUTS: Final = (
    select(*(tables.cache_rollout.c[name] for name in RolloutRow._fields))
    .where(tables.cache_rollout.c.tenant == bindparam("tenant"))
    .order_by(tables.cache_rollout.c.domain, tables.cache_rollout.c.locale)
)
"""What a look-up asks, built once."""


class CacheStore:
    """The entries of one log. Every call names the tenant; a foreign id is an unknown id."""

    def __init__(self, ledger: Ledger, *, clock: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._log = ledger.log
        self._clock = clock

    @property
    def ledger(self) -> Ledger:
        """Where its events stand."""
        return self._ledger

    def attest(self, prepared: Prepared, *, leases: Leases | None = None) -> Attested:
        """Sign what the answer is, and return when it is on disk. The same run again changes nothing.

        Raises:
            EntryRefusedError: the run has attested another answer before (`conflict`), or another process has taken
                over the question (`taken_over`).
        """
        tenant = prepared.tenant
        with self._log.writing() as writer:
            key = f"{tenant}/{prepared.payload['scope_key']}"
            if leases is not None and not leases.may_write(writer.connection, key):
                raise EntryRefusedError(
                    "taken_over", f"{prepared.id!r} came too late, another process leads", hint="Ask again."
                )
            found = _attestation(writer.connection, self._ledger, tenant, prepared.id)
            if found is not None:
                if found.public()["payload_hash"] != prepared.payload_hash:
                    raise EntryRefusedError(
                        "conflict", f"the run of {prepared.id!r} attested another answer", hint="Use a new run."
                    )
                return Attested("repeated", prepared.id, found.seq)
            public = {
                "entry": prepared.id,
                "payload_hash": prepared.payload_hash,
                "gi": prepared.payload["gi"],
                "policy_version": prepared.payload["policy_version"],
            }
            seq = self._ledger.append(writer, ATTEST, tenant, public, {"payload": dict(prepared.payload)})
        return Attested("attested", prepared.id, seq)

    def commit(self, entry: str, *, tenant: str) -> Committed:
        """Make the attested answer an entry, after reading the attestation back and checking it.

        Raises:
            UnknownEntryError: nothing was attested under this id, or it was made void.
            ChainBrokenError: what was attested does not read back as it was signed.
        """
        with self._log.writing() as writer:
            view = writer.connection
            if self.row(view, entry, tenant=tenant) is not None:
                return Committed("repeated", entry)
            event = _attestation(view, self._ledger, tenant, entry)
            if event is None or self._is_void(view, tenant, entry):
                raise UnknownEntryError(f"nothing is attested as {entry!r}", hint="Deliberate again.")
            fault, payload = prove_attestation(event, self._ledger.ring.trusted)
            if fault:
                raise ChainBrokenError(
                    f"the attestation of {entry!r} does not hold ({fault})", hint="Run `rqa ledger verify`."
                )
            standing = self._active(view, tenant, payload["scope_key"])
            if standing is not None and standing["id"] != payload["supersedes"]:
                self._change(writer, tenant, entry, {}, reason="void", by="sweeper")
                return Committed("adopted", str(standing["id"]))
            public = {
                "entry": entry,
                "columns": columns_of(payload, payload_hash=event.public()["payload_hash"], attestation=event.seq),
                "servable": SERVED[FreshnessTag(payload["freshness_tag"])].exact,
            }
            self._ledger.append(writer, COMMIT, tenant, public)
        return Committed("committed", entry)

    def orphans(self, *, tenant: str) -> list[str]:
        """Attestations that never became an entry and were not made void, oldest first."""
        named, other = tables.cache_event.alias("named"), tables.cache_event.alias("other")
        later = exists().where(
            and_(other.c.tenant == tenant, other.c.entry == named.c.entry, other.c.op.in_((COMMIT, CHANGE)))
        )
        mine = and_(named.c.tenant == tenant, named.c.op == ATTEST, ~later)
        with self._log.reading() as view:
            return list(view.execute(select(named.c.entry).where(mine).order_by(named.c.seq)).scalars())

    def sweep(self, *, tenant: str) -> list[Committed]:
        """Commit what was attested before a crash; what has expired meanwhile is made void."""
        done = []
        for entry in self.orphans(tenant=tenant):
            with self._log.writing() as writer:
                event = _attestation(writer.connection, self._ledger, tenant, entry)
                fault, payload = prove_attestation(event, self._ledger.ring.trusted) if event else ("none", {})
                if fault or not is_valid(payload["valid_until"], self._clock()):
                    self._change(writer, tenant, entry, {}, reason="void", by="sweeper")
                    continue
            done.append(self.commit(entry, tenant=tenant))
        return done

    def withdraw(self, entry: str, *, tenant: str, reason: str, by: str) -> Entry:
        """End an entry for good. Raises UnknownEntryError, RuleBrokenError (it has ended before)."""
        change = {"status": EntryStatus.deprecated.value, "servable": False}
        return self._changed(entry, change, tenant=tenant, reason=reason, by=by)

    def set_servable(self, entry: str, *, servable: bool, tenant: str, reason: str, by: str) -> Entry:
        """Stop serving an active entry, as after a flag, or serve it again. Raises UnknownEntryError, RuleBrokenError.

        What its freshness never allowed to be served stays so.
        """
        return self._changed(entry, {"servable": servable}, tenant=tenant, reason=reason, by=by)

    def quarantine(self, entry: str, *, tenant: str, reason: str) -> None:
        """Put a row aside that does not hold, for a person to look at. Nothing brings it back."""
        with self._log.writing() as writer:
            row = self.row(writer.connection, entry, tenant=tenant)
            if row is not None and not row["quarantined"]:
                self._change(writer, tenant, entry, {"quarantined": True}, reason=reason, by="proof")

    def audit(self, entry: str, *, tenant: str, right: bool, by: str) -> None:
        """Write down that a person looked at an entry and whether it is right. Raises UnknownEntryError."""
        with self._log.writing() as writer:
            self._named(writer.connection, tenant, entry)
            public = {"entry": entry, "right": right, "by": by, "at": writer.at}
            self._ledger.append(writer, AUDIT, tenant, public)

    def note_run(self, run: str, public: Mapping[str, Any], *, tenant: str) -> None:
        """Write down what a deliberation came to; the same run again changes nothing."""
        with self._log.writing() as writer:
            if not self._ledger.about(writer.connection, tenant, run_name(run)):
                self._ledger.append(writer, RUN, tenant, {**public, "run": run, "at": writer.at})

    def set_phase(self, phase: int, *, tenant: str, domain: str, locale: str, by: str, reason: str) -> None:
        """Put a tenant, domain and locale into a phase from the next look-up on."""
        with self._log.writing() as writer:
            public = {"domain": domain, "locale": locale, "phase": phase, "by": by, "reason": reason, "at": writer.at}
            self._ledger.append(writer, ROLLOUT, tenant, public)

    def rollouts(self, view: Connection, *, tenant: str) -> list[RolloutRow]:
        """Phases that persons set for a tenant."""
        return [RolloutRow(*row) for row in view.execute(_ROLLOUTS, {"tenant": tenant})]

    def audits(self, view: Connection, *, tenant: str, domain: str, locale: str) -> list[bool]:
        """One verdict for each entry that persons looked at: True if all of them say that it is right."""
        audit, entry = tables.cache_audit, tables.cache_entry
        joined = audit.join(entry, and_(entry.c.tenant == audit.c.tenant, entry.c.id == audit.c.entry))
        mine = and_(audit.c.tenant == tenant, entry.c.domain == domain, entry.c.locale == locale)
        verdicts: dict[str, bool] = {}
        for name, right in view.execute(select(audit.c.entry, audit.c.right).select_from(joined).where(mine)):
            verdicts[name] = verdicts.get(name, True) and bool(right)
        return list(verdicts.values())

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view."""
        return self._log.reading()

    def under_key(self, view: Connection, *, tenant: str, key: str) -> list[RowMapping]:
        """Rows under a key, the active one first, then the newest."""
        rows = view.execute(_UNDER_KEY, {"tenant": tenant, "key": key}).mappings().all()
        return sorted(rows, key=lambda row: row["status"] != EntryStatus.active.value)

    def rows(self, view: Connection, ids: Sequence[str], *, tenant: str) -> dict[str, RowMapping]:
        """Rows by id."""
        return {row["id"]: row for row in view.execute(_BY_ID, {"tenant": tenant, "ids": list(ids)}).mappings()}

    def row(self, view: Connection, entry: str, *, tenant: str) -> RowMapping | None:
        """One row by its id; None for an unknown one."""
        return view.execute(_ONE, {"tenant": tenant, "id": entry}).mappings().first()

    def prove(self, view: Connection, row: RowMapping) -> Proof:
        """Is this row what was attested?"""
        return prove(view, self._ledger, row)

    def get(self, entry: str, *, tenant: str) -> Entry:
        """One entry, proven. Raises UnknownEntryError, ChainBrokenError."""
        with self._log.reading() as view:
            return self._named(view, tenant, entry)

    def entries(
        self, *, tenant: str, domain: str = "", status: EntryStatus | None = EntryStatus.active, limit: int = 1000
    ) -> list[Entry]:
        """Entries that hold, the oldest first."""
        with self._log.reading() as view:
            rows = self.listed(view, tenant=tenant, domain=domain, status=status, limit=limit)
            proofs = [prove(view, self._ledger, row) for row in rows]
        return [proof.entry for proof in proofs if proof.entry is not None]

    def listed(
        self,
        view: Connection,
        *,
        tenant: str,
        domain: str = "",
        status: EntryStatus | None = EntryStatus.active,
        limit: int = 1000,
    ) -> list[RowMapping]:
        """Rows as they lie, the oldest first."""
        entry = tables.cache_entry
        query = select(entry).where(entry.c.tenant == tenant).order_by(entry.c.born).limit(limit)
        query = query.where(entry.c.domain == domain) if domain else query
        query = query.where(entry.c.status == status.value) if status else query
        return list(view.execute(query).mappings())

    def changed_after(self, view: Connection, seq: int, *, limit: int) -> list[RowMapping]:
        """Rows of all tenants that changed after an event, in the order of their last change."""
        entry = tables.cache_entry
        query = select(entry).where(entry.c.changed > seq).order_by(entry.c.changed, entry.c.id).limit(limit)
        return list(view.execute(query).mappings())

    def payload(self, view: Connection, row: RowMapping) -> Mapping[str, Any] | None:
        """What was attested of a row, without proof; None where its words were erased."""
        event = _attestation(view, self._ledger, row["tenant"], row["id"])
        return event.secret().get("payload") if event else None

    def active_id(self, *, tenant: str, key: str) -> str:
        """Id of the active entry under a key; "" for none."""
        with self._log.reading() as view:
            row = self._active(view, tenant, key)
        return str(row["id"]) if row else ""

    def _named(self, view: Connection, tenant: str, entry: str) -> Entry:
        row = self.row(view, entry, tenant=tenant)
        if row is None:
            raise UnknownEntryError(f"there is no entry {entry!r}", hint="`rqa cache list` shows all of them.")
        proof = prove(view, self._ledger, row)
        if proof.entry is None:
            raise ChainBrokenError(f"the entry {entry!r} does not hold ({proof.fault})", hint="`rqa ledger verify`.")
        return proof.entry

    def _changed(self, entry: str, change: Mapping[str, Any], *, tenant: str, reason: str, by: str) -> Entry:
        with self._log.writing() as writer:
            found = self._named(writer.connection, tenant, entry)
            if found.status is not EntryStatus.active:
                raise RuleBrokenError(
                    f"the entry {entry!r} is {found.status.value}, which is final", hint="Nothing is left to change."
                )
            if change.get("servable") and not SERVED[found.freshness_tag].exact:
                raise RuleBrokenError(
                    f"an answer tagged {found.freshness_tag.value!r} is kept for the record only", hint="Leave it."
                )
            self._change(writer, tenant, entry, change, reason=reason, by=by)
        return self.get(entry, tenant=tenant)  # only what was committed has its event beside it

    def _change(
        self, writer: Writer, tenant: str, entry: str, change: Mapping[str, Any], *, reason: str, by: str
    ) -> None:
        public = {"entry": entry, "change": dict(change), "reason": reason, "by": by, "at": writer.at}
        self._ledger.append(writer, CHANGE, tenant, public)

    def _active(self, view: Connection, tenant: str, key: str) -> RowMapping | None:
        rows = self.under_key(view, tenant=tenant, key=key)
        return rows[0] if rows and rows[0]["status"] == EntryStatus.active.value else None

    def _is_void(self, view: Connection, tenant: str, entry: str) -> bool:
        named = tables.cache_event.c
        mine = and_(named.tenant == tenant, named.entry == entry, named.op == CHANGE)
        return view.execute(select(named.seq).where(mine)).first() is not None


def _attestation(view: Connection, ledger: Ledger, tenant: str, entry: str) -> Event | None:
    return next((event for event in ledger.about(view, tenant, entry) if event.op == ATTEST), None)
