"""What does a suite say about itself?

Cases, the systems that are compared on them (arms), and what is looked at in their output (scorers). A scorer that is
hard holds on every case, or on none, of every arm that is no baseline; the others are counted. What a judge model says
is never mixed with them: it has columns of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from evals.runner.rows import Row

if TYPE_CHECKING:
    from evals.runner.setup import Setup

__all__ = ["Arm", "Case", "Count", "Output", "Plan", "Score", "Scorer", "Suite"]

Output = Mapping[str, Any]
"""What an arm gives back: plain JSON."""


class Count(NamedTuple):
    """So many of so many, within one case."""

    hits: int
    of: int


Score = bool | float | Count | str | None
"""Yes or no, a measure, a count, a kind; None where the case says nothing about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One thing that every arm is given."""

    id: str
    data: Any = None
    """What arms and scorers read; never written."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """By what results are grouped."""
    private: bool = False
    """True: no output of it is kept, only scores (held-out rows, data that is not ours)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One of the systems that are compared."""

    name: str
    run: Callable[[Case, int], Output]
    """Of a case and the seed of the trial."""
    baseline: bool = False
    takes: Callable[[Case], bool] = lambda _case: True
    """Which cases it is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """What is looked at in an output."""

    name: str
    score: Callable[[Case, Output], Score]
    hard: Literal["", "always", "never"] = ""
    """Whether it must hold, or must not, on every case of an arm that is no baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run."""

    cases: Sequence[Case]
    arms: Sequence[Arm]
    scorers: Sequence[Scorer]
    metrics: Mapping[str, Callable[[Sequence[Row]], float | None]] = field(default_factory=dict)
    """What can be said of many rows of one arm only, such as a percentile."""
    by: Sequence[tuple[str, ...]] = (("lang",),)
    """Tags that results are grouped by; a report shows the first grouping, result files have all."""
    trials: int = 1
    """How often every case is run, each time with another seed."""
    judged: Callable[[Case, Output], Mapping[str, str]] | None = None
    """Questions for a judge, to be answered yes or no, by name; what follows a colon in a name is not told apart."""
    judges_needed: int = 1
    """With fewer the judged part is skipped, and the report says so."""
    plot: Callable[[Sequence[Row], Any], None] | None = None
    """Draws rows on axes of matplotlib; without it, shares by arm are drawn."""
    notes: Sequence[str] = ()
    """What a reader must know about this run."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Sizes and names that the figures are read with; kept beside them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """A measurement with a name."""

    name: str
    about: str
    """One line."""
    open: Callable[[Setup], Plan]
    readme: Callable[[Mapping[str, Any], Mapping[str, Any]], str] | None = None
    """Tables of the README, of the committed result of this suite and, by name, of all."""

    def with_arm(self, make: Callable[[Setup], Arm]) -> Suite:
        """The same suite with one more arm, run on the same cases."""

        def opened(setup: Setup) -> Plan:
            plan = self.open(setup)
            return replace(plan, arms=[*plan.arms, make(setup)])

        return replace(self, open=opened)
