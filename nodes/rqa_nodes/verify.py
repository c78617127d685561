"""May this leave, and what does it leave behind?

The only node with a way to the end, and the only one that appends an assistant message. It checks the draft again
with the turn's facts, commits the part in one transaction, and only then publishes. If the commit fails it checks once
more with nothing written, shows that, and stores nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage
from langgraph.types import Command

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.provenance import CacheOutcome, Kind, MemoryNode, Proposal, SourceClass
from rqa_nodes.contradiction import Contradiction, which_holds
from rqa_nodes.crossing import crossings, relations_of
from rqa_nodes.echo import VerificationReport
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lexicon import own_wordings
from rqa_nodes.facts import Facts, gather, scope_of
from rqa_nodes.ports import TurnPart
from rqa_nodes.prompts import memory_block
from rqa_nodes.reflect.side_question import is_closed, spend
from rqa_nodes.state import Draft, ItemRef, LateQuestion, State
from rqa_nodes.structure.lexicon import own_sentence
from rqa_nodes.telemetry import part_line, round_lines
from rqa_nodes.turn import Turn

__all__ = ["verify"]

_EMPTY_DRAFT = Draft(part="answer", text="", released=0, author="", items=None, notes=[], report={})

_SAID_LAST = 50
"""Of a person's last statements so many are compared with a new one, near or not: who moves names another town."""

_PANEL = 3
"""The level whose reply is a panel."""

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_CHARACTERS = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    """What became of a part."""

    report: VerificationReport
    turn_id: str
    forked_from: str
    stored: bool
    written: tuple[ItemRef, ...] = ()
    applied: Mapping[str, float] = field(default_factory=dict)
    """Gain of mass by id, of what this part used."""
    crossings: tuple[Contradiction, ...] = ()
    """What the message says against what the person said before, the surest first."""
    before: Mapping[str, Any] | None = None
    """The report stored when this very part was committed before."""


def _cited_ids(report: VerificationReport, facts: Facts) -> tuple[str, ...]:
    by_reference = {key: node.id for node in facts.nodes for key in (node.handle, node.id)}
    return tuple(dict.fromkeys(by_reference[ref] for ref in report.cited if ref in by_reference))


def _is_constant(sentence: str, lang: str) -> bool:
    """Is this a sentence of the verifier or a fixed one of the built-in engine?

    It states nothing new: what stands behind "I suggested earlier (unverified)" is in memory as the guess that it was.
    """
    bare = sentence.strip("- \n")
    return fold(bare).text.startswith(own_wordings(lang)) or own_sentence().fullmatch(bare) is not None


def _items(state: State, turn: Turn, draft: Draft, *, text: str, facts: Facts, turn_id: str) -> list[MemoryNode]:
    """The items of this part: the user's message once, with part "answer"; the reply as the assistant's."""
    if not text:
        return []
    fixed = state["turn"]
    scope, memory = scope_of(state, turn), turn.services.memory
    common: dict[str, Any] = {
        "scope": scope,
        "thread": fixed["thread"],
        "turn_id": turn_id,
        "recorded_at": fixed["recorded_at"],
    }
    nodes: list[MemoryNode] = []
    if draft["part"] == "answer":
        nodes += memory.plan(facts.user_text, role="user", **turn.speaker(scope), **common)
    own = {"role": "assistant", "author": draft["author"], "source": SourceClass.assistant, **common}
    # Words that were given to the model this turn, the user's own among them, are no statement of the assistant's.
    given = (*(node.text for node in facts.nodes), facts.user_text, *(d.text for d in facts.documents))
    own["injected"] = [*given, *draft["notes"]]
    if draft["items"] is None:
        return nodes + [node for node in memory.plan(text, **own) if not _is_constant(node.text, facts.lang)]
    for item in draft["items"]:
        nodes += memory.plan(item["text"], kind=Kind(item["kind"]), **own)
    return nodes


def _crossings(state: State, turn: Turn, nodes: Sequence[MemoryNode], facts: Facts) -> tuple[Contradiction, ...]:
    """What the message says against what recall brought for it, and against what the person said last."""
    if not any(node.source is SourceClass.user and node.kind is not Kind.question for node in nodes):
        return ()
    last = turn.services.memory.recent_statements(scope=scope_of(state, turn), limit=_SAID_LAST)
    before = {node.id: node for node in (*facts.nodes, *last)}
    return crossings(nodes, list(before.values()), at=state["turn"]["recorded_at"], nli=turn.services.entailment)


