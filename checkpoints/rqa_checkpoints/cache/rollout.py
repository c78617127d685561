"""In which phase are a tenant, domain and locale, and may they enter the next?

A phase is set by a person, in the log, and holds from the next look-up on; the file says where everything begins. To go
up, the gate of the phase must hold: each counts what has happened since the phase began.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from rqa_checkpoints.cache.freshness import parse_time
from rqa_checkpoints.cache.policy import PolicyBook
from rqa_checkpoints.cache.store import RolloutRow

__all__ = ["ANY", "Figures", "Gate", "figures", "gates", "phase_of", "since_of"]

ANY: Final = "*"

QUESTIONS: Final = 1000
"""Phase 0: look-ups that were counted."""
AUDITED: Final = 300
"""Phase 1: rows that a person looked at; none wrong bounds the share of wrong ones at 1 % (3/n, 95 %)."""
DAYS: Final = 14
"""Phase 2."""
SHADOWED: Final = 600
"""Phase 2: comparisons of a similar question's answer with a fresh one; none wrong bounds false hits at 0.5 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What has been counted since a phase began."""

    questions: int = 0
    audited: int = 0
    wrong: int = 0
    days: float = 0.0
    expired_serves: int = 0
    mismatches_served: int = 0
    shadowed: int = 0
    false_hits: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One condition for leaving a phase."""

    phase: int
    name: str
    found: float
    needed: float
    at_least: bool

    @property
    def holds(self) -> bool:
        """Is it met?"""
        return self.found >= self.needed if self.at_least else self.found <= self.needed

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {**asdict(self), "holds": self.holds}


def phase_of(rows: Iterable[RolloutRow], policies: PolicyBook, scope: tuple[str, str, str]) -> int:
    """The phase of (tenant, domain, locale): the row a person set, the most exact first, else the file's.

    A row for all domains or locales can only lower: that is how a kill switch for everything outranks what was set.
    """
    tenant, domain, locale = scope
    exact = [row for row in rows if row.tenant == tenant and _covers(row, domain, locale)]
    own = next((row.phase for row in exact if (row.domain, row.locale) == (domain, locale)), None)
    first = policies.first_phase(tenant, domain, locale) if own is None else own
    return min([first, *(row.phase for row in exact if ANY in (row.domain, row.locale))])


def since_of(rows: Iterable[RolloutRow], scope: tuple[str, str, str]) -> str:
    """When the phase of these began; "" where no person set it."""
    tenant, domain, locale = scope
    found = [row.since for row in rows if row.tenant == tenant and _covers(row, domain, locale)]
    return max(found, default="")


def _covers(row: RolloutRow, domain: str, locale: str) -> bool:
    return row.domain in (ANY, domain) and row.locale in (ANY, locale)


def figures(
    lines: Iterable[Mapping[str, Any]],
    audits: Sequence[bool],
    *,
    scope: tuple[str, str, str],
    since: str,
    now: datetime,
) -> Figures:
    """Count the lines of the cache's figures for one scope.

    Args:
        lines: As `IntegrityCache` records them, in any order.
        audits: One verdict for each entry that persons looked at: True if it is right.
        scope: Tenant, domain and locale.
        since: When the phase began; "" counts everything.
        now: The time.
    """
    own = [line for line in lines if _of(line, scope) and line["at"] >= since]
    looks = [line for line in own if line["kind"] == "lookup"]
    shadows = [line for line in own if line["kind"] == "shadow"]
    served = [line for line in looks if line["outcome"] == "hit"]
    return Figures(
        questions=len(looks),
        audited=len(audits),
        wrong=audits.count(False),
        days=(now - parse_time(since)).total_seconds() / 86400 if since else 0.0,
        expired_serves=sum(line["served_at"] >= line.get("valid_until", "") for line in served),
        mismatches_served=sum(line["reason"] not in ("exact", "semantic") for line in served),
        shadowed=len(shadows),
        false_hits=sum(not line["agrees"] for line in shadows),
    )


def _of(line: Mapping[str, Any], scope: tuple[str, str, str]) -> bool:
    return (line.get("tenant"), line.get("domain"), line.get("locale")) == scope


def gates(phase: int, found: Figures) -> list[Gate]:
    """The conditions for leaving a phase; none for the last one."""
    rows: dict[int, tuple[tuple[str, float, float, bool], ...]] = {
        0: (("questions", found.questions, QUESTIONS, True),),
        1: (("audited", found.audited, AUDITED, True), ("wrong", found.wrong, 0, False)),
        2: (
            ("days", found.days, DAYS, True),
            ("expired_serves", found.expired_serves, 0, False),
            ("mismatches_served", found.mismatches_served, 0, False),
            ("shadowed", found.shadowed, SHADOWED, True),
            ("false_hits", found.false_hits, 0, False),
        ),
        3: (("false_hits", found.false_hits, 0, False), ("expired_serves", found.expired_serves, 0, False)),
    }
    return [
        Gate(phase=phase, name=name, found=value, needed=needed, at_least=at_least)
        for name, value, needed, at_least in rows.get(phase, ())
    ]
