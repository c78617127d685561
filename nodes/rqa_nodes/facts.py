"""What was really given to the model this turn: the facts that every text is checked against.

The state holds ids and digests; the texts come from the log, so that state edited by a client is no evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from langchain_core.messages import AnyMessage, BaseMessage

from rqa_checkpoints.provenance import (
    Answered,
    CachedSource,
    CacheOutcome,
    Entry,
    Kind,
    MemoryNode,
    Scope,
    SourceClass,
    Stance,
    source_handle,
)
from rqa_nodes.companions import replaced, standing
from rqa_nodes.echo import IncrementalVerifier, Injected, VerificationReport, verify, verify_fields
from rqa_nodes.errors import ForeignTurnError, RuleError
from rqa_nodes.ports import Memory
from rqa_nodes.prompt_parts import DocumentPart, MemoryLine, TranscriptLine
from rqa_nodes.state import ItemRef, Listing, State
from rqa_nodes.turn import Turn

__all__ = [
    "DIGEST_KEY",
    "Facts",
    "cached_sources",
    "current_message",
    "external_items",
    "gather",
    "gather_input",
    "given_refs",
    "last_human",
    "scope_of",
]

DIGEST_KEY = "rqa_digest"
"""Key in a message's `additional_kwargs` under which the digest of its long text stands."""

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


@dataclass(frozen=True, slots=True)
class _Known:
    """This person's other items, asked one at a time: a big memory needs no list."""

    memory: Memory
    scope: Scope

    def lookup(self, reference: str) -> Literal["exact", "prefix"] | None:
        return self.memory.lookup(reference, scope=self.scope)


class _Given(NamedTuple):
    """What was given together: handles by id, and the answers among it."""

    handles: Mapping[str, str]
    answered: Mapping[str, Answered]
    newer: Mapping[str, str]

    def answered_by(self, node: MemoryNode, stance: Stance) -> tuple[str, ...]:
        """Handles of what this item says yes, or no, to."""
        return tuple(
            self.handles[item]
            for item, one in self.answered.items()
            if one.by.id == node.id and one.stance is stance and item in self.handles
        )

    def day(self, node: MemoryNode, stance: Stance) -> str:
        """On which day the person said so of this item; "" for never."""
        answer = self.answered.get(node.id)
        return answer.by.recorded_at[:10] if answer and answer.stance is stance else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that a claim of this turn may rest on."""

    lang: str
    user_text: str
    nodes: tuple[MemoryNode, ...] = ()
    """What was recalled, then what tools found."""
    recalled: int = 0
    """How many of the items were recalled."""
    documents: tuple[DocumentPart, ...] = ()
    transcript: tuple[TranscriptLine, ...] = ()
    """Earlier visible messages, oldest first; the message being answered is not among them."""
    written: tuple[str, ...] = ()
    answered: Mapping[str, Answered] = field(default_factory=dict)
    """The person's answers that are among the items, by the id of what they answer."""
    newer: Mapping[str, str] = field(default_factory=dict)
    """Of items that the person has replaced since, the id of what stands in their place, where that is given too."""
    listing: Listing = field(default_factory=Listing)
    known: _Known | None = None

    @property
    def input_text(self) -> str:
        """All that the person brought: the words, and the documents that they are about."""
        return "\n\n".join(text for text in (self.user_text, *(part.text for part in self.documents)) if text)

    def lines(self, most: int | None = None) -> tuple[MemoryLine, ...]:
        """The injected items as prompt lines; of the recalled ones at most so many."""
        shown = self.recalled if most is None else min(most, self.recalled)
        on_list = self.listing.get("handles", ())
        nodes = (*self.nodes[:shown], *self.nodes[self.recalled :])
        there = {node.id for node in nodes}
        answered = {item: one for item, one in self.answered.items() if item in there and one.by.id in there}
        given = _Given({node.id: node.handle for node in nodes}, answered, self.newer)
        times = _times(nodes)
        return tuple(
            _line(node, listed=node.handle in on_list, given=given, time=times.get(node.id, "")) for node in nodes
        )

    @property
    def _given(self) -> _Given:
        return _Given({node.id: node.handle for node in self.nodes}, self.answered, self.newer)

    def with_found(self, found: Sequence[MemoryNode]) -> Facts:
        """The facts, with what a tool found beside them; what was given before is not given twice."""
        known = {node.id for node in self.nodes}
        return replace(self, nodes=(*self.nodes, *(node for node in found if node.id not in known)))

    def reason(self, error: RuleError) -> str:
        """Why a model failed, in words that may be shown: what its server said in them is checked like any text."""
        return self.verify(error.said(self.lang)[0]).text

    def _options(self, *, written: bool) -> dict[str, Any]:
        given = self._given
        return {
            "injected": [_injected(node, given) for node in self.nodes],
            "transcript": [*((line.role, line.text) for line in self.transcript), ("user", self.user_text)],
            "written": self.written if written else False,
            "known": self.known or (),
            "user_text": self.user_text,
            "documents": [document.text for document in self.documents],
            "lang": self.lang,
        }

    def verifier(self) -> IncrementalVerifier:
        """A verifier to stream through."""
        return IncrementalVerifier(**self._options(written=True))

    def verify(self, text: str, *, written: bool = True) -> VerificationReport:
        """Check a whole text. `written=False`: nothing could be stored this turn."""
        return verify(text, **self._options(written=written))

    def verify_fields(self, value: Any) -> tuple[Any, VerificationReport]:
        """Check every string of a JSON-like value."""
        return verify_fields(value, **self._options(written=True))


