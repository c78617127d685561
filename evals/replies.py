"""What has a model replied already? A slow run that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from evals.suite import read_rows

__all__ = ["remembered"]

Asked = TypeVar("Asked")


def remembered(
    ask: Callable[[Asked], str], path: Path | None, *, key: Callable[[Asked], str]
) -> Callable[[Asked], str]:
    """As `ask`, with every reply kept in a file, and taken from it if it is there.

    Args:
        ask: Asks the model.
        path: JSON lines `{asked, reply}`; with none nothing is kept.
        key: What tells one thing that is asked from another.
    """
    if path is None:
        return ask
    known: dict[str, str] = {row["asked"]: row["reply"] for row in (read_rows(path) if path.exists() else ())}

    def ask_once(given: Asked) -> str:
        asked = key(given)
        if asked not in known:
            known[asked] = ask(given)
            with path.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"asked": asked, "reply": known[asked]}, ensure_ascii=False) + "\n")
        return known[asked]

    return ask_once
