"""Which trained model did a person put into service in this home?

`promotions.jsonl` in a home, one line a decision, each with the hash of the line before it; the last line says which
model is served, and an empty name means the one that the settings name. The settings read it between what is shipped
and what a person set, so that a person's own setting still outranks it. Standard library only: it is read at every
start.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rqa_graph.errors import ConfigError

__all__ = ["PROMOTIONS", "SCHEMA", "before", "line_of", "promoted_model", "read_promotions"]

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
    path = home / PROMOTIONS
    try:
        lines = path.read_text("utf-8").splitlines()
    except (FileNotFoundError, NotADirectoryError):  # a home that cannot be is refused where it is opened
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{str(path)!r} cannot be read: {error}") from error
    decisions: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        decision = _parsed(line)
        if decision is None or decision.get("before") != before(lines[: number - 1]):
            raise ConfigError(
                f"line {number} of {str(path)!r} is not as it was written",
                hint="Take the line and those after it out, or restore a backup: nothing is served on its word.",
            )
        decisions.append(decision)
    return decisions


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None
    usable = isinstance(value, dict) and value.get("schema") == SCHEMA and isinstance(value.get("model"), str)
    return value if usable else None


def before(lines: Sequence[str]) -> str:
    """SHA-256 of the last of the lines; "" for none."""
    return hashlib.sha256(lines[-1].encode()).hexdigest() if lines else ""


def line_of(decision: Mapping[str, Any], home: Path) -> str:
    """A decision as the line that follows those of a home."""
    path = home / PROMOTIONS
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    return json.dumps({"schema": SCHEMA, **decision, "before": before(lines)}, ensure_ascii=False)
