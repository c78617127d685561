"""What has been read of a question so far, and how is it closed into a signature?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from rqa_checkpoints.cache.guard.lexicon import Role
from rqa_checkpoints.cache.guard.signature import Content, Signature

__all__ = ["Reading", "resolved"]

_SETS: Final = frozenset(("wh", "modality", "form", "comparator", "quantifier"))
"""Facets of which a value counts once, however often it is said; of the others each mention counts."""
_UNREAD: Final = frozenset(("plain",))
"""Values of `polarity` that only keep a wording from being read as a negation."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """A question being read."""

    lang: str
    facets: dict[str, list[str]] = field(default_factory=dict)
    sides: dict[str, set[str]] = field(default_factory=dict)
    content: list[Content] = field(default_factory=list)
    between: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    tense: str = ""
    roles: dict[int, str] = field(default_factory=dict)
    is_passive: bool = False
    doubts: list[str] = field(default_factory=list)
    follows: bool = False

    def note(self, facet: str, value: str) -> None:
        """One more value of a facet."""
        self.facets.setdefault(facet, []).append(value)

    def take_sides(self, roles: Sequence[Role]) -> None:
        """Note the sides of opposites that a wording names."""
        for role in roles:
            if role.part == "side":
                self.sides.setdefault(role.name, set()).add(role.value)

    def take_facets(self, roles: Sequence[Role], place: int) -> bool:
        """Note the facets that a wording has; True if it has any. A unit also has its place among the words."""
        facets = [role for role in roles if role.part == "facet"]
        for role in facets:
            if role.value not in _UNREAD:
                self.note(role.name, role.value)
            if role.name == "units":
                self.content.append(Content(f"unit {role.value}", place))
        return bool(facets)


def resolved(reading: Reading, at: datetime) -> Signature:
    """The signature of a reading, with relative times put as absolute ones; the reading stays as it is."""
    noted = dict(reading.facets)
    relative = noted.pop("relative", [])
    if relative:
        noted["number"] = [*noted.get("number", ()), *(_absolute(value, at) for value in relative)]
    facets = {name: tuple(sorted(set(values) if name in _SETS else values)) for name, values in noted.items() if values}
    return Signature(
        lang=reading.lang,
        facets=facets,
        sides={pair: frozenset(sides) for pair, sides in reading.sides.items()},
        content=tuple(reading.content),
        between=reading.between,
        words=reading.words,
        tense=reading.tense,
        roles=dict(reading.roles),
        is_passive=reading.is_passive,
        doubts=tuple(dict.fromkeys(reading.doubts)),
        follows=reading.follows,
    )


def _absolute(value: str, at: datetime) -> str:
    """`year+1` at some time is the year after it, written as a year in a text would be read."""
    sign = "+" if "+" in value else "-"
    unit, _, steps = value.partition(sign)
    offset = int(f"{sign}{steps}")
    match unit:
        case "year":
            return str(at.year + offset)
        case "month":
            months = at.year * 12 + at.month - 1 + offset
            return f"{months // 12}-{months % 12 + 1:02}"
        case "week":
            year, week, _ = (at + timedelta(weeks=offset)).isocalendar()
            return f"{year}-W{week:02}"
        case _:
            return (at + timedelta(days=offset)).date().isoformat()
