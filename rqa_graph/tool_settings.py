"""What may be looked up, by the settings? See `config/tools.yaml`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

__all__ = ["DocumentFetchSettings", "LocalRagSettings", "ToolSettings", "WebSearchSettings"]

_MODULE_AND_CLASS: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def _absolute(value: Path) -> Path:
    path = value.expanduser()
    if not path.is_absolute():
        raise ValueError("a root is an absolute path, such as ~/papers")
    return path


def _module_and_class(value: str) -> str:
    if value and not _MODULE_AND_CLASS.fullmatch(value):
        raise ValueError("a tool is named module:Class, such as langchain_tavily:TavilySearch")
    return value


class _Tool(BaseModel):
    """What every tool has."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    enabled: bool
    """May it be used at all?"""
    calls: Annotated[int, Field(ge=1, le=10)]
    """How often in one turn."""
    seconds: Annotated[float, Field(ge=1, le=120)]
    """How long one call may take."""
    items: Annotated[int, Field(ge=1, le=10)]
    """Sources of one call that are used."""


class LocalRagSettings(_Tool):
    """Passages of indexed folders."""


class DocumentFetchSettings(_Tool):
    """Files under roots, and addresses."""

    roots: tuple[Annotated[Path, AfterValidator(_absolute)], ...]
    """Folders whose files may be read, as absolute paths or from ~."""
    web: bool
    """Also public http(s) addresses that a person or a search named."""
    max_bytes: Annotated[int, Field(ge=1_000, le=10_000_000)]
    """Of one file or page."""


class WebSearchSettings(_Tool):
    """A search tool of LangChain."""

    tool: Annotated[str, AfterValidator(_module_and_class)]
    """An installed search tool of LangChain, as module:Class."""
    options: dict[str, Any]
    """What it is made with. Its key, if it wants one, is read by it from the environment."""

    @model_validator(mode="after")
    def _is_named(self) -> WebSearchSettings:
        if self.enabled and not self.tool:
            raise ValueError("`web_search` is enabled and names no `tool`, such as langchain_tavily:TavilySearch")
        return self


class ToolSettings(BaseModel):
    """All tools."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    local_rag: LocalRagSettings
    document_fetch: DocumentFetchSettings
    web_search: WebSearchSettings
