"""What is the answer, as far as it may be shown?

The model's chunks go through the incremental verifier; only released sentences leave this node, on the custom channel
and, whole, in its update. A model that fails does not fail the turn: the built-in engine answers from memory and
documents, or what was already shown is kept with a word on where it stopped.
"""

from __future__ import annotations

from asyncio import to_thread
from datetime import datetime, timedelta
from typing import Any

from langchain_core.messages import BaseMessage

from rqa_nodes.errors import ModelOutputError, RuleError
from rqa_nodes.facts import Facts, gather
from rqa_nodes.fault_words import worded
from rqa_nodes.prompt_echo import WithoutPromptEcho
from rqa_nodes.prompt_parts import PromptParts
from rqa_nodes.prompts import render
from rqa_nodes.state import Draft, State
from rqa_nodes.turn import BUILTIN, BUILTIN_TIME, ChatModel, Turn

__all__ = ["aanswer", "answer"]

_CUT_OFF = {
    "en": "(The model stopped here: {reason})",
    "ja": "(モデルの応答はここで途切れました: {reason})",
    "zh": "(模型的回复在此中断: {reason})",
}
"""A constant around the error's own words; it never comes from a model, and it becomes no item of memory."""


class _Writing:
    """One reply being written: model chunks in, released sentences out. Both forms of the node drive it."""

    def __init__(self, state: State, turn: Turn) -> None:
        self.facts: Facts = gather(state, turn)
        self._turn = turn
        self._key = f"{state['turn']['turn_id']}/answer"
        self._verifier = self.facts.verifier()
        self._echo = WithoutPromptEcho()
        self._released = 0
        self._has_words = False
        self._notes: list[str] = []
        self.deadline = _deadline(state, turn)
        self.model: ChatModel = turn.services.chat(turn.context.model)
        self.failure = ""

    def prompt(self) -> list[BaseMessage]:
        facts = self.facts
        return render(
            PromptParts(
                task="answer",
                lang=facts.lang,
                user_text=facts.user_text,
                memory=facts.lines(),
                documents=facts.documents,
                transcript=facts.transcript,
                listing=facts.listing.get("aspect", ""),
            )
        )

    def feed(self, chunk: str) -> None:
        words = self._echo.feed(chunk)
        self._has_words = self._has_words or bool(words.strip())
        self._show(self._verifier.feed(words))

    def ended(self) -> None:
        """Raise ModelOutputError if the model gave no words: an empty reply is no reply."""
        last = self._echo.finish()
        self._has_words = self._has_words or bool(last.strip())
        self._show(self._verifier.feed(last))
        if not self._has_words:
            raise ModelOutputError(
                **worded("no_words", "all_thinking", engine=self.model.engine), reason="empty_content"
            )

    def failed(self, error: RuleError) -> bool:
        """Note why the model failed; True if the built-in engine can still answer, because nothing shown may stay."""
        self.failure = self.facts.reason(error)
        if self._released and isinstance(error, ModelOutputError) and error.reason == "thinking":
            # It was no answer: nothing of it is kept, and whoever was shown it is told so.
            self._turn.emit({"type": "withdrawn", "part": "answer"})
            self._released = 0
        if self._released:
            self._notes.append(_CUT_OFF[self.facts.lang].format(reason=self.failure))
            self._show(self._verifier.feed(f"\n\n{self._notes[-1]}"))
            return False
        self._verifier = self.facts.verifier()
        self._echo = WithoutPromptEcho()
        self.model = self._turn.services.chat(BUILTIN)
        self.deadline = self._turn.services.clock() + BUILTIN_TIME
        return True

    def update(self) -> dict[str, Any]:
        _tail, report = self._verifier.finish()
        self._turn.services.removals.keep(self._key, report.removed)
        draft = Draft(
            part="answer",
            text=report.text,
            released=self._released,
            author=self.model.engine,
            items=None,
            notes=self._notes,
            report=report.to_dict(),
        )
        return {
            "draft": draft,
            "engine": self.model.engine,
            "notice": self.model.notice,
            "degraded": bool(self.failure),
            "degraded_reason": self.failure,
        }

    def _show(self, text: str) -> None:
        if text:
            self._released += len(text)
            self._turn.emit({"type": "text", "part": "answer", "text": text})


def _deadline(state: State, turn: Turn) -> datetime:
    """When the reply must be there. A turn that was interrupted and is resumed after its time gets the time anew."""
    fixed, now = state["turn"], turn.services.clock()
    deadline = datetime.fromisoformat(fixed["deadline"])
    time: timedelta = deadline - datetime.fromisoformat(fixed["recorded_at"])
    return deadline if now < deadline else now + time


def answer(state: State, turn: Turn) -> dict[str, Any]:
    """Write the reply of a level-1 or level-2 turn, verified."""
    writing = _Writing(state, turn)
    try:
        for chunk in writing.model.stream(writing.prompt(), deadline=writing.deadline):
            writing.feed(chunk)
        writing.ended()
    except RuleError as error:
        if writing.failed(error):
            for chunk in writing.model.stream(writing.prompt(), deadline=writing.deadline):
                writing.feed(chunk)
    return writing.update()


async def aanswer(state: State, turn: Turn) -> dict[str, Any]:
    """Async form of `answer`. What looks into the log runs in a thread: no server's loop waits for a disk."""
    writing = await to_thread(_Writing, state, turn)
    try:
        async for chunk in writing.model.astream(writing.prompt(), deadline=writing.deadline):
            await to_thread(writing.feed, chunk)
        writing.ended()
    except RuleError as error:
        if await to_thread(writing.failed, error):
            async for chunk in writing.model.astream(writing.prompt(), deadline=writing.deadline):
                await to_thread(writing.feed, chunk)
    return await to_thread(writing.update)
