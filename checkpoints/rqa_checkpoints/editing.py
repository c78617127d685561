"""What does a person say about what is remembered?

That it holds or not, that two items are one, how they relate, that one is to be out of sight. Nothing here rewrites an
item: a confirmation is a new item of the user's, a merge hides and points, and every change but an erasure can be
taken back by another one. All of it is events, so that the log tells who stood where when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from rqa_checkpoints import queries
from rqa_checkpoints.answered import answer_anew
from rqa_checkpoints.asking import SHOW_ALL
from rqa_checkpoints.breakdown import Observability
from rqa_checkpoints.committing import crossing, put_edges, revive, store_nodes
from rqa_checkpoints.curation import AT_ONCE, Change, effects_of
from rqa_checkpoints.effects import apply_effects
from rqa_checkpoints.log import EventLog, Writer
from rqa_checkpoints.mass import How, Use
from rqa_checkpoints.planning import Message
from rqa_checkpoints.provenance import (
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    Status,
    TrainingDelta,
    clean,
    merge_origin,
    node_id,
)
from rqa_checkpoints.recalling import Searcher
from rqa_checkpoints.relations import MERGED_INTO, check_drawable, check_transition
from rqa_checkpoints.rule_words import broken
from rqa_checkpoints.undoing import undo_batch
from rqa_checkpoints.uses import put_uses, said
from rqa_checkpoints.versions import empty_slot
from rqa_checkpoints.views import MemoryViews
from rqa_checkpoints.writing import FOREVER, Edit, lifetime_of, set_end

__all__ = ["MemoryEditor"]

_ANSWERS = {"en": ("Yes.", "No."), "ja": ("はい。", "いいえ。")}
"""A bare yes and a bare no: what a person who confirms or denies has said, whatever they add in their own words."""


class MemoryEditor(MemoryViews):
    """The verbs with which a person puts their memory in order. Every call names the scope."""

    def __init__(
        self,
        log: EventLog,
        *,
        searcher: Searcher,
        clock: Callable[[], datetime],
        ids: Callable[[], str],
        observability: Observability = SHOW_ALL,
    ) -> None:
        super().__init__(log, searcher=searcher, clock=clock, observability=observability)
        self._ids = ids

    def forget(self, reference: str, *, scope: Scope) -> MemoryNode:
        """Hide an item from recall and lists; `restore` brings it back. Nothing is erased. Raises UnknownNodeError."""
        with self.edit(scope) as edit:
            node = edit.named(reference)
            if not node.hidden:
                edit.writer.append("hide", scope, {"id": node.id})
        return replace(node, hidden=True)

    def restore(self, reference: str, *, scope: Scope) -> MemoryNode:
        """Bring back an item that was forgotten, merged away or over; it has no end then. Raises UnknownNodeError."""
        with self.edit(scope) as edit:
            node = edit.named(reference)
            if node.hidden:
                if node.key:
                    empty_slot(edit.writer, node)
                revive(edit.writer, node)
                node = set_end(edit.writer, node, FOREVER, now=edit.now)  # else the next question would hide it again
        return replace(node, hidden=False)

    def set_status(self, reference: str, status: Status, *, scope: Scope, reason: str = "") -> MemoryNode:
        """Move an item of the question graph on. Raises UnknownNodeError, RuleBrokenError."""
        with self.edit(scope) as edit:
            return move(edit.writer, edit.named(reference), status, reason=reason)

    def relate(self, src: str, dst: str, kind: str, *, scope: Scope) -> bool:
        """Draw a relation between two items; False where it is there. Raises UnknownNodeError, RuleBrokenError."""
        with self.edit(scope) as edit:
            one, two = edit.named(src), edit.named(dst)
            check_drawable(one, two, kind)
            return put_edges(edit.writer, scope, [(one.id, two.id, kind)]) > 0

    def cross(self, relations: Sequence[tuple[str, str, str]], *, scope: Scope) -> int:
        """Draw how what was said later stands to what was said before (from, to, name), as a turn does.

        Returns how many relations are new. Ends that are not this person's are left out.
        """
        if not relations:
            return 0
        with self.edit(scope) as edit:
            return put_edges(edit.writer, scope, crossing(edit.writer, scope, relations))

    def unrelate(self, src: str, dst: str, kind: str, *, scope: Scope) -> bool:
        """Take a relation back; False where there is none. Raises UnknownNodeError, RuleBrokenError."""
        with self.edit(scope) as edit:
            one, two = edit.named(src), edit.named(dst)
            check_drawable(one, two, kind)
            known = queries.edges_from(edit.writer.connection, [one.id], scope)
            drawn = any((edge.dst, edge.kind) == (two.id, kind) for edge in known)
            if drawn:
                edit.writer.append("unrelate", scope, {"src": one.id, "dst": two.id, "kind": kind})
        return drawn

    def confirm(self, reference: str, *, scope: Scope, words: str = "", lang: Literal["en", "ja"] = "en") -> MemoryNode:
        """Say yes to what the assistant or a document says: a new item of the user's, which supports the old one.

        The old item keeps its class; what the user vouches for is the user's own yes (P1, P5). Call it for a person's
        act only, never for a model's.

        Args:
            reference: The item.
            scope: Whose memory.
            words: What the person says beside the yes, kept as an item of its own.
            lang: Language of the yes.

        Raises:
            UnknownNodeError, RefusedTextError: nothing was written.
            RuleBrokenError: the item is the user's own, or the application's.
        """
        return self._answer(reference, "supports", scope=scope, words=words, lang=lang)

    def deny(self, reference: str, *, scope: Scope, words: str = "", lang: Literal["en", "ja"] = "en") -> MemoryNode:
        """Say no to what the assistant or a document says: a new item of the user's, which contradicts the old one.

        As `confirm`.
        """
        return self._answer(reference, "contradicts", scope=scope, words=words, lang=lang)

    def _answer(
        self,
        reference: str,
        relation: Literal["supports", "contradicts"],
        *,
        scope: Scope,
        words: str,
        lang: Literal["en", "ja"],
    ) -> MemoryNode:
        with self.edit(scope) as edit:
            node = edit.named(reference)
            if node.source not in {SourceClass.assistant, SourceClass.external}:
                raise broken("no_guess", handle=node.handle, source=node.source.value)
            [stored] = store_nodes(edit.writer, [_yes_or_no(node, relation, edit.message(), lang)], thread="")
            edges = [(stored.id, node.id, str(relation))]
            answer_anew(edit.writer, scope, edges)
            if words:
                edges.append((edit.write(words).id, node.id, relation))
            put_edges(edit.writer, scope, edges)
            self._credit(edit.writer, [stored], turn_id=edit.turn_id)
        return stored

    def revalidate(self, reference: str, *, scope: Scope, lifetime: timedelta | None = None) -> MemoryNode:
        """Say that an item still holds: it counts as said now, and what has an end has its time anew.

        Args:
            reference: An item of the user's, or a document.
            scope: Whose memory.
            lifetime: How long it stands from now on; None: as long as before.

        Raises:
            UnknownNodeError: there is no such item.
            RuleBrokenError: it is the assistant's, which only a confirmation answers, or it is hidden.
        """
        with self.edit(scope) as edit:
            node = edit.named(reference)
            if node.source is SourceClass.assistant:
                raise broken("guess", handle=node.handle)
            if node.hidden:
                raise broken("hidden", handle=node.handle)
            since = queries.valid_at(edit.writer.connection, [node.id], scope).get(node.id, node.recorded_at)
            edit.writer.append("validity", scope, {"id": node.id, "at": edit.now})
            self._put_uses(edit.writer, [Use(id=node.id, actor=SourceClass.user, how=How.confirmed)], scope=scope)
            if not node.key:
                span = lifetime_of(node, since) if lifetime is None else lifetime
                node = set_end(edit.writer, node, span, now=edit.now)
        return node

    def merge(self, keep: str, others: Sequence[str], *, scope: Scope) -> MemoryNode:
        """Let one item stand for others that say the same: those are hidden and point to it. `restore` undoes it.

        No mass, count or date moves: what an item earned stays with it, and comes back with it.

        Raises:
            UnknownNodeError: one of them is not there; nothing was written.
            RuleBrokenError: they are not of one class, one lies in a store, one is hidden, or nothing is to be merged.
        """
        with self.edit(scope) as edit:
            kept = edit.named(keep)
            merged = {node.id: node for node in map(edit.named, others)}
            merged.pop(kept.id, None)
            check_mergeable(kept, list(merged.values()))
            for node in merged.values():
                edit.writer.append("hide", scope, {"id": node.id})
            put_edges(edit.writer, scope, [(item, kept.id, MERGED_INTO) for item in merged])
        return kept

    def use(
        self,
        references: Sequence[str],
        *,
        scope: Scope,
        actor: SourceClass,
        how: How = How.cited,
        session: str = "",
    ) -> TrainingDelta:
        """Say that somebody used these items; return what that changed.

        Args:
            references: Handles or ids.
            scope: Whose items.
            actor: Who used them: the user, or the assistant.
            how: Cited, repeated or confirmed.
            session: The thread in which it happened; the same actor earns less for an item each time in one session.

        Raises:
            UnknownNodeError: This person has no such item; nothing was credited.
        """
        with self.edit(scope) as edit:
            uses = [Use(id=edit.named(reference).id, actor=actor, how=how) for reference in references]
            return self._put_uses(edit.writer, uses, scope=scope, session=session)

    def _credit(self, writer: Writer, nodes: Sequence[MemoryNode], *, turn_id: str, session: str = "") -> None:
        """Credit what a person has just confirmed or said again."""
        uses = [Use(id=node.id, actor=SourceClass.user, how=how) for node, how in said(nodes, turn_id)]
        if uses:
            self._put_uses(writer, uses, scope=nodes[0].scope, session=session)

    def _put_uses(self, writer: Writer, uses: Sequence[Use], *, scope: Scope, session: str = "") -> TrainingDelta:
        if not self._observability.training:
            return TrainingDelta()
        return put_uses(writer, uses, scope=scope, session=session, now=self._clock())

    def curate(self, changes: Sequence[Change], *, scope: Scope) -> str:
        """Make proposed changes, at most `AT_ONCE` of them; return the name under which `uncurate` takes them back.

        What does not fit any more is left out. Raises RuleBrokenError for none, or for more: a person decides on those.
        """
        if not 0 < len(changes) <= AT_ONCE:
            raise broken("too_many", count=len(changes), most=AT_ONCE)
        with self.edit(scope) as edit:
            batch = f"c{edit.turn_id}"
            effects = effects_of([change.to_dict() for change in changes], batch=batch, by=scope.user)
            apply_effects(edit.writer, effects, scope)
        return batch

    def uncurate(self, batch: str, *, scope: Scope) -> int:
        """Take a curation back; return how many of its changes were. Raises RuleBrokenError for an unknown one."""
        with self.edit(scope) as edit:
            return undo_batch(edit.writer, batch, scope)

    @contextmanager
    def edit(self, scope: Scope) -> Iterator[Edit]:
        """One transaction of this person's; nothing of it remains if the block raises."""
        with self._log.writing() as writer:
            yield Edit(writer=writer, scope=scope, now=self._now(), turn_id=self._ids())
        self._searcher.notify()

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")


