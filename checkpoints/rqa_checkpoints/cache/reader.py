"""What may be answered from the cache, at this moment?

Tier 0 knows the question by its key: no model, no vector. Tier 1 looks for the same question in other words: twenty
neighbours, and of those that the guard lets through the nearest. Whatever would be served is first proven against the
ledger, and its freshness is looked at once more when the response is built. Each way out has a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from sqlalchemy import Connection, RowMapping

from rqa_checkpoints.cache.admission import admit
from rqa_checkpoints.cache.canonical import CANON_VERSION, mark, scope_key
from rqa_checkpoints.cache.freshness import SERVED, is_valid, parse_time
from rqa_checkpoints.cache.guard import compare, sign
from rqa_checkpoints.cache.policy import Policy, PolicyBook
from rqa_checkpoints.cache.records import Ask, Entry, EntryStatus, FreshnessTag, Hit, Lookup, Outcome, Reason
from rqa_checkpoints.cache.similarity import Scale, embedded_text, scale_of
from rqa_checkpoints.cache.store import CacheStore
from rqa_checkpoints.cache.vectors import QuestionIndex
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.errors import CheckpointError, EmbedderUnavailableError

__all__ = ["CANDIDATES", "PHASE_EXACT", "PHASE_SEMANTIC", "TAMPERED", "CacheReader"]

CANDIDATES: Final = 20
"""Neighbours of the semantic tier: the nearest may be the wrong one where the second is right."""
PHASE_EXACT: Final = 2
TAMPERED: Final = "tampered:"
"""How the ledger says that a row did not hold when it was about to be served; the failed check follows."""
PHASE_SEMANTIC: Final = 3
_APPROVALS: Final = 2
"""Persons who must have approved an override before it serves a question that is only similar."""

_OFF: Final = {
    EntryStatus.deprecated: Reason.withdrawn,
    EntryStatus.superseded: Reason.superseded,
}


@dataclass(frozen=True, slots=True)
class _View:
    """One consistent view, and the rows in it that did not hold, each with the check that failed."""

    connection: Connection
    broken: list[tuple[RowMapping, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One question on its way through the tiers."""

    ask: Ask
    policy: Policy
    key: str
    now: datetime


