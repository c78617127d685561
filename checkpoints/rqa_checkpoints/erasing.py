"""What of a person's log goes when an item, or everything of the person, is erased?

Erased are the words: those of the item, of every message, document, proposal, adopted line and reason of this person
that holds them, and of what the assistant made of the item. What others wrote stays, byte by byte. Words are found
folded (case, width, white space); short ones only as a whole text, since "yes" stands in half of all sentences. The
plan reads, one event erases: its rule clears words, salts and every row that came of them in one transaction, and
names what must be cleared outside the log, so that a process that is killed leaves nothing to remember by hand.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import ahocorasick
from sqlalchemy import Connection, select

from rqa_checkpoints import queries, tables
from rqa_checkpoints.chain import ERASE, canonical, spans_of
from rqa_checkpoints.likeness import fold
from rqa_checkpoints.log import Writer
from rqa_checkpoints.provenance import MemoryNode, Scope, SourceClass

__all__ = [
    "Erasure",
    "Pending",
    "Subject",
    "erased_after",
    "holder_of",
    "known_threads",
    "pending_erasures",
    "persons_of",
    "plan_node",
    "plan_person",
    "receipts",
    "turns_of",
    "write_erasure",
    "write_receipt",
]

Subject = Literal["node", "user", "tenant"]

_SHORTEST = 8
"""Letters and digits from which words are looked for inside other texts; a kana or kanji counts as two."""
_LATIN_END = 0x2E7F

_TEXTS = ("text", "value", "user_text", "reply_text", "reason", "note")
"""Private fields that hold what somebody said, and nothing else."""

_BATCH = 500

_PLACES: Mapping[str, str] = {
    "node": "items",
    "part": "messages",
    "blob": "documents",
    "queue": "reviews",
    "adopt": "adopted",
    "status": "reasons",
}
"""Kind of event, and the name under which the receipt counts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What goes of one person's log."""

    scope: Scope
    nodes: tuple[MemoryNode, ...]
    """All items that go: the one that was named, those that hold its words, and what the assistant made of it."""
    seqs: frozenset[int]
    """Numbers of the events whose words go."""
    threads: frozenset[str]
    """Threads that held the words when they were said."""
    counts: Mapping[str, int] = field(default_factory=dict)


class Pending(NamedTuple):
    """An erasure that the log has decided on, and whose other places are not all cleared."""

    id: str
    at: str
    scopes: tuple[Scope, ...]
    seqs: tuple[int, ...]
    """Numbers of its `erase` events, one a person."""
    public: tuple[Mapping[str, Any], ...]
    """What they say."""


class _Entry(NamedTuple):
    """One event with words."""

    seq: int
    op: str
    public: Mapping[str, Any]
    words: tuple[str, ...]
    """The texts in it, folded; the last one is everything else, in which only long words are looked for."""


def holder_of(texts: Iterable[str]) -> Callable[[str], bool]:
    """A test of whether a text holds one of these, or, of the short ones, is one."""
    cores = {_core(text) for text in texts} - {""}
    escaped = {canonical(text)[1:-1] for text in cores}  # as JSON within a text writes it
    found = ahocorasick.Automaton()
    for long in sorted(text for text in cores | escaped if _letters(text) >= _SHORTEST):
        found.add_word(long, True)
    found.make_automaton()

    def holds(text: str) -> bool:
        words = fold(text)
        inside = len(found) > 0 and next(found.iter(words), None) is not None
        return inside or words in cores or _core(words) in cores

    return holds


def _core(text: str) -> str:
    """The folded text without the marks around it: who quotes a sentence leaves its full stop out."""
    words = fold(text)
    spoken = [place for place, char in enumerate(words) if char.isalnum()]
    return words[spoken[0] : spoken[-1] + 1] if spoken else ""


def _letters(text: str) -> int:
    return sum(2 if ord(char) > _LATIN_END else 1 for char in text if char.isalnum())


