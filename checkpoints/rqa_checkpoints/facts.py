"""What does the rule of an event see of it?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rqa_checkpoints.records import Scope

__all__ = ["Fact"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One event as its rule sees it."""

    seq: int
    op: str
    scope: Scope
    public: Mapping[str, Any]
    private: Mapping[str, Any]
