"""What would put a memory in order, and how is that done and undone?

Proposals, never deeds: near-duplicates to merge, changes and contradictions to mark, questions that were answered or
that nobody came back to. A curation is a marker in the log and, behind it, the same events that a person's own hand
would leave, so that it can be taken back one by one. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal

from rqa_checkpoints.proposals import Effect
from rqa_checkpoints.records import Kind, MemoryNode, SourceClass, Status

__all__ = ["AT_ONCE", "Change", "answered", "effects_of", "merges", "stale"]

AT_ONCE: Final = 20
"""More changes than this at a time wait for a person's yes."""
_STALE: Final = timedelta(days=90)
"""A question of the assistant's that nobody came back to for so long is put away."""
_LOOKED_AT: Final = 40
"""Characters of an item that a person sees when deciding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change that is proposed."""

    op: Literal["merge", "relate", "status"]
    item: str
    """Id of the item that changes: the one that is merged away, that says the newer thing, or that is moved on."""
    other: str = ""
    """Id of the item that stands for it, or that it relates to."""
    name: str = ""
    """The relation, or the status that it gets."""
    was: str = ""
    """The status that it has."""
    reason: Literal["duplicate", "update", "contradiction", "answered", "stale"]
    shown: tuple[str, ...] = ()
    """The beginning of the texts, for whoever decides."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        names = ("op", "item", "other", "name", "was", "reason")
        return {**{name: getattr(self, name) for name in names}, "shown": list(self.shown)}


def looked_at(*nodes: MemoryNode) -> tuple[str, ...]:
    """The beginning of the items' texts, each with its handle."""
    return tuple(f"[{node.handle}] {' '.join(node.text.split())[:_LOOKED_AT]}" for node in nodes)


def merges(pairs: Sequence[tuple[MemoryNode, MemoryNode]]) -> Iterator[Change]:
    """Pairs that say the same, the older one first: the older stands for the newer, and nothing is merged twice."""
    gone: set[str] = set()
    for old, new in pairs:
        if not gone.isdisjoint({old.id, new.id}) or old.key or new.key:
            continue
        gone.add(new.id)
        yield Change(op="merge", item=new.id, other=old.id, reason="duplicate", shown=looked_at(new, old))


def answered(nodes: Mapping[str, MemoryNode], edges: Sequence[tuple[str, str, str]]) -> Iterator[Change]:
    """Open questions that a person or a document has answered; the assistant's own answer closes nothing."""
    for src, dst, relation in edges:
        question, said = nodes.get(dst), nodes.get(src)
        if relation != "answers" or question is None or said is None or question.status is not Status.open:
            continue
        if said.source in {SourceClass.user, SourceClass.external} and question.kind is Kind.question:
            moved = Change(op="status", item=dst, name="revisited", was="open", reason="answered")
            yield _shown(moved, question)
            yield _shown(Change(op="status", item=dst, name="resolved", was="revisited", reason="answered"), question)


def stale(nodes: Mapping[str, MemoryNode], edges: Sequence[tuple[str, str, str]], *, now: datetime) -> Iterator[Change]:
    """Open questions and tensions of the assistant's that nobody answered or came back to for 90 days."""
    touched = {dst for _, dst, relation in edges if relation in {"answers", "supports", "contradicts"}}
    for node in nodes.values():
        old = now - datetime.fromisoformat(node.recorded_at) >= _STALE
        asks = node.kind in {Kind.question, Kind.tension} and node.status is Status.open
        if asks and old and node.source is SourceClass.assistant and node.id not in touched:
            yield _shown(Change(op="status", item=node.id, name="archived", was="open", reason="stale"), node)


def _shown(change: Change, node: MemoryNode) -> Change:
    return Change(**{**change.to_dict(), "shown": looked_at(node)})


def effects_of(changes: Sequence[Mapping[str, Any]], *, batch: str, by: str) -> list[Effect]:
    """The events of a curation: a marker that names what was meant, and behind it a deed for each change."""
    bare = [{name: change[name] for name in ("op", "item", "other", "name", "was")} for change in changes]
    found = [Effect(op="curate", public={"id": batch, "by": by, "changes": bare})]
    for change in bare:
        match change["op"]:
            case "merge":
                found.append(Effect(op="hide", public={"id": change["item"]}))
                found.append(_edge(change, "merged_into"))
            case "relate":
                found.append(_edge(change, change["name"]))
            case _:
                moved = {"id": change["item"], "from": change["was"], "to": change["name"]}
                found.append(Effect(op="status", public=moved, private={"reason": f"curated: {batch}"}))
    return found


def _edge(change: Mapping[str, Any], relation: str) -> Effect:
    return Effect(op="edge", public={"src": change["item"], "dst": change["other"], "kind": relation})
