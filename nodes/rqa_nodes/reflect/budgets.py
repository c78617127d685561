"""How much reflection may an input cost?

Budgets come from a mapping (`config/budgets.yaml`) and are fixed before the model speaks: the number of rounds is a
counter in the state that no model output can reach. `--k` and `--depth` override K and rounds, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from rqa_nodes.errors import BudgetError

__all__ = ["MAX_CANDIDATES", "MAX_ROUNDS", "Budget", "Budgets", "Thresholds"]

MAX_CANDIDATES: Final = 12
MAX_ROUNDS: Final = 5
_SHORTLIST: Final = 3
_LIMITS: Final = {
    "candidates": (1, MAX_CANDIDATES),
    "rounds": (1, MAX_ROUNDS),
    "fragments": (0, 64),
    "regenerations": (0, 3),
    "seconds": (1, 3600),
}
"""Lowest and highest value of each setting of a budget."""
_SCORE_LIMITS: Final = {"total": (0, 40), "depth": (0, 10), "sharpness": (0, 10), "actionability": (0, 10)}
_DEEP_ENOUGH_LIMITS: Final = {"total": (0, 40)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one reflection may use."""

    name: str
    candidates: int
    """K."""
    rounds: int
    fragments: int
    """Items of memory that may be injected."""
    regenerations: int
    """Further completions a round, when the diversity check finds issues or the output cannot be used."""
    seconds: int

    @property
    def shortlist(self) -> int:
        """S: how many candidates the evaluator scores."""
        return min(_SHORTLIST, self.candidates)

    def overridden(self, *, candidates: int | None = None, rounds: int | None = None) -> Budget:
        """The budget with a person's K and depth. Raises BudgetError outside 1 to 12 and 1 to 5."""
        given = {"candidates": candidates, "rounds": rounds}
        changed = {key: _number(f"`{key}`", value, _LIMITS[key]) for key, value in given.items() if value is not None}
        return replace(self, **changed)  # type: ignore[arg-type]  # the keys are the two of the signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What a score must reach."""

    deep_enough: int = 30
    """Total of 40 from which the loop stops."""
    total: int = 30
    """Total of 40 from which a side question may surface."""
    depth: int = 8
    sharpness: int = 8
    actionability: int = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """All budgets by name, and the thresholds."""

    by_name: Mapping[str, Budget]
    thresholds: Thresholds

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> Budgets:
        """Read `{"budgets": {name: {...}}, "side_question": {...}, "deep_enough": {"total": n}}`.

        Raises:
            BudgetError: A budget of the four (quick, standard, full, side) is missing, or a value is out of range.
        """
        given = mapping.get("budgets")
        rows = given if isinstance(given, Mapping) else {}
        missing = [name for name in ("quick", "standard", "full", "side") if not isinstance(rows.get(name), Mapping)]
        if missing:
            raise BudgetError(
                f"the budget {missing[0]!r} is missing; found {sorted(map(str, rows))!r}",
                hint="Compare `config/budgets.yaml` with the one that ships.",
            )
        side = _numbers("side_question", mapping.get("side_question", {}), _SCORE_LIMITS)
        deep = _numbers("deep_enough", mapping.get("deep_enough", {}), _DEEP_ENOUGH_LIMITS)
        thresholds = replace(Thresholds(), **side)
        return cls(
            by_name={str(name): _budget(str(name), row) for name, row in rows.items()},
            thresholds=replace(thresholds, deep_enough=deep.get("total", thresholds.deep_enough)),
        )

    def named(self, name: str) -> Budget:
        """The budget of that name; the smallest one for a name that the router does not use. Never raises."""
        return self.by_name.get(name, self.by_name["quick"])

    @property
    def side(self) -> Budget:
        """The budget of a level-2 side reflection."""
        return self.by_name["side"]


def _budget(name: str, row: Mapping[str, Any]) -> Budget:
    numbers = _numbers(name, row, _LIMITS)
    missing = [key for key in _LIMITS if key not in numbers]
    if missing:
        raise BudgetError(f"the budget {name!r} has no `{missing[0]}`", hint="Each budget names all five values.")
    return Budget(name=name, **numbers)


def _numbers(where: str, row: Any, limits: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    if not isinstance(row, Mapping):
        raise BudgetError(f"`{where}` is {row!r}; expected names with numbers")
    unknown = [key for key in row if key not in limits]
    if unknown:
        raise BudgetError(f"`{where}` has {unknown[0]!r}; expected only {sorted(limits)!r}", hint="Check the spelling.")
    return {key: _number(f"`{where}.{key}`", value, limits[key]) for key, value in row.items()}


def _number(where: str, value: Any, limits: tuple[int, int]) -> int:
    lowest, highest = limits
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise BudgetError(f"{where} is {value!r}; expected a whole number from {lowest} to {highest}")
    return value