def _part(
    state: State, turn: Turn, draft: Draft, *, published: _Published, facts: Facts, removed: tuple[Any, ...]
) -> tuple[TurnPart, tuple[Contradiction, ...]]:
    """What is to be committed, under the turn's id or a fork's, and what its message says against earlier ones."""
    fixed, report, is_answer = state["turn"], published.report, draft["part"] == "answer"
    nodes = tuple(_items(state, turn, draft, text=report.text, facts=facts, turn_id=published.turn_id))
    found = _crossings(state, turn, nodes, facts) if is_answer else ()
    part = TurnPart(
        scope=scope_of(state, turn),
        thread=fixed["thread"],
        turn_id=published.turn_id,
        part=draft["part"],
        recorded_at=fixed["recorded_at"],
        forked_from=published.forked_from,
        user_text=facts.user_text if is_answer else "",
        reply_text=report.text,
        nodes=nodes,
        relations=relations_of(found),
        cited=_cited_ids(report, facts),
        report=_whole_report(draft, published),
        given=_given(state, facts),
        removed=removed,
        outcome="" if is_answer else state.get("question_reason", ""),
        proposals=tuple(Proposal(**row) for row in draft.get("proposals", [])),
    )
    return part, found


def _fork_id(part: TurnPart) -> str:
    """The id of a turn that says other things under an id that is taken.

    Made of what it says, so that the same fork committed again, after a crash, is the same turn.
    """
    words = json.dumps(["fork", part.turn_id, part.user_text, part.reply_text])
    number = int.from_bytes(hashlib.sha256(words.encode("ascii")).digest(), "big")
    return "".join(_CROCKFORD[number >> (5 * place) & 31] for place in range(_ID_CHARACTERS))


def _commit(state: State, turn: Turn, draft: Draft, *, published: _Published, facts: Facts) -> _Published:
    """Write the part; under a key that holds other texts, as a new turn that says what it was forked from."""
    services = turn.services
    taken = services.removals.take(f"{published.turn_id}/{draft['part']}")
    removed = taken + tuple(published.report.removed)
    part, found = _part(state, turn, draft, published=published, facts=facts, removed=removed)
    result = services.memory.commit(part)
    if result.state == "conflict":
        published = replace(published, turn_id=_fork_id(part), forked_from=published.turn_id)
        part, found = _part(state, turn, draft, published=published, facts=facts, removed=removed)
        result = services.memory.commit(part)
    return replace(
        published,
        stored=result.state != "conflict",
        written=_refs(services.memory.get(result.written, scope=part.scope)),
        applied=result.training_delta.mass_changes if result.training_delta else {},
        crossings=found,
        before=result.report if result.state == "repeated" else None,
    )


def _refs(nodes: Sequence[MemoryNode]) -> tuple[ItemRef, ...]:
    return tuple(ItemRef(id=node.id, handle=node.handle, source=node.source.value) for node in nodes)


def _publish(state: State, turn: Turn, draft: Draft, facts: Facts) -> _Published:
    fixed = state["turn"]
    published = _Published(
        report=facts.verify(draft["text"]),
        turn_id=fixed["turn_id"],
        forked_from=fixed["forked_from"],
        stored=True,
    )
    if draft["part"] == "fixed":
        return published
    try:
        return _commit(state, turn, draft, published=published, facts=facts)
    except CheckpointError:
        return replace(published, report=facts.verify(draft["text"], written=False), stored=False)


def _given(state: State, facts: Facts) -> dict[str, Any]:
    """The items of this turn by id and, where they were one block of a prompt, the hash of that; empty for none."""
    if not facts.nodes or (state.get("cached") or {}).get("outcome") == CacheOutcome.hit.value:
        return {}
    given: dict[str, Any] = {"injected": [node.id for node in facts.nodes]}
    if state["route"]["level"] == _PANEL:  # it may have read them in parts
        return given
    block = memory_block(facts.lines(), facts.lang)
    return {**given, "block_hash": hashlib.sha256(block.encode("utf-8", "surrogatepass")).hexdigest()}