def _message_text(message: BaseMessage, memory: Memory, scope: Scope) -> str:
    """The words of a message; a long text lies in the log under its digest."""
    digest = message.additional_kwargs.get(DIGEST_KEY)
    return memory.get_blob(str(digest), scope=scope) if digest else message.text


def last_human(messages: Sequence[AnyMessage]) -> int:
    """Position of the last message of a person; -1 for none."""
    return max((i for i, m in enumerate(messages) if m.type == "human"), default=-1)


def current_message(messages: Sequence[AnyMessage], message_id: str) -> int:
    """Position of the message being answered; the last human one if the id is gone, -1 if there is none."""
    found = [i for i, m in enumerate(messages) if m.id == message_id]
    return found[-1] if found else last_human(messages)


def scope_of(state: State, turn: Turn) -> Scope:
    """Whose turn this is: who asks, by the run's context. A state that says otherwise opens no other memory (P7).

    Raises:
        ForeignTurnError: The turn was begun in another's name.
    """
    begun, scope = state["turn"], turn.services.scope(turn.context.tenant, turn.context.user)
    if (begun["tenant"], begun["user"]) != (scope.tenant, scope.user):
        raise ForeignTurnError(
            f"this turn was not begun by {scope.user!r}", hint="Resume it with the context that it was begun with."
        )
    return scope


def gather_input(state: State, turn: Turn) -> Facts:
    """Collect what the person brought to this turn, and nothing else."""
    facts = state["turn"]
    messages = state.get("messages", [])
    position = current_message(messages, facts["message_id"])
    if state["route"]["level"] == 0:
        return Facts(lang=facts["lang"], user_text=messages[position].text if position >= 0 else "")
    memory, scope = turn.services.memory, scope_of(state, turn)
    return Facts(
        lang=facts["lang"],
        user_text=_message_text(messages[position], memory, scope) if position >= 0 else "",
        documents=tuple(
            DocumentPart(locator=d["locator"], text=memory.get_blob(d["digest"], scope=scope))
            for d in state.get("documents", [])
            if "digest" in d
        ),
    )


def gather(state: State, turn: Turn) -> Facts:
    """Collect the facts of this turn. A level-0 turn has none beyond its own words."""
    brought, facts = gather_input(state, turn), state["turn"]
    if state["route"]["level"] == 0:
        return brought
    memory, scope = turn.services.memory, scope_of(state, turn)
    messages = state.get("messages", [])
    position = current_message(messages, facts["message_id"])
    by_recall = [ref["id"] for ref in state.get("injected", [])]
    by_tools = [ref["id"] for row in state.get("tools", []) for ref in row["items"]]
    stored = {node.id: node for node in memory.get([*by_recall, *by_tools], scope=scope)}
    found = [stored[item] for item in by_tools if item in stored]
    recalled = [stored[item] for item in by_recall if item in stored and item not in by_tools]
    return replace(
        brought,
        nodes=tuple(recalled),
        recalled=len(recalled),
        answered=standing(recalled, memory, scope),
        newer=replaced(recalled, memory, scope),
        transcript=_transcript(messages[: max(position, 0)], memory, scope),
        written=tuple(facts["planned"]),
        listing=state.get("listing") or Listing(),
        known=_Known(memory, scope),
    ).with_found([*found, *_sources_of_answer(state, turn, scope)])


