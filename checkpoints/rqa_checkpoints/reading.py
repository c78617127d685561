"""What does this person's memory hold?

The reading half of the memory: nothing here opens an encoder (but for `recall`) or needs the home's lock, and nothing
writes but the end of an item whose time is over: the first question that would meet it hides it, and one that may not
write counts it as hidden.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from rqa_checkpoints import queries, sparse, spoken
from rqa_checkpoints.answered import answered
from rqa_checkpoints.asking import SHOW_ALL, RecallReader
from rqa_checkpoints.audit import AuditReport, audit
from rqa_checkpoints.breakdown import Observability
from rqa_checkpoints.chain import START
from rqa_checkpoints.errors import UnknownNodeError
from rqa_checkpoints.history import History, history
from rqa_checkpoints.lineage import Ancestor, lineage
from rqa_checkpoints.log import EventLog
from rqa_checkpoints.provenance import (
    Answered,
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    confirmed_by,
    denied_by,
    slot_key,
)
from rqa_checkpoints.queries import EVERYTHING, Edge, NodeFilter
from rqa_checkpoints.recalling import Searcher
from rqa_checkpoints.review_queue import ReviewQueue
from rqa_checkpoints.spoken import Conversation, PartRecord
from rqa_checkpoints.superseded import newer_of
from rqa_checkpoints.trail import Filter
from rqa_checkpoints.versions import Version, versions_in, versions_under

if TYPE_CHECKING:
    from rqa_checkpoints.question_graph import QuestionGraph

__all__ = ["MemoryReader", "NodeDetail"]

_GRAPHS_KEPT = 8
"""Graphs of this many persons stay built."""

_TURNS_SEARCHED = 2000
"""Newest parts whose whole messages are searched by words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDetail:
    """An item with what surrounds it."""

    node: MemoryNode
    edges: tuple[Edge, ...]
    lineage: tuple[Ancestor, ...]
    """What it was made from, confirms, denies or repeats, as far back as it goes."""
    confirmations: tuple[MemoryNode, ...]
    """What the user said that confirms it."""
    denials: tuple[MemoryNode, ...]
    """What the user said that denies it."""