def _whole_report(draft: Draft, published: _Published) -> dict[str, Any]:
    """One report for the part: what its author's check found, and what this one changed on top."""
    if published.before is not None:
        return dict(published.before)
    own, first = published.report.to_dict(), draft["report"]
    if not first:
        return {**own, "part": draft["part"]}
    later = [row for row in own["verdicts"] if row["action"] != "kept"]
    verdicts = [*first["verdicts"], *later]
    counts = Counter(row["kind"] for row in verdicts)
    return {
        **own,
        "verdicts": verdicts,
        "counts": dict(counts),
        "before_hash": first["before_hash"],
        "part": draft["part"],
    }


def _message(published: _Published, draft: Draft, report: Mapping[str, Any], state: State) -> list[AIMessage]:
    text = published.report.text
    if not text:
        return []
    # Every message of the thread is in every checkpoint: this is what a reader of one needs, the log has the rest.
    provenance = {
        "turn_id": published.turn_id,
        "part": draft["part"],
        "cited": list(report["cited"]),
        "counts": dict(report["counts"]),
        "before_hash": report["before_hash"],
        **_library_of(state),
    }
    return [
        AIMessage(
            text,
            id=f"{published.turn_id}-{draft['part']}",
            response_metadata={"rqa": provenance, "author": draft["author"]},
        )
    ]


def _library_of(state: State) -> dict[str, Any]:
    """Where an answer of the library comes from: the entry that was given, or how a deliberation ended."""
    cached, fresh = state.get("cached") or {}, state.get("deliberated") or {}
    if cached.get("outcome") == CacheOutcome.hit.value:
        return {"cache": dict(cached)}
    return {"deliberation": {name: fresh[name] for name in ("status", "reason", "entry", "reviewId")}} if fresh else {}


def side_question_refused(state: State, turn: Turn) -> str:
    """Why no side reflection may follow this answer; "" if one may."""
    route = state["route"]
    if route["level"] != 2 or not route["side_question"]:
        return "not_routed"
    if state.get("question_budget") == 0:
        return "stop_asking"
    if not state.get("stored", True):
        return "not_stored"
    if not turn.context.evaluator:
        return "evaluator_off"
    return turn.services.evaluator.unusable()


def _release(turn: Turn, draft: Draft, published: _Published) -> None:
    """Show what was held back until the commit, and that it is over."""
    tail = published.report.text[draft["released"] :]
    if tail:
        turn.emit({"type": "text", "part": draft["part"], "text": tail})
    turn.emit({"type": "committed", "part": draft["part"], "turn_id": published.turn_id, "stored": published.stored})


def _left(state: State, draft: Draft, *, published: _Published, facts: Facts) -> dict[str, Any]:
    """What every published part leaves in the state."""
    report = _whole_report(draft, published)
    cited = [*state.get("cited", []), *_cited_ids(published.report, facts)]
    # Only a fork has other facts than the turn began with, and what is written again costs a checkpoint its bytes.
    ended = {**state["turn"], "turn_id": published.turn_id, "forked_from": published.forked_from}
    return {
        **({"turn": ended} if ended != state["turn"] else {}),
        "messages": _message(published, draft, report, state),
        "report": report,
        "draft": None,
        "stored": published.stored,
        "applied": {**state.get("applied", {}), **published.applied},
        "cited": list(dict.fromkeys(cited)),
        "written": [*{ref["id"]: ref for ref in (*state.get("written", []), *published.written)}.values()],
    }


def _late(state: State) -> LateQuestion | None:
    """The question of an earlier turn that this answer may bring; what the user closed meanwhile is dropped."""
    late = state.get("late")
    if not late or not state.get("stored", True) or state.get("question_budget") == 0:
        return None
    closed = is_closed(f"{late['question']}\n{late['target_text']}", state.get("closed_topics", []))
    return None if closed else late