class CacheReader:
    """Looks questions up. Never raises for what is stored, nor for an embedder or a store that fails."""

    def __init__(
        self,
        store: CacheStore,
        policies: PolicyBook,
        *,
        clock: Callable[[], datetime],
        questions: Callable[[], QuestionIndex | None],
        scale: Callable[[Encoder, str], Scale | None] = scale_of,
    ) -> None:
        """`questions` opens the index at the first use; None where there is none."""
        self._store = store
        self._policies = policies
        self._clock = clock
        self._questions = questions
        self._scale = scale

    def look(self, ask: Ask, *, phase_in: Callable[[Connection], int]) -> Lookup:
        """Look a question up; `phase_in` reads the phase of the rollout in the view of the exact tier."""
        policy, now = self._policies.of(ask.domain), self._clock()
        key = scope_key(ask)
        if policy is not None:
            policy = policy.tightened(ask.tighten)
        refused = admit(ask, policy)
        if refused is not None or policy is None:
            outcome, reason, detail = refused or (Outcome.bypass, Reason.domain_not_allowed, ())
            found = Lookup(outcome=outcome, reason=reason, detail=detail)
            phase = self._phase(phase_in)
        else:
            found, phase = self._tiers(_Asked(ask=ask, policy=policy, key=key, now=now), phase_in)
            if found.reason is not Reason.store_failed:  # a rollout that cannot be read is no reason of its own
                found = _held(found, phase)
        return replace(
            found,
            phase=phase,
            policy_version=self._policies.version,
            canon_version=CANON_VERSION,
            mark=mark(self._store.ledger.ring.log_secret, ask),
            scope_key=key,
        )

    def confirm(self, found: Lookup, *, tenant: str) -> Lookup:
        """Look at a hit again when the response is built: status, proof and freshness, by the clock of now.

        Returns:
            The hit with `served_at`, or a miss that says what has happened meanwhile.
        """
        entry = found.entry
        if found.outcome is not Outcome.hit or entry is None:
            return found
        try:
            with self._viewing() as view:
                row = self._store.row(view.connection, entry.id, tenant=tenant)
                again, reason = self._usable(view, row) if row is not None else (None, Reason.no_entry)
        except CheckpointError:
            again, reason = None, Reason.store_failed
        now = self._clock()
        if again is not None and not is_valid(again.valid_until, now):
            again, reason = None, Reason.expired
        if again is None or again.payload_hash != entry.payload_hash:
            return replace(found, outcome=Outcome.miss, reason=reason or Reason.quarantined, entry=None, hit=None)
        return replace(found, served_at=now.astimezone(UTC).isoformat(timespec="milliseconds"))

    def _phase(self, phase_in: Callable[[Connection], int]) -> int:
        try:
            with self._store.reading() as view:
                return phase_in(view)
        except CheckpointError:
            return 0

    def _tiers(self, asked: _Asked, phase_in: Callable[[Connection], int]) -> tuple[Lookup, int]:
        """What the tiers say, and the phase; 0 where it cannot be read."""
        phase = 0
        try:
            with self._viewing() as view:
                phase = phase_in(view.connection)
                exact = self._exact(view, asked)
            return (exact if exact.outcome is Outcome.hit else self._semantic(asked, exact)), phase
        except EmbedderUnavailableError:
            return Lookup(outcome=Outcome.miss, reason=Reason.embedder_failed), phase
        except CheckpointError:
            return Lookup(outcome=Outcome.miss, reason=Reason.store_failed), phase

    def _exact(self, view: _View, asked: _Asked) -> Lookup:
        rows = self._store.under_key(view.connection, tenant=asked.ask.tenant, key=asked.key)
        if not rows:
            return Lookup(outcome=Outcome.miss, reason=Reason.no_entry)
        entry, reason = self._usable(view, rows[0])
        if entry is None:
            return Lookup(outcome=Outcome.miss, reason=reason or Reason.no_entry)
        if not is_valid(entry.valid_until, asked.now):
            return Lookup(outcome=Outcome.miss, reason=Reason.expired)
        differs = _differences(entry, asked)
        if differs:
            return Lookup(outcome=Outcome.miss, reason=Reason.signature, detail=differs)
        if not SERVED[entry.freshness_tag].exact:
            return Lookup(outcome=Outcome.miss, reason=Reason.not_servable)
        if entry.gi < asked.policy.exact_gi and not entry.human_override:
            return _same_key(entry, asked.policy)
        return Lookup(outcome=Outcome.hit, reason=Reason.exact, hit=Hit.exact, entry=entry)

    @contextmanager
    def _viewing(self) -> Iterator[_View]:
        """A view; what does not hold is put aside after it is closed: a reader that writes waits for itself."""
        broken: list[tuple[RowMapping, str]] = []
        with self._store.reading() as connection:
            yield _View(connection, broken)
        for row, fault in broken:
            self._set_aside(row, fault)

    def _usable(self, view: _View, row: RowMapping) -> tuple[Entry | None, Reason | None]:
        """The entry of a row that is active and proven."""
        proof = self._store.prove(view.connection, row)
        if proof.entry is None:
            view.broken.append((row, proof.fault))
            return None, Reason.quarantined
        if proof.entry.quarantined:
            return None, Reason.quarantined
        if proof.entry.status is not EntryStatus.active:
            return None, _OFF[proof.entry.status]
        return (proof.entry, None) if proof.entry.servable else (None, Reason.not_servable)

    def _set_aside(self, row: RowMapping, fault: str) -> None:
        try:
            self._store.quarantine(str(row["id"]), tenant=str(row["tenant"]), reason=f"{TAMPERED}{fault}")
        except CheckpointError:
            return  # it is not served all the same: the proof fails each time

    def _semantic(self, asked: _Asked, exact: Lookup) -> Lookup:
        """Ask the neighbours; where they say nothing better, what the exact tier said stands."""
        questions = self._questions()
        scale = self._scale(questions.encoder, asked.ask.locale[:2]) if questions is not None else None
        if questions is None or scale is None:
            return exact if exact.reason is not Reason.no_entry else replace(exact, reason=Reason.semantic_off)
        questions.catch_up()
        vector = questions.embed(embedded_text(asked.ask.question, asked.ask.locale))
        near = [
            (scored.id, scale.similarity(scored.score))
            for scored in questions.nearest(vector, asked.ask, limit=CANDIDATES)
        ]
        judged = self._judged([(id_, value) for id_, value in near if value >= asked.policy.similarity], asked)
        best = next((found for found in judged if found.outcome is Outcome.hit), None)
        prior = next((found for found in judged if found.outcome is Outcome.context), None)
        if best or prior:
            return best or prior or exact
        if exact.outcome is Outcome.context or exact.reason is not Reason.no_entry:
            return exact
        return judged[0] if judged else replace(exact, reason=Reason.below_similarity if near else Reason.no_entry)

    def _judged(self, near: Sequence[tuple[str, int]], asked: _Asked) -> list[Lookup]:
        found = []
        with self._viewing() as view:
            rows = self._store.rows(view.connection, [id_ for id_, _ in near], tenant=asked.ask.tenant)
            for id_, similarity in near:
                row = self._current(view.connection, rows.get(id_), asked)
                if row is not None:
                    found.append(replace(self._judge(view, row, asked), similarity=similarity))
                    if found[-1].outcome is Outcome.hit:  # a farther one is never served, and each proof costs
                        break
        return found

    def _current(self, view: Connection, row: RowMapping | None, asked: _Asked) -> RowMapping | None:
        """The row that stands now where the index still knows an older one: never that one, however good its score."""
        if row is not None and row["status"] == EntryStatus.superseded.value:
            rows = self._store.under_key(view, tenant=asked.ask.tenant, key=row["scope_key"])
            row = rows[0] if rows else None
        return row

    def _judge(self, view: _View, row: RowMapping, asked: _Asked) -> Lookup:
        entry, reason = self._usable(view, row)
        if entry is None:
            return Lookup(outcome=Outcome.miss, reason=reason or Reason.no_entry)
        if not _same_scope(entry, asked.ask):
            return Lookup(outcome=Outcome.miss, reason=Reason.no_entry)
        if not is_valid(entry.valid_until, asked.now):
            return Lookup(outcome=Outcome.miss, reason=Reason.expired)
        if entry.gi < asked.policy.baseline_gi and not entry.human_override:
            return Lookup(outcome=Outcome.miss, reason=Reason.below_gi)
        differs = _differences(entry, asked)
        if differs:
            return Lookup(outcome=Outcome.context, reason=Reason.guard, entry=entry, detail=differs)
        if entry.scope_key == asked.key:
            return _same_key(entry, asked.policy)
        if not SERVED[entry.freshness_tag].semantic:
            return Lookup(outcome=Outcome.context, reason=Reason.not_direct, entry=entry)
        if entry.human_override and len(set(entry.reviewers)) < _APPROVALS:
            return Lookup(outcome=Outcome.context, reason=Reason.single_approval, entry=entry)
        return Lookup(outcome=Outcome.hit, reason=Reason.semantic, hit=Hit.semantic, entry=entry)


