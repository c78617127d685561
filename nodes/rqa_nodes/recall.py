"""What does memory give this turn?

Read path 1: near items of this person, at most the budget, without those that imitate instructions. Recall changes
nothing; ids go into the state, texts stay in the log.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Literal, TypedDict

from langgraph.types import Command

from rqa_checkpoints.provenance import Kind, Scope, SourceClass
from rqa_nodes.companions import with_companions
from rqa_nodes.facts import Facts, gather_input, scope_of
from rqa_nodes.injection import filter_injection
from rqa_nodes.ports import Memory, Recall, RecalledItem
from rqa_nodes.prompt_parts import MemoryLine
from rqa_nodes.reflect.asking import settle
from rqa_nodes.state import ItemRef, Listing, State, ToolRow
from rqa_nodes.structure.changing import matters_of, shared_matters
from rqa_nodes.structure.intent import Intent, classify
from rqa_nodes.tools.controller import LOCAL_RAG, Wish, look_up
from rqa_nodes.tools.status import ToolStatus
from rqa_nodes.turn import Turn

__all__ = ["QUERY_CHARACTERS", "recall"]

_ANSWER_FRAGMENTS = 8
"""Items for an answer; a reflection takes the fragments of its budget."""
QUERY_CHARACTERS = 2000
"""Enough for 512 tokens of the encoder; what follows would be cut there anyway."""
_OF_A_MATTER = 3
"""Of an answer's items, how many a question about a home, a job and the like gives to what was said of it last."""
_SAID_LAST = 50
"""Statements among which these are looked for."""
_RECENT_STATEMENTS = 6
"""Of an answer's items, how many a question about the user as a whole gives to what the user said last."""


_SHOWN_DIGITS: Final = 6
"""Of a planned gain in the state, which is there to be read; what is applied is worked out anew, in full."""


class RecallUpdate(TypedDict):
    """What this node writes."""

    injected: list[ItemRef]
    withheld: list[dict[str, str]]
    recall_mode: str
    listing: Listing
    training_delta: dict[str, Any]


def _line(item: RecalledItem) -> MemoryLine:
    node = item.node
    return MemoryLine(handle=node.handle, source=node.source, text=node.text, id=node.id, locator=node.locator)


def select(found: Recall) -> RecallUpdate:
    """Keep what may be shown to a model, and say what was withheld and why."""
    lines = [_line(item) for item in found.items]
    kept, withheld = filter_injection(lines)
    rows = [{"handle": line.handle, "reason": reason} for line, reason in withheld]
    rows += [{"handle": held.handle, "reason": held.reason} for held in found.held_back if held.reason == "quarantined"]
    return {
        "injected": [{"id": line.id, "handle": line.handle, "source": line.source.value} for line in kept],
        "withheld": rows,
        "recall_mode": found.mode,
        "listing": _listing(found, {line.id for line in kept}),
        "training_delta": _planned(found),
    }


def _listing(found: Recall, kept: Collection[str]) -> Listing:
    """The list that was asked for, with what of it is shown."""
    hint = found.routing_hint
    if hint is None or not hint.auto_routed:
        return {}
    on_it = [item.node for item in found.items if item.node.id in hint.listed and item.node.id in kept]
    return {"aspect": hint.aspect or "", "handles": [node.handle for node in on_it], "total": hint.total}


def _planned(found: Recall) -> dict[str, Any]:
    """What a citation of each item would change, by handle; empty where use does not count."""
    delta = found.training_delta
    if delta is None:
        return {}
    handles = {item.node.id: item.node.handle for item in found.items}
    gains = {handles[name]: round(gain, _SHOWN_DIGITS) for name, gain in delta.mass_changes.items() if name in handles}
    return {"planned": gains, "cache_hit": delta.cache_hit}


def find(memory: Memory, query: str, *, scope: Scope, limit: int, thread: str = "", at: str = "") -> Recall:
    """What is near the query; who asks for a list gets it, and who asks about themselves what they said last.

    "What are my open tasks?" and "what do you know about me?" are near nothing but themselves.

    A guess that the person has answered comes with the answer, and what was replaced since behind what replaced it.
    Whoever names the thread is going to answer from what comes back, at the time `at` of the turn.
    """
    actor = SourceClass.assistant if thread else None
    found = memory.recall(query, scope=scope, top_k=limit, actor=actor, session=thread, at=at)
    return with_companions(_chosen(found, memory, query, scope=scope, limit=limit), memory, scope=scope, limit=limit)


def _chosen(found: Recall, memory: Memory, query: str, *, scope: Scope, limit: int) -> Recall:
    hint = found.routing_hint
    if hint is not None and hint.listed:
        said, why = memory.get(hint.listed[:limit], scope=scope), "listed"
    elif classify(query) is Intent.about_user:
        said, why = memory.recent_statements(scope=scope, limit=min(limit, _RECENT_STATEMENTS)), "recent"
    else:
        return _with_matter(found, memory, query, scope=scope, limit=limit)
    first = tuple(RecalledItem(node=node, score=0.0, why=why) for node in said)
    ids = {item.node.id for item in first}
    others = (i for i in found.items if i.node.id not in ids and i.node.kind is not Kind.question)
    return replace(found, items=(*first, *others)[:limit])


def _with_matter(found: Recall, memory: Memory, query: str, *, scope: Scope, limit: int) -> Recall:
    """The same, with what the person said last of the matter that a question names: "I moved" is near no "I live"."""
    if not matters_of(query) or classify(query) is Intent.statement:
        return found
    ids = {item.node.id for item in found.items}
    said = memory.recent_statements(scope=scope, limit=_SAID_LAST)
    of_it = [node for node in said if node.id not in ids and shared_matters(query, node.text)]
    more = tuple(RecalledItem(node=node, score=0.0, why="matter") for node in of_it[:_OF_A_MATTER])
    return replace(found, items=(*found.items[: limit - len(more)], *more)) if more else found


def _from_folders(state: State, turn: Turn, facts: Facts, query: str) -> list[ToolRow]:
    """What the person's own folders say to this, without anybody asking for it; no row where there is nothing."""
    if LOCAL_RAG not in turn.services.tools.enabled:
        return []
    wish = Wish(tool=LOCAL_RAG, query=query, by_model=False)
    deadline = datetime.fromisoformat(state["turn"]["deadline"])
    row = settle(look_up(wish, state=state, turn=turn, facts=facts, rows=(), deadline=deadline)).row
    return [] if row["status"] == ToolStatus.nothing and not row["withheld"] else [row]


def recall(state: State, turn: Turn) -> Command[Literal["answer", "analyse"]]:
    """Find what is near the input, for this tenant and user only; then answer, or open the instrument."""
    services = turn.services
    facts = gather_input(state, turn)
    query = facts.input_text[:QUERY_CHARACTERS]
    instrument = state["route"]["level"] == 3
    limit = services.budgets.named(state["route"]["budget"]).fragments if instrument else _ANSWER_FRAGMENTS
    thread, at = state["turn"]["thread"], state["turn"]["recorded_at"]
    found = find(services.memory, query, scope=scope_of(state, turn), limit=limit, thread=thread, at=at)
    update = {**select(found), "tools": _from_folders(state, turn, facts, query)}
    return Command(update=update, goto="analyse" if instrument else "answer")
