"""How does a turn begin?

The first node of the graph. It mints the turn's id, decides the level by the router's rules, puts long texts away as
erasable blobs, plans the items that the user's message will leave, and resets what belongs to one turn. The rules live
in `route.py`, which the command line uses without LangGraph; this is the node around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.types import Command, Overwrite

from rqa_checkpoints.provenance import Scope
from rqa_nodes.errors import ForeignTurnError
from rqa_nodes.facts import DIGEST_KEY, given_refs, last_human
from rqa_nodes.ports import Memory
from rqa_nodes.recall import QUERY_CHARACTERS
from rqa_nodes.reflect.side_question import topic_key
from rqa_nodes.reflect.wishes import closed_topic, question_budget
from rqa_nodes.route import Route
from rqa_nodes.state import DocumentInput, Draft, LateQuestion, RouteFacts, State, TurnFacts
from rqa_nodes.turn import Turn

__all__ = ["route"]

_LONG_TEXT_BYTES = 8 * 1024
"""Above this a text is stored once, outside the checkpoints, and the state holds its digest."""

_CLOSED_TOPICS = 32
"""Answered topics that a thread remembers; the oldest give way."""

_TURN_SECONDS = {0: 5.0, 1: 120.0, 2: 120.0, 3: 600.0}
"""How long a turn of each level may take in all."""

_STUB = {
    "en": "[long text, {size} characters]",
    "ja": "[長文 {size} 文字]",
    "zh": "[长文本，{size} 个字符]",
}

_FRESH: dict[str, Any] = {
    "injected": [],
    "withheld": [],
    "cache_request": {},
    "cached": {},
    "deliberated": {},
    "cacheable": False,
    "domain": "",
    "jurisdiction": "",
    "recall_mode": "",
    "listing": {},
    "tools": [],
    "training_delta": {},
    "applied": {},
    "draft": None,
    "engine": "",
    "notice": "",
    "analysis": {},
    "shortlist": [],
    "evaluation": {},
    "best": {},
    "best_analysis": {},
    "runners_up": [],
    "round": 0,
    "reflection_started": "",
    "rounds": [],
    "reading": {},
    "panel": None,
    "report": {},
    "question": None,
    "question_reason": "",
    "stop_reason": "",
    "degraded": False,
    "degraded_reason": "",
    "stored": True,
    "cited": [],
    "written": [],
}
"""What belongs to one turn and must not leak into the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """What is known of a turn after the first look at its message."""

    turn_id: str
    now: datetime
    scope: Scope
    messages: list[AnyMessage]
    """All visible ones, each with an id."""
    position: int
    """Of the message to be answered; -1 if there is none, as where only a document was handed over."""
    text: str
    decided: Route

    @property
    def message_id(self) -> str:
        """Id of the message to be answered; "" for none."""
        return self.messages[self.position].id or "" if self.position >= 0 else ""


def _check_thread(state: State, scope: Scope) -> None:
    """A thread belongs to whoever began it: its visible messages are theirs (P7)."""
    before = state.get("turn")
    if before and (before["tenant"], before["user"]) != (scope.tenant, scope.user):
        raise ForeignTurnError(
            f"this thread was not begun by {scope.user!r}", hint="Use another thread, or the context that began it."
        )


def _look(state: State, turn: Turn) -> _Opening:
    """Mint the turn's id and decide its level; touches no memory."""
    services, context = turn.services, turn.context
    scope = services.scope(context.tenant, context.user)
    _check_thread(state, scope)
    turn_id = services.ids()
    messages = _with_ids(state.get("messages", []), turn_id)
    position = last_human(messages)
    text = messages[position].text if position >= 0 else ""
    decided = services.router.route(
        text,
        has_documents=bool(_new_documents(state)),
        instrument=context.instrument,
        answered=_is_answered(messages[: max(position, 0)]),
        lang=context.lang or None,
    )
    return _Opening(
        turn_id=turn_id,
        now=services.clock(),
        scope=scope,
        messages=messages,
        position=position,
        text=text,
        decided=decided,
    )


def _is_answered(earlier: Sequence[AnyMessage]) -> bool:
    """Does the visible transcript hold an answer, more than a fixed reply, that a bare "this" may mean?"""
    replies = [m for m in earlier if isinstance(m, AIMessage)]
    return any(m.response_metadata.get("rqa", {}).get("part") != "fixed" for m in replies)


def _with_ids(messages: Sequence[AnyMessage], turn_id: str) -> list[AnyMessage]:
    """Give every message an id; those that have one keep it."""
    return [m if m.id else m.model_copy(update={"id": f"{turn_id}-in{i}"}) for i, m in enumerate(messages)]


def _new_documents(state: State) -> list[DocumentInput]:
    """Documents of this run: those of an earlier turn of the thread have only digests left."""
    return [d for d in state.get("documents", []) if "text" in d]


def _reset(state: State) -> dict[str, Any]:
    """The fresh values that differ from what the last turn left: what is equal costs no checkpoint."""
    left: dict[str, Any] = {**state}
    return {key: value for key, value in _FRESH.items() if key not in left or left[key] != value}


