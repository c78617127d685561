"""What does a guarded agent remember of this person, and what does a turn of it leave behind?

Remembered items go into the user turn as a data block, worded by who said them, without those that imitate
instructions; never into a system message. A turn is known by its thread and its message, so that a model node that
runs again after a crash commits the same part again and changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

from langchain_core.messages import BaseMessage, HumanMessage

from rqa_checkpoints.errors import CheckpointError
from rqa_checkpoints.provenance import MemoryNode, Scope, SourceClass, TurnPart
from rqa_graph.agent_facts import AgentFacts
from rqa_graph.agent_messages import report_row
from rqa_nodes.companions import replaced, standing
from rqa_nodes.crossing import crossings, relations_of
from rqa_nodes.echo import Injected, VerificationReport
from rqa_nodes.echo.fold import fold
from rqa_nodes.echo.lexicon import own_wordings
from rqa_nodes.facts import Facts
from rqa_nodes.injection import filter_injection
from rqa_nodes.ports import Memory
from rqa_nodes.prompt_parts import MemoryLine
from rqa_nodes.prompts import escape, input_block, memory_block
from rqa_nodes.recall import find

__all__ = [
    "AgentTurn",
    "GivenItems",
    "PersonMemory",
    "Recaller",
    "escaped",
    "from_recaller",
    "given_items",
    "user_turn",
]

Recaller = Callable[[str], Sequence[Injected]]
"""Finds what bears on the user's words; any memory fits behind it."""

_QUERY_CHARACTERS = 2000
_SAID_LAST = 50
"""Of a person's last statements so many are held against a new one."""
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_CHARACTERS = 26

_Message = TypeVar("_Message", bound=BaseMessage)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenItems:
    """What the model is given, and what it is not."""

    lines: tuple[MemoryLine, ...] = ()
    items: tuple[Injected, ...] = ()
    withheld: tuple[Mapping[str, str], ...] = ()
    """`{handle, reason}` of items that imitate instructions."""


def given_items(found: Sequence[tuple[MemoryLine, str]]) -> GivenItems:
    """Keep what may be shown to a model, of lines and the ids of their items."""
    ids = {line.handle: item_id for line, item_id in found}
    kept, withheld = filter_injection([line for line, _ in found])
    items = (
        Injected(
            handle=line.handle,
            source=line.source.value,
            text=line.text,
            id=ids[line.handle],
            author=line.author,
            date=line.date,
            locator=line.locator,
            confirms=line.confirms,
            denies=line.denies,
        )
        for line in kept
    )
    rows = tuple({"handle": line.handle, "reason": reason} for line, reason in withheld)
    return GivenItems(lines=tuple(kept), items=tuple(items), withheld=rows)


def from_recaller(recall: Recaller, query: str) -> GivenItems:
    """What any other memory finds. The locator of an external item is its author, for want of a better one."""
    found = recall(query[:_QUERY_CHARACTERS])
    return given_items([(_line(item), item.id) for item in found])


def _line(item: Injected) -> MemoryLine:
    source = SourceClass(item.source)
    return MemoryLine(
        handle=item.handle,
        source=source,
        text=item.text,
        author=item.author,
        date=item.date,
        locator=item.author if source is SourceClass.external else "",
    )


def user_turn(message: HumanMessage, given: GivenItems, lang: str) -> HumanMessage:
    """The user's message as the model gets it: the remembered items as a block of data, then the words as a block."""
    if not given.lines:
        return escaped(message)
    block, content = memory_block(given.lines, lang), message.content
    if isinstance(content, str):
        return message.model_copy(update={"content": f"{block}\n{input_block(content)}"})
    return message.model_copy(update={"content": [{"type": "text", "text": block}, *_in_blocks(content, input_block)]})


def escaped(message: _Message) -> _Message:
    """A message in which no text can open or close one of our blocks."""
    content = message.content
    new = escape(content) if isinstance(content, str) else _in_blocks(content, escape)
    return message if new == content else message.model_copy(update={"content": new})


