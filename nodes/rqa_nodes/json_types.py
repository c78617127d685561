"""What does JSON call a whole number? 8.0 is one, as JSON Schema has it; "8" and true are none, where it is strict."""

from __future__ import annotations

from typing import Final

from pydantic import BeforeValidator

__all__ = ["WHOLE"]


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


WHOLE: Final = BeforeValidator(_whole)
"""For a field of type `int` that is read strictly, behind its bounds: pydantic puts those before it into the schema."""