def move(writer: Writer, node: MemoryNode, status: Status, *, reason: str = "") -> MemoryNode:
    """Move an item to its next status inside the transaction. Raises RuleBrokenError."""
    check_transition(node, status)
    change = {"id": node.id, "from": node.status.value, "to": status.value}
    writer.append("status", node.scope, change, {"reason": clean(reason)})
    return replace(node, status=status)


def check_mergeable(kept: MemoryNode, others: Sequence[MemoryNode]) -> None:
    """Raise RuleBrokenError unless the first may stand for the others."""
    if not others:
        raise broken("nothing_merged", handle=kept.handle)
    for node in (kept, *others):
        if node.source is not kept.source:
            names = {"source": node.source.value, "kept": kept.handle, "kept_source": kept.source.value}
            raise broken("other_class", handle=node.handle, **names)
        if node.key:
            raise broken("in_store", handle=node.handle, key=node.key)
        if node.hidden:
            raise broken("hidden", handle=node.handle)


def _yes_or_no(
    node: MemoryNode, relation: Literal["supports", "contradicts"], message: Message, lang: Literal["en", "ja"]
) -> MemoryNode:
    """The item that a yes or no to another one leaves; only a yes is made of what it answers."""
    yes = relation == "supports"
    text = _ANSWERS[lang][0 if yes else 1]
    place = {"thread": message.thread, "turn_id": message.turn_id, "role": message.role}
    return MemoryNode(
        id=node_id(message.scope, **place, index=-1, text=text),
        handle="",
        tenant=message.scope.tenant,
        user=message.scope.user,
        thread=message.thread,
        turn_id=message.turn_id,
        source=message.source,
        author=message.author,
        kind=Kind.statement,
        text=text,
        recorded_at=message.recorded_at,
        derived_from=(node.id,) if yes else (),
        origin=merge_origin(message.source, [node.origin] if yes else ()),
        echo_of=node.id,
    )