def plan_node(view: Connection, node: MemoryNode) -> Erasure:
    """What goes when one item is erased."""
    scope = node.scope
    entries = list(_entries(view, scope))
    gone, holds = _family(entries, node)
    items = _items_of_queue(entries, holds)

    def goes(entry: _Entry) -> bool:
        match entry.op:
            case "node":
                return entry.public["id"] in gone
            case "queue" | "revise" | "decide":
                return entry.public["id"] in items
            case "part" if not gone.isdisjoint(entry.public["written"]):
                return True
            case _:
                return any(map(holds, entry.words))

    return _erasure(view, scope, [entry for entry in entries if goes(entry)])


def plan_person(view: Connection, scope: Scope) -> Erasure:
    """What goes when everything of a person is erased."""
    return _erasure(view, scope, list(_entries(view, scope)))


def persons_of(view: Connection, tenant: str) -> list[Scope]:
    """Everybody of a tenant that the log has words of."""
    event, content = tables.event, tables.content
    joined = event.join(content, content.c.seq == event.c.seq)
    query = select(event.c.user).select_from(joined).where(event.c.tenant == tenant).distinct()
    return [Scope(tenant, user) for user in sorted(view.execute(query).scalars())]


def known_threads(view: Connection) -> dict[str, set[tuple[str, str]]]:
    """Every thread that items and messages stand in, with the (tenant, user) of each."""
    found: dict[str, set[tuple[str, str]]] = {}
    for table in (tables.node, tables.part):
        for thread, tenant, user in view.execute(select(table.c.thread, table.c.tenant, table.c.user).distinct()):
            if thread:
                found.setdefault(thread, set()).add((tenant, user))
    return found


def write_erasure(
    writer: Writer, plans: Sequence[Erasure], *, erasure: str, subject: Subject, name: str, threads: Collection[str]
) -> None:
    """Erase inside the transaction: one event a person, all under one id. `threads` is what goes of the checkpoints."""
    for plan in plans:
        public = {
            "erasure": erasure,
            "subject": subject,
            "name": name,
            "seqs": spans_of(plan.seqs),
            "threads": sorted(threads),
            "counts": dict(plan.counts),
        }
        writer.append(ERASE, plan.scope, public)


def write_receipt(writer: Writer, pending: Pending, receipt: Mapping[str, Any]) -> int:
    """Say in the log that every place is cleared; return the number of the event."""
    return writer.append("erased", pending.scopes[0], {"erasure": pending.id, "receipt": dict(receipt)})


def pending_erasures(view: Connection) -> list[Pending]:
    """Erasures without a receipt, oldest first."""
    erasure, event = tables.erasure, tables.event
    columns = (erasure.c.id, event.c.at, event.c.tenant, event.c.user, event.c.seq, event.c.body)
    joined = erasure.join(event, event.c.seq == erasure.c.seq)
    rows = view.execute(select(*columns).select_from(joined).where(erasure.c.done == 0).order_by(event.c.seq)).all()
    found: dict[str, list[Any]] = {}
    for row in rows:
        found.setdefault(row.id, []).append(row)
    return [
        Pending(
            id=name,
            at=own[0].at,
            scopes=tuple(Scope(row.tenant, row.user) for row in own),
            seqs=tuple(row.seq for row in own),
            public=tuple(json.loads(row.body) for row in own),
        )
        for name, own in found.items()
    ]


def receipts(view: Connection, scope: Scope) -> list[dict[str, Any]]:
    """The receipts of finished erasures that took something of this person, oldest first."""
    erasure, event = tables.erasure, tables.event
    joined = erasure.join(event, event.c.seq == erasure.c.done)
    query = select(event.c.seq, event.c.body).select_from(joined).where(queries.owned(erasure, scope))
    return [{**json.loads(row.body)["receipt"], "log": row.seq} for row in view.execute(query.order_by(event.c.seq))]


