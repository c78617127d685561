"""May this be looked up, and what of what came back may be used?

The generator asks, the controller decides and runs. Its limits are rows in the state, which no model output can write:
so many calls of a tool a turn, so many seconds each, so many sources of each. A query that leaves the machine carries
no word of memory that the person did not bring up themselves, and an address is fetched only if the person, or a
search of this turn, named it: else a hostile page could have memory sent to it. What comes back is stored as class
`external`, with where it lies and the hash of its content, after what reads like an instruction was left out.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from rqa_checkpoints.errors import RefusedTextError
from rqa_checkpoints.provenance import MemoryNode, SourceClass
from rqa_nodes.facts import Facts, scope_of
from rqa_nodes.injection import injection_reason
from rqa_nodes.reflect.asking import Lookup
from rqa_nodes.state import ItemRef, State, ToolRow
from rqa_nodes.structure.text import content_terms, fold
from rqa_nodes.tools.status import ToolStatus
from rqa_nodes.tools.toolbox import Source, Tool, Toolbox, ToolCall
from rqa_nodes.turn import Turn

__all__ = ["LOCAL_RAG", "Found", "Wish", "look_up", "open_tools", "used"]

LOCAL_RAG: Final = "local_rag"
"""The tool that the controller runs by itself, once a turn: who had a folder indexed expects to see it cited."""

_LONGEST_QUERY: Final = 400
"""Characters; a search wants a few words, and a path or an address is shorter."""
_LONGEST_TEXT: Final = 1500
"""Characters of one source that a prompt may carry."""
_LEAST_SECONDS: Final = 1.0
_NEVER_RAN: Final = frozenset(
    {
        *(ToolStatus.not_enabled, ToolStatus.limit, ToolStatus.bad_query, ToolStatus.private_words),
        *(ToolStatus.unnamed_address, ToolStatus.out_of_time),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What somebody wants looked up."""

    tool: str
    query: str
    by_model: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A row for the state, and the items behind it."""

    row: ToolRow
    nodes: tuple[MemoryNode, ...] = field(default=())


def used(rows: Sequence[ToolRow], name: str) -> int:
    """How many calls of a tool were made this turn."""
    return sum(row["tool"] == name and row["status"] not in _NEVER_RAN for row in rows)


def open_tools(toolbox: Toolbox, rows: Sequence[ToolRow]) -> tuple[str, ...]:
    """The tools that may still be asked for, by name."""
    tools = (toolbox.get(name) for name in sorted(toolbox.enabled))
    return tuple(tool.name for tool in tools if tool is not None and used(rows, tool.name) < tool.calls)


def look_up(
    wish: Wish, *, state: State, turn: Turn, facts: Facts, rows: Sequence[ToolRow], deadline: datetime
) -> Generator[Lookup, None, Found]:
    """Decide on one wish, run it, and keep what it brought.

    Args:
        wish: What is wanted; a model's words in it are verified.
        state: The state of the turn.
        turn: What the node was given.
        facts: What this turn rests on so far.
        rows: Everything that was looked up before in this turn.
        deadline: When whoever waits must go on.
    """
    tools, clock, query = turn.services.tools, turn.services.clock, " ".join(wish.query.split())
    tool = tools.get(fold(wish.tool))
    row = _row(wish, query, tool)
    refused = _refusal(tool, query, by_model=wish.by_model, facts=facts, rows=rows) if tool else None
    if tool is None or refused is not None:
        return Found(row={**row, "status": (refused or ToolStatus.not_enabled).value})
    started = clock()
    seconds = min(tool.seconds, (deadline - started).total_seconds())
    if seconds < _LEAST_SECONDS:
        return Found(row={**row, "status": ToolStatus.out_of_time.value})
    turn.emit({"type": "progress", "stage": "look_up", "round": state.get("round", 0) + 1})
    call = ToolCall(query=query, scope=scope_of(state, turn), about=facts.input_text)
    lookup = Lookup(tools, tool.name, call, seconds)
    yield lookup
    taken = round((clock() - started).total_seconds(), 3)
    if lookup.error is not None:
        reason = lookup.error.reason
        status = ToolStatus(reason) if reason in ToolStatus.__members__ else ToolStatus.failed
        return Found(row={**row, "status": status.value, "detail": facts.reason(lookup.error), "seconds": taken})
    nodes, withheld = _kept(lookup.found[: tool.items], tool, state=state, turn=turn)
    status = ToolStatus.ok if nodes else ToolStatus.nothing
    refs = [ItemRef(id=node.id, handle=node.handle, source=node.source.value) for node in nodes]
    done: ToolRow = {**row, "status": status.value, "items": refs, "withheld": withheld, "seconds": taken}
    return Found(row=done, nodes=nodes)


def _row(wish: Wish, query: str, tool: Tool | None) -> ToolRow:
    return ToolRow(
        tool=tool.name if tool else fold(wish.tool)[:40],
        query=query[:_LONGEST_QUERY] if wish.by_model else "",
        by="model" if wish.by_model else "controller",
        status="",
        detail="",
        items=[],
        withheld=0,
        leaves=tool is not None and tool.leaves(query),
        seconds=0.0,
    )


def _refusal(tool: Tool, query: str, *, by_model: bool, facts: Facts, rows: Sequence[ToolRow]) -> ToolStatus | None:
    """Why a wish is not run; None if it is."""
    if used(rows, tool.name) >= tool.calls:
        return ToolStatus.limit
    if not query or (by_model and len(query) > _LONGEST_QUERY):
        return ToolStatus.bad_query
    if not tool.leaves(query):
        return None
    public = _public(facts, rows)
    if "://" in query:
        named = any(query in text for text in (facts.input_text, *(t for node in public for t in _said(node))))
        return None if named else ToolStatus.unnamed_address
    return ToolStatus.private_words if _carries_memory(query, facts, public) else None


def _public(facts: Facts, rows: Sequence[ToolRow]) -> list[MemoryNode]:
    """What came from outside this turn: to say it there again gives nothing away."""
    ids = {ref["id"] for row in rows if row["leaves"] for ref in row["items"]}
    return [node for node in facts.nodes if node.id in ids]


def _said(node: MemoryNode) -> tuple[str, str]:
    return node.text, node.locator


def _carries_memory(query: str, facts: Facts, public: Sequence[MemoryNode]) -> bool:
    """Does the query hold a word of memory, or of a file here, that the person did not bring to this turn?"""
    open_ids = {node.id for node in public}
    private = [node.text for node in facts.nodes if node.id not in open_ids]
    private += [line.text for line in facts.transcript]
    known = content_terms("\n".join((facts.input_text, *(text for node in public for text in _said(node)))))
    return not content_terms("\n".join(private)).isdisjoint(content_terms(query) - known)


def _kept(found: Sequence[Source], tool: Tool, *, state: State, turn: Turn) -> tuple[tuple[MemoryNode, ...], int]:
    """The sources as items of memory, each once, and how many were left out."""
    kept: dict[str, MemoryNode] = {}
    withheld = 0
    for source in found:
        text = source.text[:_LONGEST_TEXT].strip()
        if injection_reason("\n".join((text, source.locator)), SourceClass.external):
            withheld += 1
            continue
        try:
            node = turn.services.memory.keep_source(
                text,
                scope=scope_of(state, turn),
                tool=tool.name,
                locator=source.locator,
                digest=source.digest,
                thread=turn.thread or state["turn"]["turn_id"],
            )
        except RefusedTextError:
            withheld += 1
            continue
        kept[node.id] = node
    return tuple(kept.values()), withheld
