"""Which trained model did a person put into service in this home?

`promotions.jsonl` in a home, one line a decision, each with the hash of the line before it; the last line says which
model is served, and an empty name means the one that the settings name. The settings read it between what is shipped
and what a person set, so that a person's own setting still outranks it. Standard library only: it is read at every
start.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rqa_graph.errors import ConfigError

__all__ = ["PROMOTIONS", "SCHEMA", "promoted_model", "read_promotions", "with_decision"]

PROMOTIONS: Final = "promotions.jsonl"
SCHEMA: Final = "rqa.promotion/1"


def promoted_model(home: Path) -> str:
    """The model in service, as `--model` takes it; "" if nobody promoted one, or it was rolled back."""
    decisions = read_promotions(home)
    return str(decisions[-1]["model"]) if decisions else ""


def read_promotions(home: Path) -> list[dict[str, Any]]:
    """The decisions of a home, oldest first.

    Raises:
        ConfigError: The file cannot be read, or a line is not as it was written.
    """
    return [decision for decision, _ in _checked(home)]


def with_decision(decision: Mapping[str, Any], home: Path) -> str:
    """What the file of a home says with one decision more. Raises ConfigError where it is not as it was written."""
    lines = [line for _, line in _checked(home)]
    before = _digest(lines[-1]) if lines else ""
    lines.append(json.dumps({"schema": SCHEMA, **decision, "before": before}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def _checked(home: Path) -> list[tuple[dict[str, Any], str]]:
    """The decisions with their lines."""
    path = home / PROMOTIONS
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):  # a home that cannot be is refused where it is opened
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error}") from error
    found: list[tuple[dict[str, Any], str]] = []
    before = ""
    # A name may hold U+2028 and other characters that `str.splitlines` takes for the end of a line.
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
        decision = _parsed(line)
        if decision is None or decision.get("before") != before:
            raise ConfigError(
                f"line {number} of {str(path)!r} is not as it was written",
                hint="Take the line and those after it out, or restore a backup: nothing is served on its word.",
            )
        found.append((decision, line))
        before = _digest(line)
    return found


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    usable = isinstance(value, dict) and value.get("schema") == SCHEMA and isinstance(value.get("model"), str)
    return value if usable else None


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()
