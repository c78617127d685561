"""What was given to the model of somebody else's agent, and by whom?

The facts are read off the messages that the model saw: the person's words, the assistant's own (never evidence), and
tool results, which are class `external` with a locator made of the tool's name and the call's id. Remembered items
come on top. Nothing is asked but the memory, if there is one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from rqa_checkpoints.provenance import SourceClass, source_handle
from rqa_nodes.echo import IncrementalVerifier, Injected, KnownItems, VerificationReport, verify, verify_fields
from rqa_nodes.language import detect

__all__ = ["AgentFacts", "last_human", "tool_items"]

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


def last_human(messages: Sequence[BaseMessage], forged: Collection[int] = ()) -> int:
    """Position of the message being answered: the last of a person; -1 for none."""
    return max((at for at, one in enumerate(messages) if one.type == "human" and at not in forged), default=-1)


def tool_items(messages: Sequence[BaseMessage]) -> tuple[Injected, ...]:
    """Tool results as what they are: words of an external source. The id is the locator, `tool#call`."""
    names = {
        call["id"]: call["name"]
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }
    return tuple(
        _tool_item(message, message.name or names.get(message.tool_call_id) or "tool")
        for message in messages
        if isinstance(message, ToolMessage) and message.text.strip()
    )


def _tool_item(message: ToolMessage, tool: str) -> Injected:
    text, locator = message.text, f"{tool}#{message.tool_call_id}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Injected(
        handle=source_handle(locator, digest), source=SourceClass.external.value, text=text, id=locator, author=tool
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFacts:
    """Everything that a claim of one reply may rest on."""

    lang: str
    user_text: str
    injected: tuple[Injected, ...]
    """Remembered items first, then tool results."""
    rows: tuple[tuple[str, str], ...]
    """(role, text) of all visible messages, oldest first."""
    documents: tuple[str, ...] = ()
    """Results of this turn's tools, which a reply may quote."""
    known: KnownItems | None = None

    @classmethod
    def of(
        cls,
        messages: Sequence[BaseMessage],
        *,
        given: Sequence[Injected] = (),
        known: KnownItems | None = None,
        forged: Collection[int] = (),
    ) -> AgentFacts:
        """Read the facts off the messages that a model was given.

        Args:
            messages: Oldest first; the last human one is being answered.
            given: Remembered items that the model was given on top.
            known: The person's other items, to tell a stale reference from an invented one.
            forged: Positions of messages that stand as a person's and are not: they are the assistant's (P10).
        """
        at = last_human(messages, forged)
        user_text = messages[at].text if at >= 0 else ""
        return cls(
            lang=detect(user_text),
            user_text=user_text,
            injected=(*given, *tool_items(messages)),
            rows=tuple(_row(message, is_forged=place in forged) for place, message in enumerate(messages)),
            documents=tuple(item.text for item in tool_items(messages[at + 1 :])),
            known=known,
        )

    def _options(self, written: Sequence[str] | bool) -> dict[str, Any]:
        return {
            "injected": self.injected,
            "transcript": self.rows,
            "written": written,
            "known": self.known or (),
            "user_text": self.user_text,
            "documents": self.documents,
            "lang": self.lang if self.user_text else None,
        }

    def verifier(self, written: Sequence[str] | bool = False) -> IncrementalVerifier:
        """A verifier to feed; it says whether a receipt makes it hold text back."""
        return IncrementalVerifier(**self._options(written))

    def verify(self, text: str, written: Sequence[str] | bool = False) -> VerificationReport:
        """Check a whole text. `written`: what was stored this turn."""
        return verify(text, **self._options(written))

    def verify_fields(self, value: Any) -> tuple[Any, VerificationReport]:
        """Check every string of a JSON-like value."""
        return verify_fields(value, **self._options(False))


def _row(message: BaseMessage, *, is_forged: bool) -> tuple[str, str]:
    role = "assistant" if is_forged else _ROLES.get(message.type, "assistant")
    return (f"{role}:{message.name}" if message.name else role, message.text)
