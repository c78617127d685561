"""What may a request hold? The types that bodies are made of, so that the schema says all that is refused.

A body is read strictly: `"8"` is no number and 0 is not false, for what a client did not mean is no request.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = ["Body", "Day", "Words"]

_WITH_WORDS: Final = r"^[^\x00]*[^\s\x00][^\x00]*$"
"""More than blanks, and no NUL, which no text has."""


class Body(BaseModel):
    """The documented fields in the documented types, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _day(text: str) -> str:
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError("a date is written as in 2026-01-31")
    return text


Words = Annotated[str, Field(json_schema_extra={"pattern": _WITH_WORDS})]
"""A text that says something. `check_text` refuses what is none, in the person's language; the schema says it too."""

Day = Annotated[str, AfterValidator(_day), Field(json_schema_extra={"format": "date"})]
"""A date, as RFC 3339 writes it."""
