"""What came of a request for a tool? The set is closed: people read it in their language, and it is counted."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ToolStatus"]


class ToolStatus(StrEnum):
    """What came of a request."""

    ok = "ok"
    nothing = "nothing"
    """It ran, and found nothing."""
    not_enabled = "not_enabled"
    limit = "limit"
    """The calls of this turn are used up."""
    bad_query = "bad_query"
    private_words = "private_words"
    """The query would carry words of memory to another machine."""
    unnamed_address = "unnamed_address"
    """Nobody but the model named the address."""
    out_of_time = "out_of_time"
    refused = "refused"
    """By the tool: outside the allowed folders, a private address, too large, no text."""
    stale = "stale"
    """What it would have cited is not as it was indexed."""
    timed_out = "timed_out"
    busy = "busy"
    """An earlier call hangs."""
    failed = "failed"
