"""What happens when somebody says that an answer is wrong?

It is not served from this moment on, before anybody has looked at it, and a person finds it in the review queue. A flag
of somebody whose flag on the same answer was refused before changes nothing.
"""

from __future__ import annotations

from typing import Final

from rqa_checkpoints.cache.records import EntryStatus
from rqa_checkpoints.errors import RuleBrokenError, UnknownProposalError
from rqa_checkpoints.provenance import CACHE_USER, Proposal, QueueStatus, Scope, proposal_id
from rqa_checkpoints.review_queue import ReviewQueue
from rqa_graph.answer_library import FLAG_REASON, IntegrityLibrary
from rqa_nodes.deliberate.review_kinds import FLAG_KIND
from rqa_nodes.structure.text import clean

__all__ = ["flag"]

_MAX_NOTE: Final = 1000


def flag(library: IntegrityLibrary, queue: ReviewQueue, entry: str, *, tenant: str, by: str, note: str, at: str) -> str:
    """Take an answer out and ask a person; return the id of the item in the queue.

    Raises:
        UnknownEntryError: there is no such entry of this tenant.
        RuleBrokenError: it has ended already.
    """
    found, scope = library.store.get(entry, tenant=tenant), Scope(tenant, CACHE_USER)
    if found.status is not EntryStatus.active:
        raise RuleBrokenError(f"the entry {entry!r} is {found.status.value} already", hint="Nothing is left to do.")
    payload = {
        "entry": entry,
        "question": found.question,
        "answer": found.answer[: 8 * _MAX_NOTE],
        "by": by,
        "note": clean(note)[:_MAX_NOTE],
    }
    key = f"{entry}:{by}"
    item = proposal_id(scope, FLAG_KIND, key)
    if _was_refused(queue, item, scope):
        return item
    if found.servable or by not in library.flaggers(entry, tenant=tenant):
        library.store.set_servable(entry, servable=False, tenant=tenant, reason=FLAG_REASON, by=by)
    return queue.put(Proposal(kind=FLAG_KIND, payload=payload, requester=by, key=key), scope=scope, at=at).id


def _was_refused(queue: ReviewQueue, item: str, scope: Scope) -> bool:
    try:
        return queue.get(item, scope=scope).status is QueueStatus.rejected
    except UnknownProposalError:
        return False