def given_refs(values: Mapping[str, Any]) -> list[ItemRef]:
    """Everything of memory that the model of a turn was given, each once: what was recalled, and what tools found."""
    found = (ref for row in values.get("tools", []) for ref in row["items"])
    return [*{ref["id"]: ref for ref in (*values.get("injected", []), *found)}.values()]


def cached_sources(entry: Entry) -> tuple[MemoryNode, ...]:
    """The sources of a stored answer as external items."""
    return external_items(entry.sources, tenant=entry.tenant)


def external_items(sources: Iterable[CachedSource], *, tenant: str) -> tuple[MemoryNode, ...]:
    """Sources of an answer as external items: its citations are checked like any others."""
    return tuple(
        MemoryNode(
            id=f"c_{source.sha256}",
            handle=source_handle(source.locator, source.sha256),
            tenant=tenant,
            user="",
            thread="",
            turn_id="",
            source=SourceClass.external,
            author=source.publisher,
            kind=Kind.document,
            text=source.span,
            recorded_at=source.retrieved_at,
            locator=source.locator,
        )
        for source in sources
    )


def _sources_of_answer(state: State, turn: Turn, scope: Scope) -> tuple[MemoryNode, ...]:
    """Those of the answer that this turn gives, read from the ledger or the corpus and not from the state."""
    cached, fresh = state.get("cached") or {}, state.get("deliberated") or {}
    if fresh:
        return turn.services.source_items(fresh["sources"], domain=fresh["domain"], tenant=scope.tenant)
    if cached.get("outcome") != CacheOutcome.hit.value:
        return ()
    cache = turn.services.cache
    return () if cache is None else cached_sources(cache.entry(str(cached["entry"]), tenant=scope.tenant))


def _transcript(messages: Sequence[AnyMessage], memory: Memory, scope: Scope) -> tuple[TranscriptLine, ...]:
    """Earlier messages and who said them: a client may set any role, our own record of the assistant stands (P10)."""
    speakers = memory.speakers_of([m.text for m in messages if m.type == "human"], scope=scope)
    return tuple(_transcript_line(m, speakers) for m in messages)


def _transcript_line(message: AnyMessage, speakers: Mapping[str, SourceClass]) -> TranscriptLine:
    text, role = message.text, _ROLES.get(message.type, "assistant")
    if role == "user" and speakers.get(text) is SourceClass.assistant:
        role = "assistant"
    return TranscriptLine(role=f"{role}:{message.name}" if message.name else role, text=text)


def _times(nodes: Sequence[MemoryNode]) -> dict[str, str]:
    """By id, at what time of a day the person said what they said, where they said several things on that day."""
    said = [node for node in nodes if node.source is SourceClass.user]
    moments: dict[str, set[str]] = {}
    for node in said:
        moments.setdefault(node.recorded_at[:10], set()).add(node.recorded_at)
    return {node.id: node.recorded_at[11:] for node in said if len(moments[node.recorded_at[:10]]) > 1}


def _line(node: MemoryNode, *, listed: bool, given: _Given, time: str) -> MemoryLine:
    return MemoryLine(
        handle=node.handle,
        source=node.source,
        text=node.text,
        author="" if node.source is SourceClass.user else node.author,
        date=node.recorded_at[:10],
        time=time,
        kind=node.kind.value,
        status=node.status.value,
        locator=node.locator,
        listed=listed,
        confirmed=given.day(node, Stance.confirmed),
        denied=given.day(node, Stance.denied),
        confirms=given.answered_by(node, Stance.confirmed),
        denies=given.answered_by(node, Stance.denied),
        superseded_by=given.handles.get(given.newer.get(node.id, ""), ""),
    )


def _injected(node: MemoryNode, given: _Given) -> Injected:
    return Injected(
        handle=node.handle,
        source=node.source.value,
        text=node.text,
        id=node.id,
        author=node.author if node.source.value != "user" else "",
        date=node.recorded_at[:10],
        locator=node.locator,
        confirms=given.answered_by(node, Stance.confirmed),
        denies=given.answered_by(node, Stance.denied),
    )
