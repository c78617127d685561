"""What does a question turn on? The record that both languages are read into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["GUARD_VERSION", "Content", "Signature"]

GUARD_VERSION: Final = "guard-1"


@dataclass(frozen=True, slots=True)
class Content:
    """One word that carries content, or a group of words that say the same."""

    key: str
    """The stem, or the number of the group."""
    place: int
    """Where it stands among all words."""
    alternatives: frozenset[str] = frozenset()
    """Further groups that its word belongs to."""

    @property
    def names(self) -> frozenset[str]:
        """Everything that it can be matched by."""
        return self.alternatives | {self.key}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A question as the guard reads it."""

    lang: str
    facets: Mapping[str, tuple[str, ...]]
    """Name of a facet, and its values, sorted; a facet without any is not there."""
    sides: Mapping[str, frozenset[str]]
    """Pair of opposites, and which of its sides the question names."""
    content: tuple[Content, ...]
    between: tuple[str, ...]
    """All words as they stand, for the order check."""
    words: frozenset[str]
    """Latin words as they are written, where their capitals may say something."""
    tense: str = ""
    """"past" or "present" where one of them alone is named."""
    roles: Mapping[int, str] = field(default_factory=dict)
    """Place of a word of content, and the particle or preposition that says its part."""
    is_passive: bool = False
    doubts: tuple[str, ...] = ()
    """What could not be read for certain."""
    follows: bool = field(default=False)
    """The question leans on something said before."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: what the comparison goes by."""
        return {
            "version": GUARD_VERSION,
            "lang": self.lang,
            "facets": {name: list(values) for name, values in sorted(self.facets.items())},
            "opposites": {pair: sorted(sides) for pair, sides in sorted(self.sides.items())},
            "content": [content.key for content in self.content],
            "tense": self.tense,
            "doubts": list(self.doubts),
        }
