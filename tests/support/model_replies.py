"""What a scripted model server answers with, faults included, and what it records of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

__all__ = ["Fault", "Reply", "Request"]


class Fault(StrEnum):
    """What may go wrong instead of an answer, or in the middle of it."""

    not_found = "not_found"
    html = "html"
    html_404 = "html_404"
    silent = "silent"
    """Nothing at all until the server is closed."""
    stalls = "stalls"
    """The first piece, then nothing until the server is closed."""
    drips = "drips"
    """A piece every 50 ms without end."""
    empty = "empty"
    """No content; the thinking, if any, is sent."""
    garbage = "garbage"
    reset = "reset"
    """A TCP reset after the first piece."""
    early_end = "early_end"
    """A clean end after the first piece, without the word that it is done."""
    length = "length"
    """The server says that it ran out of room."""
    error_in_stream = "error_in_stream"
    tool_call = "tool_call"
    """A call of a tool that nobody offered, and no words."""
    bad_request = "bad_request"
    schema_refused = "schema_refused"
    """400, but only for a request with a schema."""
    unauthorized = "unauthorized"
    too_large = "too_large"
    rate_limited = "rate_limited"
    server_error = "server_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What one chat request is answered with."""

    text: str = "It rains."
    thinking: str = ""
    delay_s: float = 0.0
    fault: Fault | None = None
    prompt_tokens: int = 40
    message: str = "scripted failure"
    """The server's own words in an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any] = field(default_factory=dict)