def _questioning(opening: _Opening, state: State) -> dict[str, Any]:
    """What the message does to later side questions: "stop asking", leaving a topic, answering the one that waits."""
    late = _interrupted(state)
    text, asked = opening.text, "" if late else "\n".join(state.get("asked", []))
    earlier = opening.messages[: max(opening.position, 0)]
    before = last_human(earlier)
    left = closed_topic(text, asked or (earlier[before].text if before >= 0 else ""))
    closing = [key for key in map(topic_key, dict.fromkeys((asked, left))) if key]
    return {
        "question_budget": question_budget(text, state.get("question_budget")),
        "closed_topics": [*state.get("closed_topics", []), *closing][-_CLOSED_TOPICS:],
        "asked": [],
        **({"late": late} if late else {}),
    }


def _interrupted(state: State) -> LateQuestion | None:
    """A side question that was about to be published when its run was ended, so that nobody saw it."""
    draft = state.get("draft")
    if not draft or draft["part"] != "question" or not draft["text"]:
        return None
    return LateQuestion(
        turn=state["turn"],
        question=draft["text"],
        target_text=state["asked"][1],
        author=draft["author"],
        injected=given_refs(state),
    )


def _opened(state: State, opening: _Opening) -> dict[str, Any]:
    """What every turn begins with, whatever its level."""
    decided = opening.decided
    update = {
        **_reset(state),
        **_questioning(opening, state),
        **_cache_request(opening, state),
        "route": RouteFacts(
            level=decided.level,
            mode=decided.mode,
            reason=decided.reason,
            budget=decided.budget or "",
            side_question=decided.side_question,
        ),
    }
    if opening.messages != state.get("messages", []):
        update["messages"] = Overwrite(opening.messages)
    return update


def _cache_request(opening: _Opening, state: State) -> dict[str, Any]:
    """What the input says of the cache, for this turn alone: the fields that it came in are emptied."""
    if not state.get("cacheable") or opening.decided.level == 0:
        return {}
    return {"cache_request": {name: str(state.get(name) or "") for name in ("domain", "jurisdiction")}}


def _facts(opening: _Opening, turn: Turn, planned: Sequence[str]) -> TurnFacts:
    return TurnFacts(
        turn_id=opening.turn_id,
        forked_from="",
        thread=turn.thread or opening.turn_id,
        tenant=opening.scope.tenant,
        user=opening.scope.user,
        lang=opening.decided.lang,
        message_id=opening.message_id,
        recorded_at=opening.now.isoformat(),
        deadline=(opening.now + timedelta(seconds=_TURN_SECONDS[opening.decided.level])).isoformat(),
        planned=list(planned),
    )


def _fixed(opening: _Opening, turn: Turn) -> dict[str, Any]:
    """A level-0 turn: its reply is a constant, and nothing of it is kept but the thread's messages."""
    draft = Draft(
        part="fixed", text=opening.decided.reply, released=0, author="system", items=None, notes=[], report={}
    )
    return {"turn": _facts(opening, turn, []), "documents": [], "draft": draft}


def _kept(opening: _Opening, state: State, turn: Turn) -> dict[str, Any]:
    """Any other turn: what the message will leave in memory is planned, and what is long is put away."""
    memory, scope = turn.services.memory, opening.scope
    if not _new_documents(state):
        # What the recall will ask is this text: its vector is made while the rest of the turn is opened.
        memory.expect(opening.text[:QUERY_CHARACTERS])
    planned = memory.plan(
        opening.text,
        scope=scope,
        thread=turn.thread or opening.turn_id,
        turn_id=opening.turn_id,
        role="user",
        recorded_at=opening.now.isoformat(),
        **turn.speaker(scope),
    )
    update: dict[str, Any] = {
        "turn": _facts(opening, turn, [node.id for node in planned]),
        "documents": [_put_away_document(d, memory, scope) for d in _new_documents(state)],
    }
    if len(opening.text.encode("utf-8", "surrogatepass")) > _LONG_TEXT_BYTES:
        messages = [*opening.messages]
        messages[opening.position] = _put_away(messages[opening.position], memory, opening)
        update["messages"] = Overwrite(messages)
    return update


def _put_away(message: AnyMessage, memory: Memory, opening: _Opening) -> AnyMessage:
    digest = memory.put_blob(opening.text, scope=opening.scope)
    stub = _STUB[opening.decided.lang].format(size=len(opening.text))
    return HumanMessage(stub, id=message.id, name=message.name, additional_kwargs={DIGEST_KEY: digest})


def _put_away_document(document: DocumentInput, memory: Memory, scope: Scope) -> DocumentInput:
    text = document["text"]
    return DocumentInput(
        locator=document.get("locator", "document"), digest=memory.put_blob(text, scope=scope), size=len(text)
    )


def route(state: State, turn: Turn) -> Command[Literal["lookup", "recall", "verify"]]:
    """Open the turn, and decide how much of the machine it deserves."""
    opening = _look(state, turn)
    decided = opening.decided
    turn.emit({"type": "route", "level": decided.level, "mode": decided.mode, "reason": decided.reason})
    update = _opened(state, opening)
    if decided.level == 0:
        return Command(update={**update, **_fixed(opening, turn)}, goto="verify")
    if decided.prelude:
        # Before anything is opened or read: the first use of the memory takes a second or two.
        turn.emit({"type": "prelude", "text": decided.prelude})
    goto: Literal["lookup", "recall"] = "lookup" if update.get("cache_request") else "recall"
    return Command(update={**update, **_kept(opening, state, turn)}, goto=goto)
