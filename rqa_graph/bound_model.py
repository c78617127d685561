"""How does a resolved model keep the promise that the nodes declare?

Nodes know deadlines, model clients know seconds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.messages import BaseMessage

from rqa_nodes import models
from rqa_nodes.errors import OutOfTimeError
from rqa_nodes.fault_words import worded
from rqa_nodes.models import ResolvedModel

__all__ = ["BoundChatModel"]


@dataclass(frozen=True, slots=True)
class BoundChatModel:
    """A resolved model behind the promise of the nodes: deadlines instead of seconds."""

    resolved: ResolvedModel
    clock: Callable[[], datetime]
    limit_s: float
    repeats: bool = True
    """False: one call is one request, whatever comes of it."""

    @property
    def engine(self) -> str:
        """Its name as shown to people."""
        return self.resolved.engine

    @property
    def is_local(self) -> bool:
        """True if no text leaves the machine."""
        return self.resolved.is_local

    @property
    def room(self) -> int | None:
        """How many tokens a prompt may have; None for no limit."""
        return models.room_of(self.resolved)

    @property
    def notice(self) -> str:
        """Why this model answers, where it is not the one that was asked for."""
        return self.resolved.notice

    def complete(self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None) -> str:
        """The whole text."""
        return "".join(self._pieces(messages, deadline, schema, whole=True))

    async def acomplete(
        self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None
    ) -> str:
        """Async form of `complete`."""
        return await models.acomplete(
            self.resolved, messages, schema=schema, deadline_s=self._seconds(deadline), repeats=self.repeats
        )

    def stream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> Iterator[str]:
        """The text in chunks."""
        return self._pieces(messages, deadline, None, whole=False)

    def _pieces(
        self, messages: Sequence[BaseMessage], deadline: datetime, schema: Mapping[str, Any] | None, *, whole: bool
    ) -> Iterator[str]:
        seconds = self._seconds(deadline)
        return models.stream(
            self.resolved, messages, schema=schema, deadline_s=seconds, repeats=self.repeats, whole=whole
        )

    def astream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> AsyncIterator[str]:
        """Async form of `stream`."""
        return models.astream(self.resolved, messages, deadline_s=self._seconds(deadline))

    def _seconds(self, deadline: datetime) -> float:
        left = (deadline - self.clock()).total_seconds()
        if left <= 0:
            raise OutOfTimeError(**worded("out_of_time", "faster_model"))
        return min(left, self.limit_s)
