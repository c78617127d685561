"""What may be asked of a memory, and how is it answered?

A question changes nothing, whatever it finds. What using the answer would change is worked out beside it, by the same
rules as the transaction that applies it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from rqa_checkpoints import queries
from rqa_checkpoints.breakdown import Observability
from rqa_checkpoints.dormant import IDLE_DAYS, Dormant, dormant
from rqa_checkpoints.gravity import Wanted
from rqa_checkpoints.kept_recalls import KeptRecalls
from rqa_checkpoints.log import EventLog
from rqa_checkpoints.mass import moment
from rqa_checkpoints.provenance import Kind, MemoryNode, Recall, RoutingHint, Scope, SourceClass
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.recalling import Question, Searcher
from rqa_checkpoints.reflecting import Side, kinds_on, listed
from rqa_checkpoints.selecting import brief_item, excerpt
from rqa_checkpoints.trail import Filter

__all__ = ["SHOW_ALL", "RecallReader"]

SHOW_ALL: Final = Observability()
"""The default: every recall explains itself, and use counts."""
_LISTED: Final = 10
"""Items that a routed question names, as many as `reflect` shows."""
_SUMMED_UP: Final = 3
"""Of these, how many a summary quotes."""


class RecallReader:
    """The memory of many persons, to be asked. Every call names the scope; a foreign id is an unknown id."""

    def __init__(
        self,
        log: EventLog,
        *,
        searcher: Searcher,
        clock: Callable[[], datetime],
        observability: Observability = SHOW_ALL,
    ) -> None:
        self._log = log
        self._clock = clock
        self._searcher = searcher
        self._observability = observability
        self._kept = KeptRecalls()

    def expect(self, query: str) -> None:
        """Say what the next recall is about to ask, so that it waits less; changes nothing."""
        self._searcher.expect(query)

    def recall(
        self,
        query: str,
        *,
        scope: Scope,
        top_k: int = 8,
        sources: frozenset[SourceClass] | None = None,
        kinds: frozenset[Kind] | None = None,
        tags: frozenset[str] | None = None,
        persona: Sequence[str] = (),
        as_of: datetime | None = None,
        at: str = "",
        actor: SourceClass | None = None,
        session: str = "",
        explain: bool = False,
        breakdown: bool | None = None,
        auto_route: bool | None = None,
        brief: bool | None = None,
    ) -> Recall:
        """Find what is near the query and related to it; changes nothing.

        Args:
            query: of any length.
            scope: whose memory.
            top_k: most items.
            sources: only these classes.
            kinds: only these kinds.
            tags: only items with one of these; they come even where they are far from the query.
            persona: handles or ids of items whose neighbourhood in the graph counts a little.
            as_of: only what was recorded until then.
            at: the time at which it is asked, ISO 8601; "" for now. A turn gives its own, so that what is planned is
                what its transaction applies.
            actor: who will use what comes back, so that `training_delta` says what that would change; None looks only.
            session: the thread; what was shown in it without being used stands a little lower.
            explain: name the strongest matches that were held back, and what held each back.
            breakdown: whether items come with what their score is made of; None as set for this memory, so below.
            auto_route: whether a question for open tasks, values and the like is also answered with the list that it
                asks for (`routing_hint`).
            brief: whether texts are cut to one line of 80 characters.

        Raises:
            UnknownNodeError: `persona` names what this person does not have.
        """
        self._expire(scope)
        own = self._observability
        wanted = Wanted(top_k=top_k, actor=actor if own.training else None, session=session)
        asked = Question(
            where=Filter(scope=scope, sources=sources, kinds=kinds, tags=tags or None),
            wanted=wanted,
            now=moment(at) if at else self._clock(),
            as_of=as_of,
            persona=self._ids_of(persona, scope),
            explain=explain,
            breakdown=own.breakdown if breakdown is None else breakdown,
        )
        found = self._kept_or_found(query, asked)
        items = tuple(item for item in found.items if not self._settled(item.node).hidden)
        routed = own.routing if auto_route is None else auto_route
        return replace(
            found,
            items=tuple(map(brief_item, items)) if (own.brief if brief is None else brief) else items,
            training_delta=found.training_delta if own.training else None,
            routing_hint=self._routed(query, scope) if routed else None,
        )

    def _routed(self, query: str, scope: Scope) -> RoutingHint:
        """The aspect that is asked for, looked up; the recall runs in any case."""
        from rqa_checkpoints.aspects import aspect_router  # reads its table of rules

        match = aspect_router().match(query)
        if match is None:
            return RoutingHint()
        side = Side(match[0].value)
        chosen = NodeFilter(sources=frozenset({SourceClass.user}), kinds=kinds_on(side), at=self._unswept())
        with self._log.reading() as view:
            found = listed(list(queries.all_nodes(view, scope, chosen)), side)
        lines = "; ".join(excerpt(node.text) for node in found[:_SUMMED_UP])
        return RoutingHint(
            aspect=side.value,
            pattern_matched=True,
            auto_routed=True,
            reflect_summary=f"{len(found)}: {lines}" if found else "0",
            total=len(found),
            listed=tuple(node.id for node in found[:_LISTED]),
        )

    def _kept_or_found(self, query: str, asked: Question) -> Recall:
        """A recall that only looks, asked before on the same day of the same memory, is not searched for again."""
        if asked.wanted.actor is not None:
            return self._searcher.recall(query, asked)
        key = self._recall_key(query, asked)
        return self._kept.get(key) or self._kept.put(key, self._searcher.recall(query, asked))

    def _recall_key(self, query: str, asked: Question) -> Hashable:
        return (
            query,
            replace(asked, now=asked.now.replace(hour=0, minute=0, second=0, microsecond=0)),
            self._log.head().seq,  # whoever wrote: to ask what of it was this person's would walk through all they have
            self._searcher.version,
        )

    def _ids_of(self, references: Sequence[str], scope: Scope) -> tuple[str, ...]:
        if not references:
            return ()
        with self._log.reading() as view:
            return tuple(queries.named(view, reference, scope).id for reference in references)

    def dormant(self, *, scope: Scope, limit: int = 8, idle_days: int = IDLE_DAYS, seed: int | None = None) -> Dormant:
        """A sample of what was not used for a while and weighs little; looking changes nothing.

        Without a seed the day is one, so that an answer stands for a day.
        """
        self._expire(scope)
        now = self._clock()
        day = now.toordinal() if seed is None else seed
        with self._log.reading() as view:
            return dormant(view, scope, now=now, idle_days=idle_days, seed=day, limit=limit)

    def _expire(self, scope: Scope) -> None:
        """Hide what is over. A memory opened for reading leaves that to the next one that may write."""
        if self._log.read_only:
            return
        with self._log.reading() as view:
            first = queries.first_expiry(view, scope)
        if first is None or first > (now := self._clock().isoformat()):
            return
        with self._log.writing() as writer:
            for item in queries.expired(writer.connection, scope, now):
                writer.append("hide", scope, {"id": item})
        self._searcher.notify()

    def _unswept(self) -> str:
        """From when on what is over has to be skipped by the reader; "" where it was hidden in time."""
        return self._clock().isoformat() if self._log.read_only else ""

    def _settled(self, node: MemoryNode) -> MemoryNode:
        """The item as it stands now: one whose time is over is hidden, though nobody could write that."""
        over = bool(node.expires_at) and node.expires_at <= self._unswept()
        return replace(node, hidden=True) if over and not node.hidden else node
