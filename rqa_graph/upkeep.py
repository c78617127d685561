"""What keeps the library true: what was cut off is finished, what has changed or is about to expire is looked at again?

A source that changed takes its answers out at once. An answer that is looked at again is replaced by what is found, if
that is good enough; if it says something else, the old one ends and a person decides. Nothing is learned but by this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from rqa_checkpoints.cache.canonical import CANON_VERSION
from rqa_checkpoints.cache.entries import entry_id
from rqa_checkpoints.cache.freshness import is_valid
from rqa_checkpoints.cache.records import CACHE_USER, Entry
from rqa_checkpoints.errors import UnknownEntryError
from rqa_checkpoints.provenance import Attestation, QueueItem, QueueStatus, Scope
from rqa_graph.services import AppServices
from rqa_nodes.deliberate.enqueue import ANSWER_KIND, CONTESTED_KIND, EXPIRING_KIND
from rqa_nodes.deliberate.keeping import changed_source
from rqa_nodes.deliberate.state import DeliberationContext, DeliberationInput

__all__ = ["Due", "Renewed", "due_entries", "finish_interrupted", "hits_of", "revalidate"]

Why = Literal["source_changed", "expiring", "policy", "canon"]
_KINDS: Final = (ANSWER_KIND, EXPIRING_KIND, CONTESTED_KIND)
SOURCE_CHANGED: Final = "source_changed"
CONTRADICTED: Final = "contradicted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """An entry that must be looked at again."""

    entry: Entry
    why: Why
    hits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """What came of it."""

    entry: str
    question: str
    why: Why
    outcome: str
    """renewed, contested, review or abstained."""
    item: str = ""


def hits_of(lines: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """How often each entry was served."""
    return Counter(
        str(line.get("entry")) for line in lines if line["kind"] == "lookup" and line.get("outcome") == "hit"
    )


def due_entries(services: AppServices, *, tenant: str, hits: Mapping[str, int]) -> list[Due]:
    """The active entries to look at again: what changed first, then what is used most."""
    library, corpus = services.answer_library, services.deliberating.corpus
    now, policies = services.clock(), library.cache.policies
    found = []
    for entry in library.store.entries(tenant=tenant, limit=100_000):
        quoted = [(row.locator, row.sha256, row.span) for row in entry.sources]
        policy = policies.of(str(entry.payload["domain"]))
        why: Why | None = None
        if changed_source(quoted, corpus, domain=str(entry.payload["domain"])):
            why = "source_changed"
        elif entry.payload["canon_version"] != CANON_VERSION:
            why = "canon"
        elif policy is not None and entry.payload["policy_version"] != policy.version:
            why = "policy"
        elif not is_valid(entry.soft_until, now):
            why = "expiring"
        if why is not None:
            found.append(Due(entry=entry, why=why, hits=hits.get(entry.id, 0)))
    return sorted(found, key=lambda due: (due.why != "source_changed", -due.hits, due.entry.valid_until))


def revalidate(
    services: AppServices, *, tenant: str, hits: Mapping[str, int], budget: int, by: str
) -> Iterator[Renewed]:
    """Look again at what is due, at most `budget` of them; what a changed source carries is taken out in any case."""
    due = due_entries(services, tenant=tenant, hits=hits)
    store = services.answer_library.store
    for one in due:
        if one.why == "source_changed" and one.entry.servable:
            store.set_servable(one.entry.id, servable=False, tenant=tenant, reason=SOURCE_CHANGED, by=by)
    for one in due[:budget]:
        yield _again(services, one, tenant=tenant, by=by)


def _again(services: AppServices, due: Due, *, tenant: str, by: str) -> Renewed:
    entry, payload = due.entry, due.entry.payload
    given = DeliberationInput(
        question=entry.question,
        domain=str(payload["domain"]),
        locale=str(payload["locale"]),
        jurisdiction=str(payload["jurisdiction"]),
        cacheable=True,
        prior={"entry": entry.id, "question": entry.question, "answer": entry.answer},
        revalidates=True,
    )
    done = services.deliberation.invoke(given, context=DeliberationContext(tenant=tenant))
    result = done["result"]
    if result["reason"] == "contested":
        services.answer_library.store.withdraw(entry.id, tenant=tenant, reason=CONTRADICTED, by=by)
    outcome = "contested" if result["reason"] == "contested" else "review" if result["reviewId"] else "abstained"
    if result["ledgerTx"]:
        outcome = "renewed"
    return Renewed(entry=entry.id, question=entry.question, why=due.why, outcome=outcome, item=result["reviewId"] or "")


def finish_interrupted(services: AppServices, *, tenant: str) -> list[str]:
    """Finish what a killed process began: attested answers become entries, approved ones are kept; return their ids."""
    library, scope = services.answer_library, Scope(tenant, CACHE_USER)
    done = [committed.entry for committed in library.store.sweep(tenant=tenant)]
    for kind in _KINDS:
        approved = services.memory.queue.items(scope=scope, kind=kind, status=QueueStatus.approved, limit=100_000)
        left = [item for item in approved if not _is_kept(services, item, tenant)]
        done += [services.shelf_of(tenant).keep(item, _decision(item)) for item in left]
    return done


def _is_kept(services: AppServices, item: QueueItem, tenant: str) -> bool:
    store, run = services.answer_library.store, f"{item.id}:{item.version}"
    ident = entry_id(tenant, run)
    try:
        store.get(ident, tenant=tenant)
    except UnknownEntryError:
        with store.reading() as view:
            return bool(store.ledger.about(view, tenant, ident))  # attested and made void: another answer stands
    return True


def _decision(item: QueueItem) -> Attestation:
    return Attestation(
        item=item.id, version=item.version, verdict="approve", by=item.decided_by, at=item.decided_at, thread=""
    )
