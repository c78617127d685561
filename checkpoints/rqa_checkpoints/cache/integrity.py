"""The Integrity Cache of one home: asked first, written last, and never believed without proof.

This is what the rest of the program holds. It looks questions up, keeps what was deliberated or approved, and knows in
which phase a tenant, domain and locale are. Its figures hold names, numbers and keyed hashes, never words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import Any, Final, Protocol

from sqlalchemy import Connection

from rqa_checkpoints.cache.admission import findings
from rqa_checkpoints.cache.canonical import scope_key
from rqa_checkpoints.cache.entries import Prepared, prepare
from rqa_checkpoints.cache.leases import Leases
from rqa_checkpoints.cache.ledger import Ledger
from rqa_checkpoints.cache.policy import PolicyBook
from rqa_checkpoints.cache.reader import CacheReader
from rqa_checkpoints.cache.receipts import receipt_of
from rqa_checkpoints.cache.records import Ask, Draft, Entry, Lookup, Outcome
from rqa_checkpoints.cache.rollout import phase_of
from rqa_checkpoints.cache.signing import KeyRing
from rqa_checkpoints.cache.similarity import Scale, scale_of
from rqa_checkpoints.cache.store import Attested, CacheStore, Committed
from rqa_checkpoints.cache.vectors import QuestionIndex
from rqa_checkpoints.embedding import Encoder
from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.log import EventLog

__all__ = ["SCHEMA", "IntegrityCache", "Recorder"]

SCHEMA: Final = "rqa.cache/1"


class Recorder(Protocol):
    """Where figures go. Keeping them never fails a turn."""

    def record(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Keep the lines, in order."""


class IntegrityCache:
    """Everything about the cache of one log."""

    def __init__(
        self,
        log: EventLog,
        *,
        ring: KeyRing,
        policies: PolicyBook,
        clock: Callable[[], datetime],
        open_questions: Callable[[CacheStore], QuestionIndex] | None = None,
        recorder: Recorder | None = None,
        scale: Callable[[Encoder, str], Scale | None] = scale_of,
    ) -> None:
        """`open_questions` opens the index of vectors at its first use; without it there is no semantic tier."""
        self.policies = policies
        self.store = CacheStore(Ledger(log, ring), clock=clock)
        self.leases = Leases(log) if log.is_shared else None
        self._clock = clock
        self._recorder = recorder
        self._open = open_questions
        self._opened: QuestionIndex | None = None
        self._lock = Lock()
        self._reader = CacheReader(self.store, policies, clock=clock, questions=self._questions, scale=scale)

    def phase(self, tenant: str, domain: str, locale: str) -> int:
        """The phase of the rollout, as it stands now."""
        with self.store.reading() as view:
            return self._phase_in(view, (tenant, domain, locale))

    def look(self, ask: Ask) -> Lookup:
        """Look a question up. Never raises for a store or an embedder that fails.

        Raises:
            CachePolicyError: `tighten` names what is no threshold.
        """
        return self._reader.look(ask, phase_in=lambda view: self._phase_in(view, (ask.tenant, ask.domain, ask.locale)))

    def confirm(self, ask: Ask, found: Lookup) -> Lookup:
        """Look at a hit once more when the response is built, and write the figures of the look-up."""
        final = self._reader.confirm(found, tenant=ask.tenant)
        self._record("lookup", ask, final.to_dict() | _life(final))
        return final

    def prepare(self, draft: Draft) -> Prepared:
        """Check every precondition of an answer; writes nothing. Raises EntryRefusedError."""
        ask = draft.ask
        return prepare(
            draft,
            self.policies.of(ask.domain),
            phase=self._phase(ask),
            findings=findings(ask, draft.answer),
            embedding_model=self._model(),
            supersedes=self.store.active_id(tenant=ask.tenant, key=scope_key(ask)),
            now=self._clock(),
        )

    def attest(self, prepared: Prepared) -> Attested:
        """Sign what an answer is, in the log; see `CacheStore.attest`."""
        return self.store.attest(prepared, leases=self.leases)

    def commit(self, entry: str, *, tenant: str) -> Committed:
        """Make an attested answer an entry; see `CacheStore.commit`."""
        return self.store.commit(entry, tenant=tenant)

    def receipt(self, entry: str, *, tenant: str) -> dict[str, Any]:
        """What proves an entry to somebody who has only the public key. Raises UnknownEntryError, ChainBrokenError."""
        return receipt_of(self.store, entry, tenant=tenant)

    def entry(self, entry: str, *, tenant: str) -> Entry:
        """One entry, proven. Raises UnknownEntryError, ChainBrokenError."""
        return self.store.get(entry, tenant=tenant)

    def quarantine(self, entry: str, *, tenant: str, reason: str) -> None:
        """Put an entry aside, as where it no longer passes the verifier."""
        self.store.quarantine(entry, tenant=tenant, reason=reason)

    def shadow(self, ask: Ask, entry: str, *, similarity: int | None, agrees: bool) -> None:
        """Write down whether a fresh answer agreed with the entry that would have been served."""
        self._record("shadow", ask, {"entry": entry, "agrees": agrees, "similarity": similarity})

    def optimize(self) -> tuple[int, bool] | None:
        """Index what is new and build the search graphs of the semantic tier; None where nothing was ever kept.

        Returns:
            How many rows were looked at, and whether a graph was built.

        Raises:
            StoreUnavailableError, EmbedderUnavailableError: the index or the embedder fails.
        """
        with self.store.reading() as view:
            kept = self.store.changed_after(view, 0, limit=1)
        questions = self._questions() if kept else None
        return (questions.catch_up(), questions.optimize()) if questions is not None else None

    def close(self) -> None:
        """Give the index back; the log is its owner's."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened, self._open = None, None

    def _phase(self, ask: Ask) -> int:
        try:
            return self.phase(ask.tenant, ask.domain, ask.locale)
        except CheckpointError:
            return 0

    def _phase_in(self, view: Connection, place: tuple[str, str, str]) -> int:
        return phase_of(self.store.rollouts(view, tenant=place[0]), self.policies, place)

    def _questions(self) -> QuestionIndex | None:
        with self._lock:
            if self._opened is None and self._open is not None:
                self._opened = self._open(self.store)
            return self._opened

    def _model(self) -> str:
        try:
            questions = self._questions()
        except CheckpointError:
            return ""
        return questions.encoder.name if questions is not None else ""

    def _record(self, kind: str, ask: Ask, fields: Mapping[str, Any]) -> None:
        if self._recorder is None:
            return
        scope = {"tenant": ask.tenant, "domain": ask.domain, "locale": ask.locale, "jurisdiction": ask.jurisdiction}
        at = self._clock().isoformat(timespec="milliseconds")
        self._recorder.record([{"schema": SCHEMA, "kind": kind, "at": at, **scope, **fields}])


def _life(found: Lookup) -> dict[str, Any]:
    """What shows afterwards that nothing expired was served."""
    entry = found.entry if found.outcome is Outcome.hit else None
    return {"valid_until": entry.valid_until, "gi": entry.gi} if entry else {}