def _same_key(entry: Entry, policy: Policy) -> Lookup:
    if entry.gi < policy.baseline_gi and not entry.human_override:
        return Lookup(outcome=Outcome.miss, reason=Reason.below_gi)
    if entry.freshness_tag is FreshnessTag.news:
        return Lookup(outcome=Outcome.miss, reason=Reason.not_servable)
    return Lookup(outcome=Outcome.context, reason=Reason.same_key, entry=entry)


def _same_scope(entry: Entry, ask: Ask) -> bool:
    """What the index filters by is said again by what was attested."""
    own = tuple(entry.payload[name] for name in ("tenant", "domain", "locale", "jurisdiction"))
    return own == (ask.tenant, ask.domain, ask.locale, ask.jurisdiction)


def _differences(entry: Entry, asked: _Asked) -> tuple[str, ...]:
    """Where the stored question and this one differ; a relative time counts from when each was asked."""
    stored = sign(entry.question, asked.ask.locale, parse_time(str(entry.payload["created_at"])))
    return compare(stored, sign(asked.ask.question, asked.ask.locale, asked.now)).facets


def _held(found: Lookup, phase: int) -> Lookup:
    """What the rollout does not serve yet is not served; what would have been is kept for the comparison."""
    served = found.entry if found.outcome is Outcome.hit else None
    needed = 1 if served is None else PHASE_EXACT if found.hit is Hit.exact else PHASE_SEMANTIC
    if phase >= needed:
        return found
    return replace(
        found,
        outcome=Outcome.bypass if phase == 0 else Outcome.miss,
        reason=Reason.phase,
        would=found.outcome,
        would_entry=served.id if served else "",
        entry=None,
        hit=None,
    )
