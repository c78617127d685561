"""What do the commands share that put something before a person: opening, finding, deciding, showing?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from rqa_checkpoints.errors import UnknownProposalError
from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import QueueItem, Scope
from rqa_graph.cli.common import Common
from rqa_graph.cli.output import Output
from rqa_graph.cli.session import load_settings
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say
from rqa_graph.reviewing import KINDS, ReviewGraph, build_review, decide
from rqa_graph.savers import checkpoint_location
from rqa_graph.services import AppServices, open_services
from rqa_graph.settings import Settings
from rqa_graph.speaking import reviewed_scopes
from rqa_graph.turn_saver import open_turn_saver
from rqa_nodes.review import ReviewContext
from rqa_nodes.review_answer import Answer

__all__ = ["ReviewSession", "approve", "decided", "find", "open_reviews", "show_item"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSession:
    """An open home, ready for decisions."""

    graph: ReviewGraph
    services: AppServices
    settings: Settings
    scope: Scope


@contextmanager
def open_reviews(common: Common) -> Iterator[ReviewSession]:
    """Open a home for decisions. Raises HomeLockedError, HomeNotWritableError."""
    settings = load_settings(common)
    services = open_services(settings, lang=common.ui_lang)
    try:
        _ = services.memory  # takes the lock of the home before anything else of it is opened
        with open_turn_saver(checkpoint_location(settings)) as saver:
            yield ReviewSession(
                graph=build_review(services=services, checkpointer=saver),
                services=services,
                settings=settings,
                scope=services.scope("", ""),
            )
    finally:
        services.close()


def find(memory: ProvenanceMemory, item: str, scope: Scope, *, kind: str = "") -> QueueItem:
    """An item of this person or of the home, of one kind if that matters. Raises UnknownProposalError."""
    for owner in reviewed_scopes(scope, owns_home=True):
        try:
            found = memory.queue.get(item, scope=owner)
        except UnknownProposalError:
            continue
        if not kind or found.kind == kind:
            return found
    raise UnknownProposalError(f"no item of the queue is called {item!r}", hint="`rqa review-queue list` has them.")


def decided(
    common: Common, session: ReviewSession, item: QueueItem, *, decision: str, version: int = 0, **more: Any
) -> dict[str, Any]:
    """Answer for a person in the review graph: the outcome, as `reviewing.decide` returns it."""
    answer = Answer.model_validate({"decision": decision, "version": version or item.version, **more})
    context = ReviewContext(
        tenant=item.scope.tenant, user=item.scope.user, reviewer=session.scope.user, lang=common.ui_lang
    )
    return decide(session.graph, item.id, answer, context=context)


def approve(common: Common, item: str, *, command: str, kind: str, version: int, note: str) -> int:
    """Approve an item of one kind, and say so."""
    with open_reviews(common) as session:
        found = find(session.services.memory, item, session.scope, kind=kind)
        done = decided(common, session, found, decision="approve", version=version, note=note)
    common.output(command).result(done, lambda out: out.text(done["text"]))
    return ExitCode.ok


def show_item(out: Output, item: QueueItem, text: str) -> None:
    """One item, with what it would change."""
    lang = out.lang
    rows = [
        [say("queue.item", lang), item.id],
        [say("queue.kind", lang), say(f"queue.kind.{item.kind}", lang) if item.kind in KINDS else item.kind],
        [say("queue.version", lang), str(item.version)],
        [say("memory.status", lang), say(f"queue.status.{item.status.value}", lang)],
        [say("queue.requester", lang), item.requester],
        [say("queue.asked_at", lang), item.asked_at],
    ]
    rows += [[say("queue.edited_by", lang), item.edited_by]] if item.edited_by else []
    rows += [[say("queue.decided", lang), f"{item.decided_by} ({item.decided_at})"]] if item.decided_by else []
    rows += [[say("queue.note", lang), item.note]] if item.note else []
    out.table([say("field", lang), say("value", lang)], rows)
    out.text("")
    out.text(text)
