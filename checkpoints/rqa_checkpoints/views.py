"""How does a person look at the whole of what is remembered?

Beside a recall, which answers a question: from one side at a time, or a little off the path. Nothing here changes
anything, and looking is not use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rqa_checkpoints import queries
from rqa_checkpoints.audit import duplicates
from rqa_checkpoints.errors import RuleBrokenError
from rqa_checkpoints.exploring import Exploration, draw, seed_of
from rqa_checkpoints.mass import faded
from rqa_checkpoints.provenance import MemoryNode, Scope
from rqa_checkpoints.queries import NodeFilter
from rqa_checkpoints.reading import MemoryReader
from rqa_checkpoints.reflecting import Reflection, Side, heaviest_share, listed, related_pairs
from rqa_checkpoints.undoing import batches

__all__ = ["MemoryViews"]

_POOL: Final = 4
"""Items looked at for one that is shown."""


class MemoryViews(MemoryReader):
    """The memory of many persons, to be looked at. Every call names the scope."""

    def explore(
        self, query: str, *, scope: Scope, limit: int = 8, diversity: float = 0.5, seed: int = 0
    ) -> Exploration:
        """Draw from what is near the query, and from what a relation joins to the nearest of it.

        Args:
            query: What it is about.
            scope: Whose memory.
            limit: At most so many items.
            diversity: From 0, which is the order of a recall, to 1.
            seed: The same one gives the same draw.

        Raises:
            RuleBrokenError: `diversity` is not between 0 and 1.
        """
        if not 0 <= diversity <= 1:
            raise RuleBrokenError(f"`diversity` is {diversity!r}", hint="Give a number from 0 to 1.")
        near = [item.node for item in self.recall(query, scope=scope, top_k=limit * _POOL).items]
        pool = [*near, *self._joined(near[:limit], scope)] if diversity else near
        drawn = draw(pool, limit=limit, diversity=diversity, seed=seed_of(query, seed))
        return Exploration(items=tuple(drawn), seed=seed, diversity=diversity, pool=len(pool))

    def _joined(self, near: list[MemoryNode], scope: Scope) -> list[MemoryNode]:
        """The visible items that a relation joins to these, in the order in which it was drawn."""
        known = {node.id for node in near}
        with self._log.reading() as view:
            edges = queries.edges_at(view, sorted(known), scope)
        ends = dict.fromkeys(end for edge in edges for end in (edge.src, edge.dst) if end not in known)
        return [node for node in self.get(list(ends), scope=scope) if not node.hidden]

    def reflect(self, side: Side, *, scope: Scope, limit: int = 10) -> Reflection:
        """One side of the memory: a list, pairs, or, for the summary, how many there are on each other side."""
        if side is Side.dormant:
            sample = self.dormant(scope=scope, limit=limit)
            return Reflection(side=side, total=sample.eligible, items=sample.items)
        self._expire(scope)
        with self._log.reading() as view:
            nodes = list(queries.all_nodes(view, scope, NodeFilter(at=self._unswept())))
            edges = queries.edges(view, scope)
        known = {node.id: node for node in nodes}

        def seen(one: Side) -> tuple[list[MemoryNode], list[tuple[MemoryNode, MemoryNode]]]:
            match one:
                case Side.contradictions:
                    return [], related_pairs(known, edges, "contradicts")
                case Side.duplicates:
                    return [], [(known[old], known[new]) for old, new in duplicates(nodes)]
                case _:
                    return listed(nodes, one), []

        if side is Side.summary:
            sides = {one: seen(one) for one in Side if one is not Side.summary}
            counts = {one.value: len(items) + len(pairs) for one, (items, pairs) in sides.items()}
            counts[Side.dormant] = self.dormant(scope=scope, limit=0).eligible
            now = self._clock()
            masses = [faded(node.mass, used_at=node.last_used, now=now) for node in nodes]
            return Reflection(side=side, total=len(nodes), counts=counts, heaviest_share=heaviest_share(masses))
        items, pairs = seen(side)
        return Reflection(
            side=side, total=len(items) + len(pairs), items=tuple(items[:limit]), pairs=tuple(pairs[:limit])
        )

    def curations(self, *, scope: Scope) -> list[dict[str, Any]]:
        """The curations that stand, the newest first: `id`, `by`, `at` and their `changes`."""
        with self._log.reading() as view:
            return batches(view, scope)

    def said_again(self, ids: Sequence[str], *, scope: Scope) -> dict[str, str]:
        """When the person last said of each item that it still holds."""
        with self._log.reading() as view:
            return queries.valid_at(view, ids, scope)
