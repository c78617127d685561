"""How does a turn begin?

The first node of the graph. It mints the turn's id, decides the level by the router's rules, puts long texts away as
erasable blobs, plans the items that the user's message will leave, and resets what belongs to one turn. The rules live
in `route.py`, which the command line uses without LangGraph; this is the node around them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.types import Command, Overwrite

from rqa_checkpoints.provenance import Scope, SourceClass
from rqa_nodes.facts import DIGEST_KEY
from rqa_nodes.reflect.side_question import question_budget, topic_key
from rqa_nodes.route import Route
from rqa_nodes.state import DocumentInput, Draft, RouteFacts, State, TurnFacts
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

_PRELUDE = {
    2: {
        "en": "Let me look at that.",
        "ja": "少し考えてみます。",
        "zh": "让我想一想。",
    },
    3: {
        "en": "Taking this apart: claims, tensions, assumptions, then one deeper question.",
        "ja": "主張、緊張、前提を順に取り出し、最後に一つ深い問いを立てます。",
        "zh": "先拆出主张、张力和前提，再提出一个更深的问题。",
    },
}
"""Said at once, so that nobody waits before a blank screen. Constants: never from a model."""

_FRESH: dict[str, Any] = {
    "injected": [],
    "withheld": [],
    "recall_mode": "",
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


def _last_human(messages: Sequence[AnyMessage]) -> int:
    return max((i for i, m in enumerate(messages) if m.type == "human"), default=-1)


def _new_documents(state: State) -> list[DocumentInput]:
    """Documents of this run: those of an earlier turn of the thread have only digests left."""
    return [d for d in state.get("documents", []) if "text" in d]


def _put_away(message: AnyMessage, turn: Turn, scope: Scope, lang: str) -> AnyMessage:
    text = message.text
    if len(text.encode("utf-8", "surrogatepass")) <= _LONG_TEXT_BYTES:
        return message
    digest = turn.services.memory.put_blob(text, scope=scope)
    stub = _STUB[lang].format(size=len(text))
    return HumanMessage(stub, id=message.id, name=message.name, additional_kwargs={DIGEST_KEY: digest})


def _with_ids(messages: Sequence[AnyMessage], turn_id: str) -> list[AnyMessage]:
    """Give every message an id; the state's own are kept."""
    return [m if m.id else m.model_copy(update={"id": f"{turn_id}-in{i}"}) for i, m in enumerate(messages)]


def _decide(text: str, state: State, turn: Turn) -> Route:
    return turn.services.router.route(
        text,
        has_documents=bool(_new_documents(state)),
        instrument=turn.context.instrument,
        lang=turn.context.lang or None,
    )


def _facts(turn: Turn, decided: Route, turn_id: str, message_id: str, planned: list[str]) -> TurnFacts:
    now: datetime = turn.services.clock()
    scope = turn.services.scope(turn.context.tenant, turn.context.user)
    return TurnFacts(
        turn_id=turn_id,
        forked_from="",
        thread=turn.thread or turn_id,
        tenant=scope.tenant,
        user=scope.user,
        lang=decided.lang,
        message_id=message_id,
        recorded_at=now.isoformat(),
        deadline=(now + timedelta(seconds=_TURN_SECONDS[decided.level])).isoformat(),
        planned=planned,
    )


def _plan_user_items(text: str, turn: Turn, scope: Scope, turn_id: str) -> list[str]:
    nodes = turn.services.memory.plan(
        text,
        scope=scope,
        thread=turn.thread or turn_id,
        turn_id=turn_id,
        role="user",
        author=scope.user,
        recorded_at=turn.services.clock().isoformat(),
        source=SourceClass.user,
    )
    return [node.id for node in nodes]


def _questioning(text: str, state: State) -> dict[str, Any]:
    """What the message does to later side questions: "stop asking", and answering the one that waits."""
    asked = state.get("asked", [])
    closed = state.get("closed_topics", [])
    return {
        "question_budget": question_budget(text, state.get("question_budget")),
        "closed_topics": [*closed, topic_key("\n".join(asked))][-_CLOSED_TOPICS:] if asked else closed,
        "asked": [],
    }


def _fixed(decided: Route) -> Draft:
    return Draft(part="fixed", text=decided.reply, released=0, author="system", items=None, report={})


def route(state: State, turn: Turn) -> Command[Literal["recall", "verify"]]:
    """Open the turn, and decide how much of the machine it deserves."""
    turn_id = turn.services.ids()
    messages = _with_ids(state.get("messages", []), turn_id)
    position = _last_human(messages)
    text = messages[position].text if position >= 0 else ""
    decided = _decide(text, state, turn)
    turn.emit({"type": "route", "level": decided.level, "mode": decided.mode, "reason": decided.reason})
    update: dict[str, Any] = {
        **_FRESH,
        **_questioning(text, state),
        "documents": [],
        "route": _route_facts(decided),
    }
    message_id = messages[position].id or "" if position >= 0 else ""
    if decided.level == 0:
        facts = _facts(turn, decided, turn_id, message_id, [])
        return Command(
            update={**update, "messages": Overwrite(messages), "turn": facts, "draft": _fixed(decided)}, goto="verify"
        )
    scope = turn.services.scope(turn.context.tenant, turn.context.user)
    planned = _plan_user_items(text, turn, scope, turn_id)
    messages[position] = _put_away(messages[position], turn, scope, decided.lang)
    update["documents"] = [_document(d, turn, scope) for d in _new_documents(state)]
    if decided.level in _PRELUDE:
        turn.emit({"type": "prelude", "text": _PRELUDE[decided.level][decided.lang]})
    facts = _facts(turn, decided, turn_id, message_id, planned)
    return Command(update={**update, "messages": Overwrite(messages), "turn": facts}, goto="recall")


def _route_facts(decided: Route) -> RouteFacts:
    return RouteFacts(
        level=decided.level,
        mode=decided.mode,
        reason=decided.reason,
        budget=decided.budget or "",
        side_question=decided.side_question,
    )


def _document(document: DocumentInput, turn: Turn, scope: Scope) -> DocumentInput:
    text = document["text"]
    return DocumentInput(
        locator=document.get("locator", "document"),
        digest=turn.services.memory.put_blob(text, scope=scope),
        size=len(text),
    )
