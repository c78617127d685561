"""How does one turn become the text of a chat completion, whole or piece by piece?

Only what the verifier has released is shown, and it is never taken back. What a terminal shows beside a reply - notes,
the memory line - goes into the `rqa` object; the side question follows the answer as its last paragraph, because these
clients know one message a turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from rqa_graph.messages import say
from rqa_graph.opened import OpenHome
from rqa_graph.server.conversations import Line, Place
from rqa_graph.server.gate import Identity
from rqa_graph.turns import TurnResult, arun_turn, read_turn, report_line
from rqa_nodes.state import Context

__all__ = ["Reply", "removed_count", "turn_object"]

_PANEL: Final = 3
"""The level whose reply is a panel, which is shown whole."""


@dataclass(slots=True)
class _Heard:
    """What the events of the turn have said so far."""

    level: int = 0
    shown: list[str] = field(default_factory=list)

    def words(self, event: Mapping[str, Any]) -> str:
        """What of an event is to be shown now."""
        match event["type"]:
            case "route":
                self.level = event["level"]
            case "text" if self.level != _PANEL and event["part"] != "question":
                return str(event["text"])
            case "withdrawn" if self.shown:
                return "\n\n"
            case _:
                pass
        return ""


class Reply:
    """One turn that answers one request."""

    def __init__(
        self, home: OpenHome, identity: Identity, place: Place, before: list[Line], message: str, *, agent: str = ""
    ) -> None:
        """`agent` wrote the message; "" if the person did."""
        self._home = home
        self._place = place
        self._message = message
        self._before = [_message(line) for line in before] if place.seeded else []
        self._context = Context(tenant=identity.owner.tenant, user=identity.owner.user, agent=agent)
        self._heard = _Heard()
        self._values: Mapping[str, Any] = {}

    @property
    def text(self) -> str:
        """What was shown."""
        return "".join(self._heard.shown)

    @property
    def result(self) -> TurnResult:
        """The turn, when it is over."""
        return read_turn(self._values, self._place.thread)

    async def pieces(self, *, idle_s: float) -> AsyncIterator[str]:
        """The words as they are released; "" whenever nothing came for `idle_s` seconds.

        Ending the iteration early ends the turn: what was committed stays.
        """
        events: asyncio.Queue[Mapping[str, Any] | None] = asyncio.Queue()
        turn = asyncio.create_task(self._run(events))
        try:
            while True:
                try:
                    event = await asyncio.wait_for(events.get(), idle_s)
                except TimeoutError:
                    yield ""
                    continue
                if event is None:
                    break
                if words := self._heard.words(event):
                    yield self._show(words)
            await turn
            if rest := self._rest():
                yield self._show(rest)
        finally:
            if not turn.done():
                turn.cancel()
                await asyncio.wait([turn])

    async def whole(self) -> str:
        """The whole reply."""
        async for _ in self.pieces(idle_s=_NEVER):
            pass
        return self.text

    async def _run(self, events: asyncio.Queue[Mapping[str, Any] | None]) -> None:
        try:
            await arun_turn(
                self._home.graph,
                self._message,
                thread=self._place.thread,
                context=self._context,
                before=self._before,
                on_event=events.put_nowait,
                on_values=self._keep,
            )
        finally:
            events.put_nowait(None)

    def _keep(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def _show(self, words: str) -> str:
        self._heard.shown.append(words)
        return words

    def _rest(self) -> str:
        """What the events did not show: a panel, or the side question under the answer."""
        result = self.result
        if result.level == _PANEL:
            return result.text
        if result.question:
            return "\n\n" + say("turn.question", result.lang, question=result.question)
        return ""


_NEVER: Final = 3600.0
"""Longer than any turn may take."""


def _message(line: Line) -> BaseMessage:
    role, text = line
    return HumanMessage(text) if role == "user" else AIMessage(text)


def removed_count(result: TurnResult) -> int:
    """How many claims were removed or rewritten."""
    return sum(verdict["action"] != "kept" for verdict in result.report.get("verdicts", ()))


def turn_object(result: TurnResult, *, ignored: list[str]) -> dict[str, Any]:
    """The `rqa` object of a response: what the turn was, what it rests on, what was removed."""
    return {
        "thread": result.thread,
        "turn": result.turn,
        "level": result.level,
        "reason": result.reason,
        "engine": result.engine,
        "lang": result.lang,
        "memory": {name: [dict(ref) for ref in refs] for name, refs in result.memory.items()},
        "verification": {
            "counts": result.report.get("counts", {}),
            "removed": removed_count(result),
            "line": report_line(result.report, result.lang) if result.level else "",
        },
        "question": result.question,
        "stop_reason": result.stop_reason,
        "degraded": result.degraded,
        "degraded_reason": result.degraded_reason,
        "stored": result.stored,
        "notice": result.notice,
        "ignored": ignored,
        "usage_is_estimated": True,
    }
