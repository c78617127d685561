"""Search tools of LangChain that find what a test put there."""

from __future__ import annotations

from typing import Any, ClassVar

from langchain_core.tools import BaseTool

__all__ = ["FixedSearch", "NoTool"]


class FixedSearch(BaseTool):
    """Finds the same, whatever it is asked."""

    name: str = "fixed"
    description: str = "finds the same"
    api_key: str = ""
    found: ClassVar[Any] = []
    asked: ClassVar[list[str]] = []
    keys: ClassVar[list[str]] = []

    def _run(self, query: str) -> Any:
        self.asked.append(query)
        self.keys.append(self.api_key)
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


class NoTool:
    """No tool at all."""