class MemoryReader(RecallReader):
    """The memory of many persons, to be read. Every call names the scope; a foreign id is an unknown id."""

    def __init__(
        self,
        log: EventLog,
        *,
        searcher: Searcher,
        clock: Callable[[], datetime],
        observability: Observability = SHOW_ALL,
    ) -> None:
        super().__init__(log, searcher=searcher, clock=clock, observability=observability)
        self._graphs: OrderedDict[Scope, tuple[int, QuestionGraph]] = OrderedDict()
        self._graphs_lock = Lock()
        self._queue = ReviewQueue(log)
        self._verified = START

    @property
    def queue(self) -> ReviewQueue:
        """What waits for a person's decision, and what was decided."""
        return self._queue

    def recent_statements(self, *, scope: Scope, limit: int) -> list[MemoryNode]:
        """What the user said last, the newest first; questions are left out."""
        kinds = frozenset(Kind) - {Kind.question, Kind.document}
        return self.list(scope=scope, where=NodeFilter(sources=frozenset({SourceClass.user}), kinds=kinds), limit=limit)

    def get(self, ids: Sequence[str], *, scope: Scope) -> list[MemoryNode]:
        """Items by id, in the order asked; unknown ones are left out, forgotten ones say so."""
        if not ids:
            return []
        with self._log.reading() as view:
            found = queries.nodes_by_id(view, ids, scope)
        return [self._settled(found[item]) for item in ids if item in found]

    def show(self, reference: str, *, scope: Scope) -> NodeDetail:
        """An item by handle or id, with its relations, its lineage and what was answered to it.

        Raises:
            UnknownNodeError: No item of this person has that handle or id.
        """
        self._expire(scope)
        with self._log.reading() as view:
            node = self._settled(queries.named(view, reference, scope))
            edges = queries.edges_at(view, [node.id], scope)
            said = queries.nodes_by_id(view, [edge.src for edge in edges if edge.dst == node.id], scope).values()
            return NodeDetail(
                node=node,
                edges=tuple(edges),
                lineage=lineage(view, node, scope),
                confirmations=tuple(one for one in said if node.id in confirmed_by(one)),
                denials=tuple(one for one in said if denied_by(one, node)),
            )

    def answered(self, ids: Collection[str], *, scope: Scope) -> dict[str, Answered]:
        """The person's answer that stands to each of these items of somebody else's; unanswered ones are left out."""
        with self._log.reading() as view:
            return answered(view, ids, scope)

    def newer(self, ids: Collection[str], *, scope: Scope) -> dict[str, tuple[MemoryNode, ...]]:
        """What the person said since in place of each of these items, what stands first; the rest is left out."""
        if not ids:
            return {}
        with self._log.reading() as view:
            return newer_of(view, ids, scope)

    def history(self, reference: str, *, scope: Scope) -> History:
        """What became of an item, its versions and its lineage. Raises UnknownNodeError."""
        self._expire(scope)
        with self._log.reading() as view:
            return history(view, self._settled(queries.named(view, reference, scope)), scope)

    def lookup(self, reference: str, *, scope: Scope) -> Literal["exact", "prefix"] | None:
        """Is this string a handle or id of this person's items, or the beginning (4 characters or more) of one?"""
        with self._log.reading() as view:
            return queries.lookup(view, reference, scope)

    def counts(self, *, scope: Scope) -> dict[str, dict[str, int]]:
        """How many items there are, by source, kind and status, and how many are hidden."""
        self._expire(scope)
        with self._log.reading() as view:
            return queries.counts(view, scope, self._unswept())

    def get_blob(self, digest: str, *, scope: Scope) -> str:
        """The text of a digest; raises UnknownNodeError."""
        with self._log.reading() as view:
            text = spoken.blob_text(view, digest, scope)
        if text is None:
            raise UnknownNodeError(f"no stored text has the digest {digest!r}", hint="It may have been erased.")
        return text

    def turn(self, turn_id: str, *, scope: Scope) -> list[PartRecord]:
        """The committed parts of a turn, oldest first; empty for an unknown one."""
        with self._log.reading() as view:
            return spoken.parts(view, scope, turn_id=turn_id)[::-1]

    def turns(self, *, scope: Scope, thread: str = "", limit: int = 20) -> list[PartRecord]:
        """Committed parts, the newest first."""
        with self._log.reading() as view:
            return spoken.parts(view, scope, thread=thread, limit=limit)

    def conversations(self, *, scope: Scope, limit: int = 50) -> list[Conversation]:
        """The threads of this person, the one that was spoken in last first."""
        with self._log.reading() as view:
            return spoken.conversations(view, scope, limit=limit)

    def search_turns(self, query: str, *, scope: Scope, limit: int = 10) -> Sequence[PartRecord]:
        """Committed parts whose whole messages share words with the query, best first.

        This reaches what became no item (a message leaves at most 8); it looks at the newest turns only.
        """
        with self._log.reading() as view:
            records = {str(at): record for at, record in enumerate(spoken.parts(view, scope, limit=_TURNS_SEARCHED))}
        texts = ((at, f"{record.user_text}\n{record.reply_text}") for at, record in records.items())
        return [records[found.id] for found in sparse.rank(query, texts, limit=limit)]

    def question_of(self, turn_id: str, *, scope: Scope) -> str | None:
        """The side question that a turn ended with; None for none."""
        with self._log.reading() as view:
            found = spoken.part(view, scope, turn_id, "question")
        return (found.reply_text or None) if found else None

    def removals(self, turn_id: str, *, scope: Scope) -> list[Mapping[str, Any]]:
        """The words that the verifier removed in a turn: for this person's eyes, never for a prompt."""
        return [words for record in self.turn(turn_id, scope=scope) for words in record.removed]

    def speaker_of(self, text: str, *, scope: Scope, thread: str = "") -> SourceClass | None:
        """Who said this very message, by our own record (P10); None: nobody that we recorded."""
        return self.speakers_of([text], scope=scope, thread=thread).get(text)

    def speakers_of(self, texts: Collection[str], *, scope: Scope, thread: str = "") -> dict[str, SourceClass]:
        """Who said these very messages, by our own record; a message that was never recorded is left out."""
        with self._log.reading() as view:
            return spoken.speakers_of(view, texts, scope, thread)

    def versions(self, places: Sequence[tuple[tuple[str, ...], str]], *, scope: Scope) -> list[Version | None]:
        """The live versions in places (namespace, key) of a store, in the order asked; None for an empty one."""
        self._expire(scope)
        slots = [slot_key(namespace, key) for namespace, key in places]
        with self._log.reading() as view:
            found = versions_in(view, scope, slots)
        live = {slot: version for slot, version in found.items() if not self._settled(version.node).hidden}
        return [live.get(slot) for slot in slots]

    def versions_under(self, prefix: tuple[str, ...], *, scope: Scope) -> Sequence[Version]:
        """The live versions of all places under a namespace, the oldest first."""
        self._expire(scope)
        with self._log.reading() as view:
            found = versions_under(view, scope, prefix)
        return [version for version in found if not self._settled(version.node).hidden]

    def rank_versions(self, query: str, versions: Sequence[Version], *, scope: Scope) -> Sequence[tuple[str, float]]:
        """(id, score) of those versions that a search finds, best first, after all earlier writes are searchable."""
        prefix = _common_prefix([version.node.namespace for version in versions])
        ids = {version.node.id for version in versions if version.indexed}
        return self._searcher.rank(query, ids=ids, where=Filter(scope=scope, namespace=prefix))

    def graph(self, *, scope: Scope) -> QuestionGraph:
        """This person's graph, built when it changed since it was last asked for."""
        self._expire(scope)
        with self._log.reading() as view:
            version = queries.version(view, scope)
            with self._graphs_lock:
                kept = self._graphs.get(scope)
                if kept is not None and kept[0] == version:
                    self._graphs.move_to_end(scope)
                    return kept[1]
            from rqa_checkpoints.question_graph import QuestionGraph  # loads NetworkX, which no turn needs

            visible = NodeFilter(at=self._unswept())
            built = QuestionGraph(queries.all_nodes(view, scope, visible), queries.edges(view, scope))
        with self._graphs_lock:
            self._graphs[scope] = (version, built)
            self._graphs.move_to_end(scope)
            while len(self._graphs) > _GRAPHS_KEPT:
                self._graphs.popitem(last=False)
        return built

    def audit(self, *, scope: Scope) -> AuditReport:
        """Audit this person's items, forgotten ones included."""
        with self._log.reading() as view:
            nodes = list(queries.all_nodes(view, scope, NodeFilter(hidden=None)))
            records = spoken.parts(view, scope)
        return audit(nodes, _prompts(nodes, records))

    def verify_chain(self) -> int | None:
        """The number of the first event that is not as it was written; None when the chain holds."""
        return self._log.verify_chain()

    def is_intact(self) -> bool:
        """Is the log as it was written? The first call walks all of it, a later one what came since.

        Events before that are read again by `verify_chain`, which `rqa log verify` calls.
        """
        self._verified, intact = self._log.verify_after(self._verified)
        return intact

    def state_hash(self) -> str:
        """Hash of everything that the log adds up to."""
        return self._log.state_hash()

    def list(
        self, *, scope: Scope, where: NodeFilter = EVERYTHING, limit: int = 50, before: str = ""
    ) -> list[MemoryNode]:
        """Items, the newest first; `before` is the id of the last item of the page before."""
        self._expire(scope)
        with self._log.reading() as view:
            return queries.list_nodes(view, scope, replace(where, at=self._unswept()), limit=limit, before=before)


def _common_prefix(namespaces: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The namespace that all of them lie under."""
    if not namespaces:
        return ()
    low, high = min(namespaces), max(namespaces)
    length = next((at for at, (one, two) in enumerate(zip(low, high, strict=False)) if one != two), len(low))
    return low[:length]


def _prompts(nodes: Sequence[MemoryNode], records: Sequence[PartRecord]) -> dict[str, list[str]]:
    """What the model was given in each turn: the message, and the items that the report names as injected."""
    texts = {name: node.text for node in nodes for name in (node.id, node.handle)}
    prompts: dict[str, list[str]] = {}
    for record in records:
        named = [*record.cited, *record.report.get("cited", ()), *record.report.get("injected_not_cited", ())]
        given = prompts.setdefault(record.turn_id, [])
        given += [text for text in (record.user_text, *(texts.get(str(name), "") for name in named)) if text]
    return prompts
