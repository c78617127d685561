"""How does a reply come in as one JSON object, with what its model was given, and is it checked?

The row is checked as a whole before the verifier sees any of it; the command line, HTTP and MCP read the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from rqa_nodes.echo.types import Injected, Mode, VerificationReport

__all__ = ["FieldError", "read_item", "read_known", "read_line", "verify_row"]

_SOURCES: Final = ("user", "assistant", "external", "system")


class FieldError(ValueError):
    """A field of a row has the wrong type or value."""


def verify_row(row: Mapping[str, Any], *, mode: str) -> VerificationReport:
    """Check one reply.

    Args:
        row: `reply`, and if there are any `memory`, `transcript`, `known`, `documents` (lists), `user_text`, `written`,
            `lang`.
        mode: "strict", "annotate" or "report".

    Raises:
        FieldError: Something in the row has the wrong type; nothing was checked.
    """
    from rqa_nodes.echo import verify  # what listens before it is asked to verify does not wait for it

    written = row.get("written", ())
    return verify(
        _text(row, "reply"),
        injected=[read_item(item) for item in _list(row, "memory")],
        transcript=[read_line(item) for item in _list(row, "transcript")],
        written=written if isinstance(written, bool) else [str(item) for item in _list(row, "written")],
        known=[read_known(item) for item in _list(row, "known")],
        user_text=_text(row, "user_text") if row.get("user_text") is not None else None,
        documents=[item if isinstance(item, str) else _text(item, "text") for item in _list(row, "documents")],
        lang=_text(row, "lang") if row.get("lang") is not None else None,
        mode=cast("Mode", mode),
    )


def read_item(item: Mapping[str, Any]) -> Injected:
    """What a model was given: `handle`, `source`, `text`, and if known `id`, `author`, `date`, `locator`.

    An item of the user's may name the items that it says yes or no to, in the lists `confirms` and `denies`.
    """
    source = _text(item, "source")
    if source not in _SOURCES:
        raise FieldError(f"source is {source!r}, not one of {', '.join(_SOURCES)}")
    optional = {name: _text(item, name, "") for name in ("id", "author", "date", "locator")}
    answers = {name: tuple(map(str, _list(item, name))) for name in ("confirms", "denies")}
    return Injected(
        handle=_text(item, "handle"),
        source=source,
        text=_text(item, "text"),
        confirms=answers["confirms"],
        denies=answers["denies"],
        **optional,
    )


def read_line(item: Mapping[str, Any]) -> tuple[str, str]:
    """A line of the transcript: `role`, `text`."""
    return _text(item, "role"), _text(item, "text")


def read_known(item: Any) -> str | tuple[str, str]:
    """Another item of the person: its handle, or `handle` and `id`."""
    return item if isinstance(item, str) else (_text(item, "handle"), _text(item, "id", ""))


def _text(row: Mapping[str, Any], name: str, default: str | None = None) -> str:
    if not isinstance(row, Mapping):
        raise FieldError(f"{row!r} is no object")
    value = row.get(name, default)
    if not isinstance(value, str):
        raise FieldError(f"{name} is {value!r}, not a text")
    return value


def _list(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = row.get(name) or ()
    if not isinstance(value, list | tuple):
        raise FieldError(f"{name} is {value!r}, not a list")
    return value
