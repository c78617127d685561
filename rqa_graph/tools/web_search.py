"""What does a search tool of LangChain find?

The settings name the class; it is imported when it is first called, and constructed with the options of the settings.
Search tools return strings, lists, mappings or JSON in a string, so that rows are looked for by the names that such
tools use for an address and a text. A result without an address is cited as the tool's own word. Tracing is off and no
callback hears the query; the thread in which a tool runs sees nothing of the turn.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.tools import BaseTool
from langsmith.run_helpers import tracing_context

from rqa_checkpoints.folders import digest_of
from rqa_graph.tool_settings import WebSearchSettings
from rqa_nodes.errors import ToolError
from rqa_nodes.tools.toolbox import Source, ToolCall

__all__ = ["WebSearch"]

_ADDRESSES: Final = ("url", "link", "href", "source")
_TEXTS: Final = ("content", "snippet", "body", "description", "text", "raw_content")
_TITLES: Final = ("title", "name")
_LISTS: Final = ("results", "organic", "organic_results", "items", "data")
_LONGEST: Final = 1_000_000
"""Characters of a result that are read."""


class WebSearch:
    """A search tool that a person named."""

    name = "web_search"

    def __init__(self, settings: WebSearchSettings) -> None:
        self.calls = settings.calls
        self.seconds = settings.seconds
        self.items = settings.items
        self._settings = settings
        self._tool: BaseTool | None = None

    def leaves(self, query: str) -> bool:
        """It does, whatever the tool says of itself."""
        del query
        return True

    def run(self, call: ToolCall) -> Sequence[Source]:
        """Search. Raises ToolError where the tool cannot be had."""
        if self._tool is None:
            self._tool = _made(self._settings)
        with tracing_context(enabled=False):
            found = self._tool.invoke(call.query, config={"callbacks": []})
        return _sources(found, self._settings.tool)

    def close(self) -> None:
        """Nothing is held."""


def _made(settings: WebSearchSettings) -> BaseTool:
    module, _, name = settings.tool.partition(":")
    try:
        kind = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError):
        raise ToolError(
            f"the search tool {settings.tool!r} is not installed", ja=f"検索ツール {settings.tool!r} が入っていない"
        ) from None
    tool = kind(**settings.options)
    if not isinstance(tool, BaseTool):
        raise ToolError(
            f"{settings.tool!r} is no tool of LangChain", ja=f"{settings.tool!r} は LangChain のツールではない"
        )
    return tool


def _sources(found: Any, tool: str) -> list[Source]:
    """What a tool returned, as sources in its order; what has no text is none."""
    return [source for row in _rows(found) if (source := _source(row, tool)) is not None]


def _rows(found: Any) -> list[Any]:
    if isinstance(found, str):
        text = found[:_LONGEST].strip()
        parsed = _parsed(text) if text[:1] in {"[", "{"} else None
        return [text] if parsed is None else _rows(parsed)
    if isinstance(found, Mapping):
        listed = next((found[name] for name in _LISTS if isinstance(found.get(name), list)), None)
        return [found] if listed is None else list(listed)
    if isinstance(found, tuple) and len(found) == 2:  # content and artifact, as some tools return them
        return _rows(found[1] if isinstance(found[1], list | Mapping) else found[0])
    return list(found) if isinstance(found, list) else []


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None


def _source(row: Any, tool: str) -> Source | None:
    if not isinstance(row, Mapping):
        row = {"content": row}
    title, text = _first(row, _TITLES), _first(row, _TEXTS)
    words = "\n".join(part for part in (title, text) if part)
    address = _first(row, _ADDRESSES)
    locator = address if address.startswith(("http://", "https://")) else tool
    return Source(text=words, locator=locator, digest=digest_of(words.encode("utf-8", "replace"))) if text else None


def _first(row: Mapping[Any, Any], names: Sequence[str]) -> str:
    """The first of these fields that is a text with words in it."""
    values = (row.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")
