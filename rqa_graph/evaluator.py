"""Who judges questions, who approved that, and may it be asked now?

The binding in use is the one of `RQA_HOME/config/evaluator_binding.yaml` if a person wrote one, else the one that a
person approved last (`rqa evaluator approve`, kept in the home's log), else the one that ships. It judges only if it is
the last approved one and its rubric is the rubric in use; an approval in the log outranks those of files. Whatever
fails, the turn goes on without a judge and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from langchain_core.messages import BaseMessage

from rqa_checkpoints.memory import ProvenanceMemory
from rqa_checkpoints.provenance import HOME_SCOPE, Adopted
from rqa_graph.bound_model import BoundChatModel
from rqa_graph.circuit_file import CIRCUIT_FILE, CircuitFile
from rqa_graph.first_use import first_use
from rqa_graph.settings import Settings
from rqa_nodes import models
from rqa_nodes.addresses import shown_url
from rqa_nodes.errors import (
    BindingRefusedError,
    CircuitOpenError,
    ModelUnavailableError,
    OutOfTimeError,
    SchemaRefusedError,
)
from rqa_nodes.models import endpoint_at
from rqa_nodes.reflect.binding import Binding, check_approved
from rqa_nodes.reflect.circuit import CircuitBreaker
from rqa_nodes.reflect.evaluator_change import AREA

__all__ = ["Approval", "BoundEvaluator", "Judge", "adopted_in", "judge"]

LEAST_SECONDS = 0.5
"""With less time left in a turn than this the evaluator is not asked: nothing could come of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Who approved the binding in use, when, and where that is recorded."""

    who: str
    when: str
    source: str
    """"log", or the file, as `rqa check` names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """The binding in use, and whether it may judge."""

    binding: Binding | None
    """None: it cannot be read."""
    approval: Approval | None
    """The last one there is, whatever it approves."""
    problem: Literal["", "binding_refused", "no_key"] = ""
    detail: str = ""
    hint: str = ""


def judge(settings: Settings, adopted: Adopted | None) -> Judge:
    """Who would judge. Nothing is sent, and no key is read but to see that it is there.

    Args:
        settings: What a person set.
        adopted: The version of the area `evaluator_binding` that stands in the home's log.
    """
    standing = adopted if adopted and adopted.content else None
    rows, approval = _approvals(settings, standing)
    try:
        binding = Binding.from_mapping(_in_use(settings, standing))
    except BindingRefusedError as error:
        return Judge(binding=None, approval=approval, problem="binding_refused", detail=error.message, hint=error.hint)
    try:
        check_approved(binding, {AREA: rows})
    except BindingRefusedError as error:
        return Judge(
            binding=binding, approval=approval, problem="binding_refused", detail=error.message, hint=error.hint
        )
    if binding.key_variable and settings.key(binding.key_variable) is None:
        return Judge(binding=binding, approval=approval, problem="no_key", detail=f"{binding.key_variable} is not set")
    return Judge(binding=binding, approval=approval)


def _in_use(settings: Settings, standing: Adopted | None) -> Mapping[str, Any]:
    written = [origin for origin in settings.provenance() if origin.name.startswith(f"{AREA}.")]
    is_own = any(not origin.source.startswith("shipped ") for origin in written)
    return settings.evaluator_binding if is_own or standing is None else standing.content


def _approvals(settings: Settings, standing: Adopted | None) -> tuple[list[Any], Approval | None]:
    """All approvals, the latest last, and that one in words."""
    listed = settings.approvals.get(AREA)
    rows: list[Any] = list(listed) if isinstance(listed, list) else []
    source = next((origin.source for origin in settings.provenance() if origin.name == f"approvals.{AREA}"), "")
    if standing is not None:
        try:
            fingerprint = Binding.from_mapping(standing.content).fingerprint
        except BindingRefusedError:
            fingerprint = "unreadable"
        rows.append({"who": standing.by, "when": standing.at, "hash": fingerprint})
        source = "log"
    last = rows[-1] if rows and isinstance(rows[-1], Mapping) else None
    if last is None:
        return rows, None
    return rows, Approval(who=str(last.get("who", "")), when=str(last.get("when", "")), source=source)


