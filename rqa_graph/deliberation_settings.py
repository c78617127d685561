"""Who deliberates, and on which sources: what `config/deliberation.yaml` may say."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["DeliberationSettings", "SourceSettings"]

Name = Annotated[str, Field(min_length=1, max_length=200)]
Address = Annotated[str, Field(max_length=2000, pattern=r"^https?://[^\s/]+(?:/\S*)?$")]


class SourceSettings(BaseModel):
    """One folder of documents, or some pages, on the list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: Annotated[str, Field(max_length=200)] = ""
    """A path that is not absolute lies in the home."""
    pages: Annotated[tuple[Address, ...], Field(max_length=12)] = ()
    """Addresses that `document_fetch` may read, instead of a folder."""
    publisher: Name
    """Who stands behind its documents."""
    family: Annotated[str, Field(max_length=200)] = ""
    """Whose voice it is; "" for the publisher's."""
    authority: bool = False
    """Is it the one that decides on what it is about?"""
    domains: tuple[str, ...] = ()
    """For which domains it is a source; empty for all."""

    @model_validator(mode="after")
    def _is_one(self) -> SourceSettings:
        if bool(self.folder) == bool(self.pages):
            raise ValueError("a source names either a `folder` or `pages`")
        return self

    def serves(self, domain: str) -> bool:
        """Is it a source for a domain?"""
        return not self.domains or domain in self.domains


class DeliberationSettings(BaseModel):
    """See `config/deliberation.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    engines: Annotated[tuple[Name, ...], Field(min_length=1, max_length=8)]
    """Models that answer side by side: chat, builtin, ollama:NAME, groq:NAME, openai:NAME. Of fewer than two
    families nothing is kept without a person."""
    alternates: Annotated[tuple[Name, ...], Field(max_length=8)]
    """Asked once more where the first ones come to nothing usable."""
    reviewer: str
    """A model of a further family, which judges the answers without knowing who wrote them; empty for none."""
    seconds: Annotated[float, Field(gt=0, le=3600)]
    """For one deliberation."""
    documents: Annotated[int, Field(ge=1, le=12)]
    """Given to the engines."""
    sources: tuple[SourceSettings, ...]
    """Folders whose documents (.md, .txt, .pdf), and pages, that may be cited."""
