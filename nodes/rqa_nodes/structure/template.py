"""A sentence of the engine with slots, each of which takes certain kinds of phrase and nothing else.

`{b:noun}` takes a noun phrase, `{b:noun|verb}` either; a bare `{a}`, `{b}`, `{c}` or `{w}` takes a statement, any other
slot (a telling word, a figure, a locator) whatever is there. `{a:alike}` and `{b:alike}` take two phrases of one kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rqa_nodes.structure.phrase import kind_of

__all__ = ["Template"]

_SLOT: Final = re.compile(r"\{(\w+)(?::([\w|]+))?\}")
_STATEMENTS: Final = frozenset("abcw")
_CLAUSE: Final = frozenset({"clause"})
_ANYTHING: Final = frozenset({"any"})
_ALIKE: Final = "alike"


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with typed slots, read from `source`; empty for "nothing to say there"."""

    source: str
    text: str = field(init=False)
    """The sentence with bare slots."""
    kinds: Mapping[str, frozenset[str]] = field(init=False, hash=False)

    def __post_init__(self) -> None:
        kinds: dict[str, frozenset[str]] = {}
        for name, wanted in _SLOT.findall(self.source):
            given = frozenset(wanted.split("|")) if wanted else _CLAUSE if name in _STATEMENTS else _ANYTHING
            # A slot that stands twice has to suit both places.
            kinds[name] = given if name not in kinds or kinds[name] == _ANYTHING else kinds[name] & given
        object.__setattr__(self, "text", _SLOT.sub(r"{\1}", self.source))
        object.__setattr__(self, "kinds", kinds)

    def fill(self, slots: Mapping[str, str]) -> str:
        """The sentence, or nothing where a slot is empty or its phrase is of another kind."""
        return self.text.format(**slots) if self.source and self.takes(slots) else ""

    def takes(self, slots: Mapping[str, str]) -> bool:
        """Whether every slot is there and of its kind."""
        alike = {kind_of(slots[name]) for name, wanted in self.kinds.items() if _ALIKE in wanted and name in slots}
        return (
            all(slots.get(name) and _fits(slots[name], wanted) for name, wanted in self.kinds.items())
            and len(alike) < 2
            and "piece" not in alike
        )


def _fits(value: str, wanted: frozenset[str]) -> bool:
    return bool(wanted & {"any", _ALIKE}) or kind_of(value) in wanted
