"""What does a report on the library read: figures, ledger, entries, queue?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import select

from rqa_checkpoints import tables
from rqa_checkpoints.cache.integrity import IntegrityCache
from rqa_checkpoints.cache.records import CACHE_USER, EntryStatus
from rqa_checkpoints.cache.rows import CHANGE, RUN
from rqa_checkpoints.provenance import QueueStatus, Scope
from rqa_checkpoints.review_queue import ReviewQueue
from rqa_graph.answer_library import is_flag
from rqa_graph.cache_report import Kept, Material

__all__ = ["gather_material"]

_ALL = 1_000_000


def gather_material(
    cache: IntegrityCache,
    queue: ReviewQueue,
    lines: Sequence[Mapping[str, Any]],
    *,
    tenant: str,
    clock: Callable[[], datetime],
) -> Material:
    """Read everything of one tenant. Each entry is proven, so this takes a while on a large library."""
    store, audit = cache.store, tables.cache_audit.c
    with store.reading() as view:
        events = [event for event in store.ledger.signed(view) if event.tenant == tenant]
        rows = store.listed(view, tenant=tenant, status=None, limit=_ALL)
        proofs = [(row, store.prove(view, row)) for row in rows]
        audits = [bool(right) for right in view.execute(select(audit.right).where(audit.tenant == tenant)).scalars()]
    flags = Counter(
        str(public["entry"]) for event in events if event.op == CHANGE and is_flag(public := event.public())
    )
    waiting = queue.items(scope=Scope(tenant, CACHE_USER), status=QueueStatus.pending, limit=_ALL)
    return Material(
        lines=[line for line in lines if line.get("tenant", tenant) == tenant],
        runs=[{**event.public(), "at": event.at} for event in events if event.op == RUN],
        entries=[
            Kept(
                id=row["id"],
                domain=row["domain"],
                gi=row["gi"],
                human_override=row["human_override"],
                active=row["status"] == EntryStatus.active.value,
                written_at=str(proof.entry.payload["created_at"]) if proof.entry else "",
                proven=not proof.fault,
                flags=flags[row["id"]],
            )
            for row, proof in proofs
        ],
        audits=audits,
        waiting=[item.asked_at for item in waiting],
        listed=cache.policies.domains,
        now=clock(),
    )