def erased_after(view: Connection, seq: int) -> tuple[int, set[str]]:
    """The number of the last erasure, and the threads that went with those after `seq`."""
    erasure, event = tables.erasure, tables.event
    joined = erasure.join(event, event.c.seq == erasure.c.seq)
    query = select(erasure.c.seq, event.c.body).select_from(joined).where(erasure.c.seq > seq)
    rows = view.execute(query).all()
    threads = {thread for row in rows for thread in json.loads(row.body)["threads"]}
    return max([seq, *(row.seq for row in rows)]), threads


def turns_of(view: Connection, pending: Pending) -> set[str]:
    """Ids of the turns whose messages an erasure took: the chain still names them."""
    event = tables.event
    found: set[str] = set()
    for scope, public in zip(pending.scopes, pending.public, strict=True):
        for first, last in public["seqs"]:
            mine = queries.owned(event, scope) & (event.c.op == "part") & event.c.seq.between(first, last)
            found |= {json.loads(body)["turn_id"] for body in view.execute(select(event.c.body).where(mine)).scalars()}
    return found


def _entries(view: Connection, scope: Scope) -> Iterator[_Entry]:
    event, content = tables.event, tables.content
    joined = event.join(content, content.c.seq == event.c.seq)
    query = select(event.c.seq, event.c.op, event.c.body, content.c.private).select_from(joined)
    for row in view.execute(query.where(queries.owned(event, scope)).order_by(event.c.seq)):
        yield _Entry(row.seq, row.op, json.loads(row.body), _words(json.loads(row.private)))


def _words(private: Mapping[str, Any]) -> tuple[str, ...]:
    texts = [fold(private[name]) for name in _TEXTS if isinstance(private.get(name), str)]
    rest = [text for name, value in private.items() if name not in _TEXTS for text in _strings(value)]
    return (*texts, fold(" | ".join(["other", *rest])))


def _strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value; keys are names of ours, or of a payload's fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(inner)


def _family(entries: Sequence[_Entry], node: MemoryNode) -> tuple[set[str], Callable[[str], bool]]:
    """Ids of the items that go with one, and a test of whether a text holds the words of any of them."""
    born = {entry.public["id"]: entry for entry in entries if entry.op == "node"}
    texts = {node.text}
    gone = {node.id}
    while True:
        holds = holder_of(texts)
        made = {name for name, entry in born.items() if _made_of(entry, gone)}
        more = gone | made | {name for name, entry in born.items() if any(map(holds, entry.words))}
        texts |= {word for name in made for word in born[name].words[:-1] if _letters(word) >= _SHORTEST}
        if more == gone:
            return gone, holds
        gone = more


def _made_of(entry: _Entry, gone: Collection[str]) -> bool:
    """Did the assistant make it of something that goes? What a person said stays, unless it holds the words."""
    made_by = SourceClass(entry.public["source"])
    return made_by is SourceClass.assistant and not set(entry.public["derived_from"]).isdisjoint(gone)


def _items_of_queue(entries: Sequence[_Entry], holds: Callable[[str], bool]) -> set[str]:
    ops = {"queue", "revise", "decide"}
    return {entry.public["id"] for entry in entries if entry.op in ops and any(map(holds, entry.words))}


def _erasure(view: Connection, scope: Scope, entries: Sequence[_Entry]) -> Erasure:
    ids = [entry.public["id"] for entry in entries if entry.op == "node"]
    nodes = queries.nodes_by_id(view, ids, scope)
    said = {entry.public["thread"] for entry in entries if entry.op in {"node", "part"}}
    relations: set[queries.Edge] = set()
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        said |= set(view.execute(select(tables.seen.c.thread).where(tables.seen.c.node.in_(batch))).scalars())
        relations |= set(queries.edges_at(view, batch, scope))
    counted = Counter(_PLACES[entry.op] for entry in entries if entry.op in _PLACES)
    return Erasure(
        scope=scope,
        nodes=tuple(nodes[name] for name in ids if name in nodes),
        seqs=frozenset(entry.seq for entry in entries),
        threads=frozenset(said - {""}),
        counts={
            **dict.fromkeys(_PLACES.values(), 0),
            **counted,
            "relations": len(relations),
            "texts": len(entries),
        },
    )
