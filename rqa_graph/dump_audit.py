"""What would this memory tell a model that nobody ever said?

Counts over the rows of a dump: who is credited, what stands there twice, which of the assistant's texts only repeat
what the conversation had just said, and which ids are named that no row has. The same rules as for our own memory.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rqa_checkpoints.audit import audit
from rqa_checkpoints.provenance import Kind, MemoryNode, SourceClass
from rqa_graph.dumps import DumpRow
from rqa_nodes.echo import VerdictKind, verify

__all__ = ["DumpAudit", "audit_dump"]

_BEFORE = 2
"""Messages of a conversation that count as the prompt of the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpAudit:
    """What was found. Rows are named by their place in the dump, from 0."""

    total: int
    by_source: dict[str, int]
    exact_duplicates: int
    near_duplicates: int
    from_own_prompt: tuple[int, ...]
    """Texts of the assistant or of nobody that only repeat what was said just before."""
    with_markers: tuple[int, ...]
    """Texts that hold the marks of a memory block: an injected block that was stored again."""
    unknown_ids: tuple[tuple[int, str], ...]
    """Ids named in a text that no row of the dump has."""

    @property
    def clean(self) -> bool:
        """Whether nothing was found that a model would be misled by; duplicates are no fault."""
        return not (self.from_own_prompt or self.with_markers or self.unknown_ids or self.by_source.get("unknown"))


def audit_dump(rows: Sequence[DumpRow]) -> DumpAudit:
    """Audit the rows of a dump."""
    nodes = [_node(place, row) for place, row in enumerate(rows)]
    found = audit(nodes, _prompts(rows))
    return DumpAudit(
        total=len(rows),
        by_source=dict(sorted(Counter(row.source for row in rows).items())),
        exact_duplicates=len(found.exact_duplicates),
        near_duplicates=len(found.near_duplicates),
        from_own_prompt=tuple(sorted(map(int, found.from_own_prompt))),
        with_markers=tuple(sorted(map(int, found.quarantined))),
        unknown_ids=tuple(_unknown_ids(rows)),
    )


def _node(place: int, row: DumpRow) -> MemoryNode:
    """A row as an item; what nobody vouches for is held to the rules for the assistant."""
    source = SourceClass.assistant if row.source == "unknown" else SourceClass(row.source)
    return MemoryNode(
        id=str(place),
        handle=str(place),
        tenant="dump",
        user="dump",
        thread=row.thread,
        turn_id=str(place),
        source=source,
        author=row.author,
        kind=Kind.statement,
        text=row.text,
        recorded_at=row.date,
    )


def _prompts(rows: Sequence[DumpRow]) -> dict[str, list[str]]:
    """By row, what was said just before it in its conversation."""
    spoken: dict[str, list[str]] = defaultdict(list)
    prompts: dict[str, list[str]] = {}
    for place, row in enumerate(rows):
        if row.thread:
            prompts[str(place)] = spoken[row.thread][-_BEFORE:]
            spoken[row.thread].append(row.text)
    return prompts


def _unknown_ids(rows: Sequence[DumpRow]) -> list[tuple[int, str]]:
    known: Any = [row.id for row in rows if row.id]
    found: list[tuple[int, str]] = []
    for place, row in enumerate(rows):
        report = verify(row.text, injected=(), known=known, mode="report")
        found += [(place, v.ref) for v in report.verdicts if v.kind is VerdictKind.unknown_id]
    return found
