"""How does a deliberation reach what is kept: entries, ledger, policies?

The promise that the nodes declare, kept by the Integrity Cache of the home. Everything is named by tenant, and every
write may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import log2
from typing import Any, Final

from rqa_checkpoints.cache.admission import findings
from rqa_checkpoints.cache.canonical import mark
from rqa_checkpoints.cache.entries import Prepared, entry_id
from rqa_checkpoints.cache.freshness import tag_of
from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.policy import FLOORS, Policy
from rqa_checkpoints.cache.records import Ask, Draft, Entry, FreshnessTag
from rqa_checkpoints.cache.rows import CHANGE
from rqa_checkpoints.errors import EntryRefusedError
from rqa_nodes.deliberate.ports import Kept, Limits

__all__ = ["FLAG_REASON", "FLAG_UPHELD", "IntegrityLibrary", "importance_of", "is_flag"]

FLAG_REASON: Final = "flag"
"""Why an entry is no longer served, as the ledger says it: somebody said that it is wrong."""
FLAG_UPHELD: Final = "flag_upheld"
"""Why an entry has ended: a person agreed with who flagged it."""
_SENSITIVE_RISK: Final = 2


def importance_of(requests: int, *, sensitive: bool) -> int:
    """A hundred times the binary logarithm of (1 + requests), times the risk of the domain; rounded down."""
    return int(100 * log2(1 + requests)) * (_SENSITIVE_RISK if sensitive else 1)


def is_flag(change: Mapping[str, Any]) -> bool:
    """Is this change of an entry a flag? Who ends an entry has flagged nothing, whatever reason is typed."""
    return change["reason"] == FLAG_REASON and "status" not in change["change"]


class IntegrityLibrary:
    """The library of one home."""

    def __init__(self, cache: IntegrityCache, *, clock: Callable[[], datetime], requests: Callable[[str], int]) -> None:
        """`requests` counts those of the last 30 days by their mark."""
        self.cache = cache
        self.store = cache.store
        self.clock = clock
        self._requests = requests

    def policy(self, ask: Ask) -> Policy | None:
        """What holds for a request, tightened as it wants. Raises CachePolicyError."""
        policy = self.cache.policies.of(ask.domain)
        return policy.tightened(ask.tighten) if policy else None

    def limits(self, ask: Ask) -> Limits | None:
        """What holds for a request; None where its domain is not on the list."""
        policy = self.policy(ask)
        if policy is None:
            return None
        return Limits(baseline_gi=policy.baseline_gi, sensitive=policy.sensitive, policy_version=policy.version)

    def findings(self, ask: Ask, answer: str) -> Sequence[str]:
        """What in question and answer forbids writing them down anywhere."""
        return findings(ask, answer)

    def mark(self, ask: Ask) -> str:
        """By what a request is known in logs."""
        return mark(self.store.ledger.ring.log_secret, ask)

    def importance(self, ask: Ask) -> int:
        """How much it matters that this is answered well."""
        policy = self.cache.policies.of(ask.domain)
        return importance_of(self._requests(self.mark(ask)), sensitive=bool(policy and policy.sensitive))

    def attest(self, draft: Draft) -> str:
        """Sign what the answer is; return the id that its entry will have.

        Raises:
            EntryRefusedError: a precondition does not hold (`reason`).
            LedgerKeyError, StoreUnavailableError: nothing can be signed or written.
        """
        try:
            return self.cache.attest(self.prepared(draft)).entry
        except EntryRefusedError as error:
            if error.reason != "conflict":
                raise
            # The run attested its answer before it was cut off; only the time around it is another one now.
            return entry_id(draft.ask.tenant, draft.run_id)

    def prepared(self, draft: Draft) -> Prepared:
        """What would be attested; writes nothing. Raises EntryRefusedError."""
        claims = (*draft.claim_tags, tag_of(draft.answer, domain=FreshnessTag.static))
        return self.cache.prepare(replace(draft, claim_tags=claims))

    def commit(self, entry: str, *, tenant: str) -> Kept:
        """Make it an entry, or adopt another writer's. Raises UnknownEntryError, ChainBrokenError."""
        return self.kept(self.store.get(self.store.commit(entry, tenant=tenant).entry, tenant=tenant))

    def kept(self, entry: Entry) -> Kept:
        """Where an entry stands."""
        return Kept(
            entry=entry.id,
            ledger_seq=entry.attestation,
            ledger_hash=entry.payload_hash,
            verified_at=entry.verified_at,
            valid_until=entry.valid_until,
        )

    def note(self, run: str, ask: Ask, outcome: Mapping[str, Any]) -> None:
        """Write into the ledger what a deliberation came to, once a run."""
        policy = self.cache.policies.of(ask.domain)
        public = {
            "run": run,
            "mark": self.mark(ask),
            "domain": ask.domain,
            "locale": ask.locale,
            "cacheable": ask.cacheable,
            "policy_version": policy.version if policy else "",
            "baseline_gi": policy.baseline_gi if policy else FLOORS["baseline_gi"],
            **outcome,
        }
        self.store.note_run(run, public, tenant=ask.tenant)

    def flaggers(self, entry: str, *, tenant: str) -> tuple[str, ...]:
        """Who flagged an entry, in order, each once."""
        with self.store.reading() as view:
            changes = [e.public() for e in self.store.ledger.about(view, tenant, entry) if e.op == CHANGE]
        return tuple(dict.fromkeys(str(change["by"]) for change in changes if is_flag(change)))
