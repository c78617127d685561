"""Who deliberates, and on which sources: what `config/deliberation.yaml` may say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from rqa_graph.corpus import SourceFolder

__all__ = ["DeliberationSettings", "SourceSettings"]

Name = Annotated[str, Field(min_length=1, max_length=200)]


class SourceSettings(BaseModel):
    """One folder of documents on the list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Name
    publisher: Name
    family: Annotated[str, Field(max_length=200)] = ""
    authority: bool = False
    domains: tuple[str, ...] = ()

    def folder_in(self, home: Path) -> SourceFolder:
        """The folder; a path that is not absolute lies in the home."""
        return SourceFolder(
            path=home / Path(self.folder).expanduser(),
            publisher=self.publisher,
            family=self.family,
            authority=self.authority,
            domains=self.domains,
        )


class DeliberationSettings(BaseModel):
    """See `config/deliberation.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    engines: Annotated[tuple[Name, ...], Field(min_length=1, max_length=8)]
    alternates: Annotated[tuple[Name, ...], Field(max_length=8)]
    reviewer: str
    seconds: Annotated[float, Field(gt=0, le=3600)]
    documents: Annotated[int, Field(ge=1, le=12)]
    sources: tuple[SourceSettings, ...]
