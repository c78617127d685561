"""Does a question ask for an aspect of the person - open tasks, values, promises - or for a topic?

Rules of a table (`data/aspects.yaml`), first match wins, no model. A cue of a state has to stand near the noun that it
is about, and negations of one state ("unfinished") are looked for before the state ("finished"). When in doubt it is a
topic: a hint that is wrong is worse than none, since the recall runs in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from rqa_checkpoints.likeness import fold
from rqa_checkpoints.packaged import packaged

__all__ = ["Aspect", "AspectRouter", "aspect_router"]

_LONGEST: Final = 160
"""Characters from which on a text is no question about a list, but a topic of its own."""
_NAMED: Final = re.compile(r"\{([a-z_]+)\}")


class Aspect(StrEnum):
    """What of a person can be asked for as a list."""

    commitments = "commitments"
    values = "values"
    intentions = "intentions"
    tasks_doing = "tasks_doing"
    tasks_completed = "tasks_completed"
    tasks_abandoned = "tasks_abandoned"
    tasks_todo = "tasks_todo"
    relationships = "relationships"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    id: str
    aspect: Aspect
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None


class AspectRouter:
    """The rules of one table."""

    def __init__(
        self, rules: Iterable[_Rule], *, topic: re.Pattern[str], told: re.Pattern[str], aside: re.Pattern[str]
    ) -> None:
        self._rules = tuple(rules)
        self._topic = topic
        self._told = told
        self._aside = aside

    @classmethod
    def from_mapping(cls, table: Mapping[str, Any]) -> AspectRouter:
        """Read the rules from a table of `words`, `rules`, `topic`, `told` and `aside`."""
        words: Mapping[str, str] = table["words"]
        rules = [
            _Rule(
                id=row["id"],
                aspect=Aspect(row["aspect"]),
                pattern=_compiled([row["pattern"]], words),
                unless=_compiled([row["unless"]], words) if "unless" in row else None,
            )
            for row in table["rules"]
        ]
        beside = {name: _compiled(table[name], words) for name in ("topic", "told", "aside")}
        return cls(rules, **beside)

    def match(self, query: str) -> tuple[Aspect, str] | None:
        """The aspect that is asked for, and the id of the rule that says so; None for a topic."""
        text = fold(query)
        if len(text) > _LONGEST or self._topic.search(text) or self._told.search(text):
            return None
        asked = self._aside.sub(" ", text)
        for rule in self._rules:
            if rule.pattern.search(asked) and not (rule.unless and rule.unless.search(asked)):
                return rule.aspect, rule.id
        return None

    def rule_ids(self) -> tuple[str, ...]:
        """Ids of all rules, in their order."""
        return tuple(rule.id for rule in self._rules)


def _compiled(patterns: Iterable[str], words: Mapping[str, str]) -> re.Pattern[str]:
    def filled(pattern: str) -> str:
        return _NAMED.sub(lambda named: filled(words[named.group(1)]), pattern)

    return re.compile("|".join(f"(?:{filled(pattern)})" for pattern in patterns), re.IGNORECASE)


@cache
def aspect_router() -> AspectRouter:
    """The packaged rules."""
    return AspectRouter.from_mapping(packaged("aspects"))
