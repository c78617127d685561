"""The clock and the ids of the application: the real ones enter the program here and nowhere else."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

__all__ = ["new_id", "utc_now"]

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def utc_now() -> datetime:
    """The clock of the application."""
    return datetime.now(UTC)


def new_id() -> str:
    """A new unguessable id: 26 characters of Crockford base32, 130 bits."""
    return "".join(secrets.choice(_CROCKFORD) for _ in range(26))