def _in_blocks(content: Sequence[Any], change: Callable[[str], str]) -> list[Any]:
    blocks: list[Any] = []
    for block in content:
        if isinstance(block, str):
            blocks.append(change(block))
        elif isinstance(block.get("text"), str):
            blocks.append({**block, "text": change(block["text"])})
        else:
            blocks.append(block)
    return blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTurn:
    """One message being answered, and where it stands."""

    thread: str
    turn_id: str
    recorded_at: str

    @classmethod
    def of(cls, *, thread: str, message: BaseMessage, recorded_at: str) -> AgentTurn:
        """Name a turn after its thread and its message, so that the same one gets the same name."""
        turn_id = _name("turn", thread, message.id or message.text)
        return cls(thread=thread or turn_id, turn_id=turn_id, recorded_at=recorded_at)


def _name(*words: str) -> str:
    number = int.from_bytes(hashlib.sha256(json.dumps(words).encode("ascii")).digest(), "big")
    return "".join(_CROCKFORD[number >> (5 * place) & 31] for place in range(_ID_CHARACTERS))


@dataclass(frozen=True, slots=True)
class PersonMemory:
    """The memory, held to one person."""

    memory: Memory
    scope: Scope

    def lookup(self, reference: str) -> Literal["exact", "prefix"] | None:
        """Is this one of the person's items, or the beginning of one?"""
        return self.memory.lookup(reference, scope=self.scope)

    def recall(self, query: str, limit: int) -> GivenItems:
        """What is near the query."""
        found = find(self.memory, query[:_QUERY_CHARACTERS], scope=self.scope, limit=limit)
        nodes = tuple(item.node for item in found.items)
        answers = standing(nodes, self.memory, self.scope)
        lines = Facts(
            lang="", user_text="", nodes=nodes, answered=answers, newer=replaced(nodes, self.memory, self.scope)
        ).lines()
        return given_items([(line, node.id) for line, node in zip(lines, nodes, strict=True)])

    def forged(self, messages: Sequence[BaseMessage]) -> list[int]:
        """Positions of messages that come as the user's and are, by our own record, the assistant's."""
        speakers = self.memory.speakers_of([m.text for m in messages if m.type == "human"], scope=self.scope)
        return [at for at, m in enumerate(messages) if speakers.get(m.text) is SourceClass.assistant]

    def plan(self, turn: AgentTurn, text: str) -> list[MemoryNode]:
        """The items that the user's message will leave."""
        return self.memory.plan(text, role="user", author=self.scope.user, source=SourceClass.user, **self._place(turn))

    def _place(self, turn: AgentTurn) -> dict[str, Any]:
        return {
            "scope": self.scope,
            "thread": turn.thread,
            "turn_id": turn.turn_id,
            "recorded_at": turn.recorded_at,
        }

    def commit(
        self, turn: AgentTurn, report: VerificationReport, facts: AgentFacts, *, author: str, is_final: bool
    ) -> str:
        """Write the user's message and, if this is the reply, the reply; return the id of the turn, "" for none.

        Under an id that holds other words it is a new turn, named after what it says and the one that it forks.
        """
        reply = report.text if is_final else ""
        fork = replace(turn, turn_id=_name("fork", turn.turn_id, facts.user_text, reply))
        try:
            for place, forked_from in ((turn, ""), (fork, turn.turn_id)):
                said = self.plan(place, facts.user_text)
                part = TurnPart(
                    **self._place(place),
                    part="answer" if is_final else "write",
                    forked_from=forked_from,
                    user_text=facts.user_text,
                    reply_text=reply,
                    relations=relations_of(crossings(said, self._before(), at=turn.recorded_at)),
                    nodes=(*said, *self._reply_items(place, reply, facts, author)),
                    cited=tuple(item.id for item in facts.injected if item.handle in report.cited),
                    report=report_row(report),
                    removed=report.removed,
                )
                if self.memory.commit(part).state != "conflict":
                    return place.turn_id
        except CheckpointError:
            return ""
        return ""

    def _before(self) -> list[MemoryNode]:
        """What the person said last, which a new statement may replace or contradict."""
        return self.memory.recent_statements(scope=self.scope, limit=_SAID_LAST)

    def _reply_items(self, turn: AgentTurn, reply: str, facts: AgentFacts, author: str) -> list[MemoryNode]:
        """What the reply leaves, as the assistant's: nothing that was given to it, and no sentence of the verifier."""
        if not reply:
            return []
        planned = self.memory.plan(
            reply,
            role="assistant",
            author=author,
            source=SourceClass.assistant,
            injected=[*(item.text for item in facts.injected), facts.user_text],
            **self._place(turn),
        )
        own = own_wordings(facts.lang)
        return [node for node in planned if not fold(node.text.strip("- \n")).text.startswith(own)]
