"""What a node function is given besides the state: who asks, what it may use, and where progress goes.

A node is `step(state, turn) -> update`; the graph binds it to LangGraph in both forms, sync and async.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from langchain_core.messages import BaseMessage

from rqa_checkpoints.provenance import MemoryNode, Scope, SourceClass
from rqa_nodes.contradiction import Entailment
from rqa_nodes.ports import Cache, Clock, IdFactory, Memory
from rqa_nodes.reflect.budgets import Budgets
from rqa_nodes.route import Router
from rqa_nodes.state import Context
from rqa_nodes.telemetry import Telemetry
from rqa_nodes.tools.toolbox import Toolbox

__all__ = ["BUILTIN", "BUILTIN_TIME", "ChatModel", "Completer", "Evaluator", "Removals", "Services", "Turn"]

BUILTIN = "builtin"
"""Name and engine of the model that is always there; it takes over where another one fails."""

BUILTIN_TIME = timedelta(seconds=30)
"""What it is given when it takes over, even where the turn's time is over: it needs no server and a turn must end."""


class Completer(Protocol):
    """Anything that can be asked for a whole text."""

    @property
    def room(self) -> int | None:
        """How many tokens a prompt may have; None for no limit."""

    def complete(self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None) -> str:
        """The whole text. Raises ModelUnavailableError, ModelOutputError or PromptTooLargeError."""

    async def acomplete(
        self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None
    ) -> str:
        """Async form of `complete`."""


class ChatModel(Completer, Protocol):
    """One model, ready to be asked. Nothing that it says reaches a callback, a tracer or a log."""

    @property
    def engine(self) -> str:
        """Its name as shown to people: "builtin", "ollama:NAME", ..."""

    @property
    def is_local(self) -> bool:
        """True if no text leaves the machine."""

    @property
    def notice(self) -> str:
        """One line on why this model answers, empty if it is the one that was asked for."""

    def stream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> Iterator[str]:
        """The text in chunks; raises like `complete`, also after some chunks."""

    def astream(self, messages: Sequence[BaseMessage], *, deadline: datetime) -> AsyncIterator[str]:
        """Async form of `stream`."""


class Evaluator(Completer, Protocol):
    """The pinned evaluator behind its circuit breaker."""

    @property
    def is_local(self) -> bool:
        """True if its binding keeps the text on this machine."""

    def unusable(self) -> str:
        """Why it cannot be asked now ("no_key", "binding_refused", "circuit_open", ...), or "" if it can."""

    def judged(self, *, usable: bool) -> None:
        """Tell the circuit breaker whether a call brought usable scores."""


class Removals(Protocol):
    """Removed words between the node that removed them and the commit that files them: never in a channel."""

    def keep(self, key: str, removed: Sequence[Mapping[str, Any]]) -> None:
        """Remember under `turn_id/part` or `turn_id/part/round`; a second call for the same key replaces the first."""

    def take(self, key: str) -> tuple[Mapping[str, Any], ...]:
        """What was kept under `turn_id/part` and its rounds, once; empty if another process kept it."""


class Services(Protocol):
    """What the graph wires once for all turns."""

    @property
    def clock(self) -> Clock:
        """The current time, aware."""

    @property
    def ids(self) -> IdFactory:
        """New ids."""

    @property
    def router(self) -> Router:
        """The rules that decide a turn's level."""

    @property
    def budgets(self) -> Budgets:
        """What reflections may use."""

    @property
    def evaluator(self) -> Evaluator:
        """Who scores questions."""

    @property
    def removals(self) -> Removals:
        """Where removed words wait for the commit."""

    @property
    def telemetry(self) -> Telemetry:
        """Where figures of turns go."""

    @property
    def tools(self) -> Toolbox:
        """What can be looked up, as far as a person enabled it."""

    @property
    def entailment(self) -> Entailment | None:
        """A model that looks for contradictions beside the rules, if a person named one."""

    @property
    def cache(self) -> Cache | None:
        """Answers that were verified before; None where these services keep none."""

    @property
    def deliberates(self) -> bool:
        """Is there anything on the list of sources that a deliberation could rest on?"""

    def deliberate(
        self, given: Mapping[str, Any], *, looked: Mapping[str, Any], scope: Scope
    ) -> Mapping[str, Mapping[str, Any] | str]:
        """Run the steps of a deliberation without a verifier of their own.

        Args:
            given: The input of the graph `deliberate`.
            looked: What the look-up before came to, for the comparison in the shadow.
            scope: Who asks.

        Returns:
            `result`, the body that an asker gets, and `said`, the same in words.
        """

    async def adeliberate(
        self, given: Mapping[str, Any], *, looked: Mapping[str, Any], scope: Scope
    ) -> Mapping[str, Mapping[str, Any] | str]:
        """Async form of `deliberate`."""

    def source_items(self, rows: Iterable[Mapping[str, str]], *, domain: str, tenant: str) -> tuple[MemoryNode, ...]:
        """Sources by `locator` and `sha256` as they lie in the corpus now; one that has changed is left out."""

    @property
    def memory(self) -> Memory:
        """Opened at first use: a level-0 turn never touches it."""

    def chat(self, name: str) -> ChatModel:
        """Resolve a model by name ("" for the configured one). Raises ModelUnavailableError for an explicit name."""

    def scope(self, tenant: str, user: str) -> Scope:
        """Whose memory: the settings' defaults where empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One run of one node."""

    services: Services
    context: Context
    thread: str
    emit: Callable[[dict[str, Any]], None]
    """Writes to the custom channel: verified text, constants and stage names only."""

    def speaker(self, scope: Scope) -> dict[str, Any]:
        """Author and class of the message that is answered."""
        if self.context.agent:
            return {"author": self.context.agent, "source": SourceClass.assistant}
        return {"author": scope.user, "source": SourceClass.user}
