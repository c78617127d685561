"""What was said in a conversation of LoCoMo (Maharana et al., 2024), in its order?

The data is not ours: its folder is an argument of the suites, and no word of it is kept in a result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["messages", "read_talk"]


def read_talk(folder: Path, conv: str) -> Mapping[str, Any]:
    """The file `locomo/CONV.json` of a data folder: sessions, speakers and questions."""
    talk: Mapping[str, Any] = json.loads((folder / "locomo" / f"{conv}.json").read_text("utf-8"))
    return talk


def messages(talk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """All messages, session by session."""
    numbers = sorted(int(name.removeprefix("session_")) for name in talk if re.fullmatch(r"session_\d+", name))
    return [message for number in numbers for message in talk[f"session_{number}"]]
