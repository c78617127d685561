"""What does a person decide, and what comes of it?

The steps of the graph `review`: load an item, ask (an interrupt in the review's own thread, so that no asker waits),
attest who decides what and when, commit it, say so. Each side effect is in a node of its own and may run twice: a
decision is known by its attestation, which is made once and lies in the checkpoint. What an approval brings about is
written with the decision, in one transaction, and what must be signed right after it; of several decisions on one
version one wins, and the others are told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.types import Command, interrupt
from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict  # pydantic reads no other below Python 3.12

from rqa_checkpoints.errors import AlreadyDecidedError, QueueFullError, StaleVersionError, UnknownProposalError
from rqa_checkpoints.provenance import Adopted, Attestation, Decided, QueueItem, QueueStatus, Scope
from rqa_nodes.echo import verify as verify_text
from rqa_nodes.errors import ProposalRefusedError
from rqa_nodes.language import detect
from rqa_nodes.ports import Clock
from rqa_nodes.review_answer import Answer
from rqa_nodes.review_kinds import Kinds, ReviewKind, reach_of
from rqa_nodes.review_words import REVIEW_WORDS
from rqa_nodes.shelf import Shelf
from rqa_nodes.state import DOCUMENTED, merge_messages

__all__ = [
    "Desk",
    "Outcome",
    "Queue",
    "ReviewContext",
    "ReviewInput",
    "ReviewOutput",
    "ReviewState",
    "ask",
    "attest",
    "commit",
    "load",
    "verify",
]

Outcome = Literal["approved", "rejected", "unknown", "unknown_kind", "already_decided", "stale", "refused"]


@dataclass(kw_only=True)
class ReviewContext:
    """Who reviews. Everything has a default."""

    __pydantic_config__: ClassVar[ConfigDict] = DOCUMENTED

    tenant: str = ""
    """Whose queue; empty: the tenant of the settings ("local"). "@home": what holds for the whole home.
    A server that knows who asks reads it only where the queue is theirs to decide on."""
    user: str = ""
    """Whose queue; empty: the user of the settings. "@home" with the tenant "@home"."""
    reviewer: str = ""
    """Who decides, as the log will say; empty: the user. A server that knows who asks does not read it."""
    lang: str = ""
    """"en" or "ja"; empty: the language of the item."""


@with_config(DOCUMENTED)
class ReviewInput(TypedDict):
    """What a run is given."""

    item: Annotated[str, Field(examples=["q7k3m9x"])]
    """Id of an item of the queue, as `rqa review-queue list` and `GET /reviews` give it."""


@with_config(DOCUMENTED)
class ReviewOutput(TypedDict):
    """What a run returns."""

    messages: Annotated[list[AnyMessage], merge_messages]
    """What came of it, in words."""
    item: str
    kind: str
    """What is decided on: `self_update`, `evaluator_binding` and so on."""
    version: int
    status: str
    """Of the item now: `pending`, `approved` or `rejected`."""
    outcome: str
    """What this run did: `approved`, `rejected`, or why nothing was decided."""


class ReviewState(TypedDict, total=False):
    """Everything: ids, versions and names; the payload stays in the log."""

    messages: Annotated[list[AnyMessage], merge_messages]
    item: str
    kind: str
    version: int
    status: str
    lang: str
    answer: dict[str, Any]
    attestation: dict[str, Any]
    """Of a decision or an edit: who, what, when. Made once; a commit that runs again writes the same."""
    outcome: str
    reason: str
    """Why a payload was refused."""


class Queue(Protocol):
    """The queue of what persons decide. Every call names the scope; a foreign item is an unknown one."""

    def get(self, item: str, *, scope: Scope) -> QueueItem:
        """One item. Raises UnknownProposalError."""

    def revise(
        self, item: str, payload: Mapping[str, Any], *, scope: Scope, version: int, by: str, at: str
    ) -> QueueItem:
        """Give an undecided item another payload, as its next version."""

    def decide(self, attestation: Attestation, *, scope: Scope, effects: Callable[..., Any]) -> Decided:
        """Write a decision and what it brings about; the very same one again changes nothing."""

    def adopted(self, area: str, *, scope: Scope) -> Adopted | None:
        """The version of an area that stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One run of one step: what it works with, and who sits there."""

    queue: Queue
    kinds: Kinds
    clock: Clock
    scope: Scope
    reviewer: str
    lang: str
    """As the context says; may be empty."""
    thread: str
    open_shelf: Callable[[], Shelf]
    """Opens what the kinds about kept answers need."""

    def kind(self, name: str) -> ReviewKind | None:
        """The kind, if this scope may hold it."""
        found = self.kinds.get(name)
        return found if found and found.reach == reach_of(self.scope) else None

    def read(self, area: str) -> Adopted | None:
        """The version of an area that stands."""
        return self.queue.adopted(area, scope=self.scope)


def _ended(outcome: Outcome, **update: Any) -> dict[str, Any]:
    return {"outcome": outcome, **update}


def load(state: ReviewState, desk: Desk) -> Command[Literal["ask", "verify"]]:
    """Find the item as it stands now."""
    try:
        item = desk.queue.get(state["item"], scope=desk.scope)
    except UnknownProposalError:
        return Command(update=_ended("unknown", kind="", version=0, status=""), goto="verify")
    found = {
        "kind": item.kind,
        "version": item.version,
        "status": item.status.value,
        "lang": desk.lang or detect("\n".join(map(str, item.payload.values()))),
        "outcome": "",
    }
    if desk.kind(item.kind) is None:
        return Command(update=found | _ended("unknown_kind"), goto="verify")
    if item.status is not QueueStatus.pending:
        return Command(update=found | _ended("already_decided"), goto="verify")
    return Command(update=found, goto="ask")


def ask(state: ReviewState, desk: Desk) -> dict[str, Any]:
    """Wait for a person. Runs again from its beginning when the answer has come, so it changes nothing."""
    return {"answer": interrupt(_shown(state, desk), response_schema=Answer).model_dump()}


def _shown(state: ReviewState, desk: Desk) -> dict[str, Any]:
    """What a person decides on: the item in words, verified like any text that leaves, and the form of its payload."""
    item = desk.queue.get(state["item"], scope=desk.scope)
    kind = desk.kinds[item.kind]
    text = _verified(kind.render(item.payload, desk.read, state["lang"]), state["lang"])
    return {
        "item": item.id,
        "kind": item.kind,
        "version": item.version,
        "requester": item.requester,
        "asked_at": item.asked_at,
        "text": text,
        "schema": dict(kind.schema),
    }


def _verified(text: str, lang: str) -> str:
    return verify_text(text, injected=(), written=True, lang=lang).text


def attest(state: ReviewState, desk: Desk) -> Command[Literal["commit", "verify"]]:
    """Check the answer against the item as it stands, and fix who decides what and when."""
    answer = Answer.model_validate(state["answer"])
    item = desk.queue.get(state["item"], scope=desk.scope)
    if item.status is not QueueStatus.pending:
        return Command(update=_ended("already_decided", status=item.status.value), goto="verify")
    if item.version != answer.version:
        return Command(update=_ended("stale", version=item.version), goto="verify")
    try:
        payload = _payload(answer, item, desk)
    except ProposalRefusedError as refused:
        return Command(update=_ended("refused", reason=refused.message), goto="verify")
    attestation = {
        "item": item.id,
        "version": answer.version,
        "by": desk.reviewer,
        "at": desk.clock().isoformat(timespec="seconds"),
        "thread": desk.thread,
    }
    return Command(
        update={"answer": {**state["answer"], "payload": payload}, "attestation": attestation}, goto="commit"
    )


def _payload(answer: Answer, item: QueueItem, desk: Desk) -> dict[str, Any] | None:
    """The payload that would be kept or applied, checked; a rejection needs none."""
    kind = desk.kinds[item.kind]
    if answer.decision == "reject":
        return None
    if answer.decision == "edit" and answer.payload is None:
        raise ProposalRefusedError("an edit needs the whole new payload", problem="fields")
    checked = kind.check(item.payload if answer.payload is None else answer.payload)
    if answer.decision == "edit":
        return dict(kind.edited(checked, item, desk.reviewer, desk.open_shelf()) if kind.edited else checked)
    if kind.permit is not None:
        kind.permit(item, desk.reviewer, desk.open_shelf())
    return None


def commit(state: ReviewState, desk: Desk) -> Command[Literal["load", "verify"]]:
    """Write the edit or the decision. After an edit the new version waits for its decision."""
    try:
        if state["answer"]["decision"] == "edit":
            made = {name: value for name, value in state["attestation"].items() if name in {"version", "by", "at"}}
            desk.queue.revise(state["item"], state["answer"]["payload"], scope=desk.scope, **made)
            return Command(goto="load")
        status = _decide(state, desk)
    except AlreadyDecidedError:
        return Command(update=_ended("already_decided"), goto="verify")
    except StaleVersionError:
        return Command(update=_ended("stale"), goto="verify")
    except (ProposalRefusedError, QueueFullError) as refused:
        return Command(update=_ended("refused", reason=refused.message), goto="verify")
    outcome: Outcome = "approved" if status is QueueStatus.approved else "rejected"
    return Command(update=_ended(outcome, status=status.value), goto="verify")


def _decide(state: ReviewState, desk: Desk) -> QueueStatus:
    answer = Answer.model_validate(state["answer"])
    verdict: Literal["approve", "reject"] = "approve" if answer.decision == "approve" else "reject"
    attestation = Attestation(verdict=verdict, note=answer.note, **state["attestation"])
    item = desk.queue.get(attestation.item, scope=desk.scope)
    kind = desk.kinds[item.kind]
    done = desk.queue.decide(
        attestation, scope=desk.scope, effects=lambda read: kind.apply(kind.check(item.payload), read, attestation)
    )
    if kind.follow is not None:
        kind.follow(done.item, attestation, desk.open_shelf())
    return done.item.status


def verify(state: ReviewState, desk: Desk) -> Command[Literal["__end__"]]:
    """Say what came of it, as verified text."""
    lang = state.get("lang") or desk.lang or "en"
    words, outcome = REVIEW_WORDS["ja" if lang == "ja" else "en"], state["outcome"]
    values: dict[str, Any] = {"kind": state["kind"], "version": state["version"], "reason": state.get("reason", "")}
    update: dict[str, Any] = {}
    if outcome != "unknown":
        item = desk.queue.get(state["item"], scope=desk.scope)
        values |= {"by": item.decided_by, "at": item.decided_at, "version": item.version}
        values["status"] = words.get(f"status_{item.status.value}", "")
        update = {"version": item.version, "status": item.status.value}
    text = _verified(words[outcome].format(item=state["item"], **values), lang)
    message = AIMessage(text, id=f"{state['item']}-{values['version']}-{outcome}")
    return Command(update={**update, "messages": [message]}, goto="__end__")