def adopted_in(memory: ProvenanceMemory) -> Adopted | None:
    """The binding that a person approved last in this home; None if nobody changed it."""
    return memory.queue.adopted(AREA, scope=HOME_SCOPE)


class BoundEvaluator:
    """The evaluator in use behind its circuit breaker; a new approval takes effect with the next question."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        adopted: Callable[[], Adopted | None],
    ) -> None:
        """`adopted` reads what a person approved; it is called when the evaluator is about to be used."""
        self._settings = settings
        self._clock = clock
        self._monotonic = monotonic
        self._adopted = adopted
        self._version = 0
        self._bind(None)

    def _bind(self, adopted: Adopted | None) -> None:
        found = judge(self._settings, adopted)
        self._refused = found.problem
        self._binding = found.binding
        fingerprint = found.binding.fingerprint if found.binding else ""
        kept = CircuitFile(self._settings.home / CIRCUIT_FILE, binding=fingerprint, clock=self._clock)
        self._circuit = CircuitBreaker(self._monotonic, before=kept.load(), keep=kept.save)
        self._takes_schema = True
        self._model: BoundChatModel | None = None
        if found.binding is None or found.problem:
            return
        key = self._settings.key(found.binding.key_variable) if found.binding.key_variable else None
        tokens = self._settings.models.context_tokens
        endpoint = endpoint_at(found.binding.endpoint, model=found.binding.model, context_tokens=tokens, api_key=key)
        limit_s = self._settings.models.timeouts.evaluator_s
        self._model = BoundChatModel(models.resolve_endpoint(endpoint), self._clock, limit_s, repeats=False)

    def _refresh(self) -> None:
        adopted = self._adopted()
        version = adopted.version if adopted else 0
        if version != self._version:
            self._version = version
            self._bind(adopted)

    @property
    def is_local(self) -> bool:
        """True if its binding keeps the text on this machine."""
        return self._model is not None and self._model.is_local

    def newly_sent_to(self) -> str:
        """Where texts go from now on, the first time in this home; "" where they stay, or once it was told."""
        if self._binding is None or self._model is None or self._model.is_local:
            return ""
        is_new = first_use(self._settings.home, self._binding.fingerprint)
        return shown_url(self._binding.endpoint) if is_new else ""

    @property
    def room(self) -> int | None:
        """How many tokens a prompt may have; None for no limit, or for no model."""
        return None if self._model is None else self._model.room

    def unusable(self) -> str:
        """Why it cannot be asked now; empty if it can."""
        self._refresh()
        return self._refused or ("circuit_open" if self._circuit.is_open() else "")

    def judged(self, *, usable: bool) -> None:
        """Move the circuit breaker."""
        if usable:
            self._circuit.succeeded()
        else:
            self._circuit.failed()

    def complete(self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None) -> str:
        """One call, which is one request. Raises OutOfTimeError where the turn has no time for one."""
        try:
            return self._bound(deadline).complete(messages, deadline=deadline, schema=self._schema(schema))
        except SchemaRefusedError:
            self._takes_schema = False
            raise

    async def acomplete(
        self, messages: Sequence[BaseMessage], *, deadline: datetime, schema: Mapping[str, Any] | None
    ) -> str:
        """Async form of `complete`."""
        try:
            return await self._bound(deadline).acomplete(messages, deadline=deadline, schema=self._schema(schema))
        except SchemaRefusedError:
            self._takes_schema = False
            raise

    def _schema(self, schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        """A server that refused a schema once is asked in words alone from then on, and not twice each time."""
        return schema if self._takes_schema else None

    def _bound(self, deadline: datetime) -> BoundChatModel:
        if self._model is None:
            raise ModelUnavailableError(f"the evaluator cannot be asked: {self._refused}")
        if (deadline - self._clock()).total_seconds() < LEAST_SECONDS:
            raise OutOfTimeError("the turn has no time left for the evaluator")
        if not self._circuit.begin():
            raise CircuitOpenError("the evaluator failed several times; another turn tries it now")
        return self._model