def _which_holds(state: State, found: Sequence[Contradiction]) -> LateQuestion | None:
    """The one question where two claims of the person exclude each other and neither is clearly newer."""
    first = next((one for one in found if one.is_asked), None)
    if first is None or not state.get("stored", True) or state.get("question_budget") == 0:
        return None
    if is_closed(f"{first.earlier.text}\n{first.later.text}", state.get("closed_topics", [])):
        return None
    asked_about = ItemRef(id=first.earlier.id, handle=first.earlier.handle, source=SourceClass.user.value)
    return LateQuestion(
        turn=state["turn"],
        question=which_holds(first, state["turn"]["lang"]),
        target_text=f"{first.earlier.text}\n{first.later.text}",
        author=state["engine"],
        injected=[*state.get("injected", []), asked_about],
    )


def _deliver(state: State, turn: Turn, late: LateQuestion, *, reason: str) -> dict[str, Any]:
    """Publish a question as a second message, committed under the turn that it belongs to."""
    earlier = cast(
        "State", {**state, "turn": late["turn"], "injected": late["injected"], "tools": [], "question_reason": reason}
    )
    draft = Draft(
        part="question", text=late["question"], released=0, author=late["author"], items=None, notes=[], report={}
    )
    facts = gather(earlier, turn)
    published = _publish(earlier, turn, draft, facts)
    _release(turn, draft, published)
    left = _left(earlier, draft, published=published, facts=facts)
    _record(earlier, turn, draft, published=published, at=turn.services.clock())
    return {
        "messages": left["messages"],
        "written": left["written"],
        "question": published.report.text or None,
        "question_reason": reason,
        "question_budget": spend(state.get("question_budget")),
        "asked": [late["question"], late["target_text"]],
    }


def _second_message(state: State, turn: Turn, published: _Published) -> dict[str, Any]:
    """The question that comes with an answer, if there is one: at most one, whatever there is to ask."""
    crossing = _which_holds(state, published.crossings)
    if crossing:
        return _deliver(state, turn, crossing, reason="which_holds")
    if not state.get("late"):
        return {}
    late = _late(state)
    return {"late": None, **(_deliver(state, turn, late, reason="late") if late else {})}


def _held(state: State, turn: Turn) -> Command[Literal["analyse", "__end__"]]:
    """End a turn whose question came too late: nothing is shown, and nothing committed under its key."""
    now = turn.services.clock()
    lines = [part_line(state, part="question", at=now, found={}, left={}), *round_lines(state, at=now)]
    turn.services.telemetry.record(lines)
    return Command(update={"draft": None}, goto="__end__")


def _record(state: State, turn: Turn, draft: Draft, *, published: _Published, at: datetime) -> None:
    """Figures of the part, and of the reflection that ends with it."""
    own = published.report.to_dict()
    left = Counter(row["kind"] for row in own["verdicts"] if draft["report"] and row["action"] != "kept")
    lines = [part_line(state, part=draft["part"], at=at, found=draft["report"] or own, left=left)]
    if draft["part"] == "question" or state["route"]["level"] == 3:
        lines += round_lines(state, at=at)
    turn.services.telemetry.record(lines)


def verify(state: State, turn: Turn) -> Command[Literal["analyse", "__end__"]]:
    """Check, commit, publish; then end, or allow the one side reflection of a level-2 turn."""
    draft = state.get("draft") or _EMPTY_DRAFT
    if draft["part"] == "held":
        return _held(state, turn)
    facts = gather(state, turn)
    published = _publish(state, turn, draft, facts)
    _release(turn, draft, published)
    update = _left(state, draft, published=published, facts=facts)
    goto: Literal["analyse", "__end__"] = "__end__"
    if draft["part"] == "question":
        update |= {"question": published.report.text or None, "report": state["report"]}
    elif state["route"]["level"] != 3:
        refused = side_question_refused({**state, "stored": published.stored}, turn)
        goto = "__end__" if refused else "analyse"
        update["question_reason"] = refused
    if draft["part"] == "answer" and state["route"]["level"] != 3:
        shown = update["messages"]
        after = cast("State", {**state, **update, "messages": state["messages"]})
        brought = _second_message(after, turn, published)
        update |= brought
        update["messages"] = [*shown, *brought.get("messages", [])]
        goto = "__end__" if brought.get("question") else goto
    now = turn.services.clock()
    if goto == "analyse":
        update["reflection_started"] = now.isoformat()
    _record(cast("State", {**state, **update}), turn, draft, published=published, at=now)
    return Command(update=update, goto=goto)
