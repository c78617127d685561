"""What has a person said that nobody has come back to?

A sample of items that were not used for a while and weigh little, drawn with a seed, so that the same question gives
the same answer. It comes with the cut and with how many items there were to draw from, so that an empty answer explains
itself. Looking is not use: nothing here changes anything.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import quantiles
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from rqa_checkpoints import queries, tables
from rqa_checkpoints.mass import faded, moment
from rqa_checkpoints.provenance import Kind, MemoryNode, Scope

__all__ = ["IDLE_DAYS", "Dormant", "Weighed", "dormant", "draw", "mass_cut"]

IDLE_DAYS: Final = 7
"""Days without use from which an item may be dormant."""
_TENTHS: Final = 10
_ASIDE: Final = frozenset({Kind.question.value, Kind.document.value})
"""A question and a passage of a document are not what a person would miss."""


class Weighed(NamedTuple):
    """What decides whether an item is dormant."""

    id: str
    mass: float
    last_touched: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Dormant:
    """A sample, and what it was drawn from."""

    items: tuple[MemoryNode, ...]
    cut: float
    """Items of a mass up to this one are light: the 10th percentile of all."""
    population: int
    """Visible items that were looked at."""
    eligible: int
    """Of these, light and not used for so long."""
    idle_days: int
    seed: int


def mass_cut(masses: Sequence[float]) -> float:
    """The 10th percentile, interpolated between neighbours; of one item its mass, of none 1."""
    if len(masses) < 2:
        return masses[0] if masses else 1.0
    return quantiles(masses, n=_TENTHS, method="inclusive")[0]


def draw(weighed: Sequence[Weighed], *, now: datetime, idle_days: int, seed: int, limit: int) -> tuple[list[str], int]:
    """Ids of a sample without replacement, and how many there were to draw from. Pure."""
    cut = mass_cut([one.mass for one in weighed])
    since = now - timedelta(days=idle_days)
    light = sorted(one.id for one in weighed if one.mass <= cut and one.last_touched <= since)
    return random.Random(seed).sample(light, min(max(limit, 0), len(light))), len(light)  # noqa: S311  # no secret


def dormant(
    view: Connection, scope: Scope, *, now: datetime, idle_days: int = IDLE_DAYS, seed: int, limit: int
) -> Dormant:
    """Draw from what a person's memory holds; texts are read of the drawn items alone."""
    node = tables.node.c
    query = select(node.id, node.mass, node.last_used, node.recorded_at)
    rows = view.execute(
        query.where(queries.owned(tables.node, scope), node.hidden.is_(False), node.kind.not_in(_ASIDE))
    )
    weighed = [
        Weighed(row.id, faded(row.mass, used_at=row.last_used, now=now), moment(row.last_used or row.recorded_at))
        for row in rows
    ]
    ids, eligible = draw(weighed, now=now, idle_days=idle_days, seed=seed, limit=limit)
    found = queries.nodes_by_id(view, ids, scope)
    return Dormant(
        items=tuple(found[item] for item in ids),
        cut=mass_cut([one.mass for one in weighed]),
        population=len(weighed),
        eligible=eligible,
        idle_days=idle_days,
        seed=seed,
    )
