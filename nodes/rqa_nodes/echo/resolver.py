"""Which item does an id name: one that was given this turn, a known one, the beginning of one, or none?"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Protocol

from rqa_nodes.echo.fold import fold_reference
from rqa_nodes.echo.types import Injected, VerdictKind

__all__ = ["KnownItems", "Resolver"]

Lookup = Literal["exact", "prefix"]


class KnownItems(Protocol):
    """A memory too big to list."""

    def lookup(self, reference: str) -> Lookup | None:
        """Is this a handle or id of this person's items, or the beginning of one?"""


_PREFIX_CHARS: Final = 4
"""Shorter beginnings say nothing."""


_MOST_REMEMBERED: Final = 1024


@dataclass(frozen=True)
class Resolver:
    """The ids of this turn."""

    injected: tuple[Injected, ...]
    known: Any = ()
    """(handle, id) pairs, plain strings, or `KnownItems`."""
    footnotes: frozenset[str] = frozenset()
    """Numbers that the documents of this turn use in square brackets."""
    given: str = ""
    """Folded words of everything given this turn: what stands in them is theirs, and no reference of the reply."""

    @cached_property
    def by_key(self) -> dict[str, Injected]:
        """Every way to write an injected item, folded."""
        table: dict[str, Injected] = {}
        for item in self.injected:
            for name in (item.handle, item.id):
                if name:
                    table.setdefault(fold_reference(str(name)), item)
        return table

    @cached_property
    def numeric(self) -> bool:
        """True if some injected handle is a plain number: then numbers in brackets are references."""
        return any(key.isdecimal() for key in self.by_key)

    @cached_property
    def _injected_sorted(self) -> list[str]:
        return _with_bodies(self.by_key)

    @cached_property
    def _known_sorted(self) -> list[str]:
        return _with_bodies(fold_reference(str(name)) for name in _names(self.known))

    def resolve(self, reference: str) -> tuple[VerdictKind, Injected | None]:
        """The verdict on one id, and the item that it names."""
        seen = self._resolved.get(reference)
        if seen is None:
            seen = self._resolve(reference)
            if len(self._resolved) < _MOST_REMEMBERED:
                self._resolved[reference] = seen
        return seen

    @cached_property
    def _resolved(self) -> dict[str, tuple[VerdictKind, Injected | None]]:
        """What was asked already this turn."""
        return {}

    def _resolve(self, reference: str) -> tuple[VerdictKind, Injected | None]:
        key = fold_reference(reference)
        item = self.by_key.get(key)
        if item is not None:
            return VerdictKind.valid, item
        found = self._lookup(key, reference)
        if found == "exact":
            return VerdictKind.stale_id, None
        if found == "prefix":
            return VerdictKind.ambiguous_prefix, None
        return VerdictKind.unknown_id, None

    def _lookup(self, key: str, reference: str) -> Lookup | None:
        if key.isdecimal() and len(key) < _PREFIX_CHARS:
            return "exact" if not hasattr(self.known, "lookup") and _find(self._known_sorted, key) == "exact" else None
        begins = _find(self._injected_sorted, key)
        if hasattr(self.known, "lookup"):
            found: Lookup | None = self.known.lookup(reference.strip()) or self.known.lookup(key)
        else:
            found = _find(self._known_sorted, key)
        return found or ("prefix" if begins else None)


def _names(known: Iterable[Any]) -> Iterable[str]:
    if hasattr(known, "lookup"):
        return
    for entry in known:
        if isinstance(entry, str):
            yield entry
        else:
            yield from (str(name) for name in entry if name)


def _with_bodies(keys: Iterable[str]) -> list[str]:
    """Sorted keys; a full id also under its part behind `n_`, since a handle is the beginning of that."""
    names = {name for key in keys for name in (key, key.removeprefix("n_")) if name}
    return sorted(names)


def _find(names: Sequence[str], key: str) -> Lookup | None:
    at = bisect_left(names, key)
    if at == len(names) or not key:
        return None
    if names[at] == key:
        return "exact"
    return "prefix" if len(key.removeprefix("n_")) >= _PREFIX_CHARS and names[at].startswith(key) else None
