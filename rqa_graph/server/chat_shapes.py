"""What does an OpenAI client send and get?

The fields that change something here are declared; all others are accepted, because clients send them without being
asked, and named in `rqa.ignored`. What would change the meaning of the answer and is not done here - several choices,
images - is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from rqa_graph.errors import UsageFaultError
from rqa_graph.inputs import check_text
from rqa_graph.server.conversations import Line
from rqa_nodes.json_types import WHOLE

__all__ = ["EVENT_STREAM", "MODEL", "ChatMessage", "ChatRequest", "Conversation", "read_conversation"]

EVENT_STREAM: Final = "text/event-stream"

MODEL: Final = "rqa"
"""The one model of `/v1/models`: the assistant with whatever answers behind it."""

_SPEAKERS: Final = frozenset({"user", "assistant"})


class TextPart(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    """One message."""

    model_config = ConfigDict(extra="allow", strict=True)

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None

    def text(self) -> str:
        """Its words. Raises UsageFaultError for a part that is no text."""
        if not isinstance(self.content, list):
            return self.content or ""
        for part in self.content:
            if part.type not in ("text", "refusal"):
                raise UsageFaultError("server.no_text", kind=part.type)
        return "\n".join(part.text for part in self.content if part.text)


class StreamOptions(BaseModel):
    """Options of a stream."""

    model_config = ConfigDict(extra="allow", strict=True)

    include_usage: bool = False


class ChatRequest(BaseModel):
    """The body of `POST /v1/chat/completions`."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        json_schema_extra={
            "examples": [{"model": MODEL, "messages": [{"role": "user", "content": "What do you know about my bees?"}]}]
        },
    )

    model: str = MODEL
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=10_000)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Annotated[int | None, Field(ge=1, le=1), WHOLE] = None

    @property
    def with_usage(self) -> bool:
        """True if a stream ends with its usage."""
        return self.stream_options is not None and self.stream_options.include_usage


class Conversation(BaseModel):
    """A request, read."""

    before: list[Line]
    message: str
    ignored: list[str]


def read_conversation(request: ChatRequest) -> Conversation:
    """The message to answer and what was said before it.

    Raises:
        UsageFaultError: The last message is not the user's, or a message holds something that is no text.
        EmptyInputError, NotTextError, TooLargeError: The message cannot be used.
    """
    *earlier, last = request.messages
    if last.role != "user":
        raise UsageFaultError("server.last_not_user", role=last.role)
    before = [(message.role, message.text()) for message in earlier if message.role in _SPEAKERS]
    return Conversation(
        before=[line for line in before if line[1].strip()],
        message=check_text(last.text()),
        ignored=_ignored(request, earlier),
    )


def _ignored(request: ChatRequest, earlier: Sequence[ChatMessage]) -> list[str]:
    fields: dict[str, Any] = request.model_extra or {}
    roles = [f"messages of role {message.role}" for message in earlier if message.role not in _SPEAKERS]
    return [*sorted(name for name, value in fields.items() if value is not None), *dict.fromkeys(roles)]
