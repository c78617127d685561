"""Where does each item of a question graph stand in a picture of it?

What hangs together is laid out by forces of its own and set down in rows, the largest group first, so that groups do
not run into each other; what is tied to nothing stands in a grid below. The same graph gives the same picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, sqrt
from typing import Any, Final

import networkx as nx

__all__ = ["Place", "Spread", "spread"]

_STEP: Final = 130.0
"""Units between neighbours: room for a mark and some words."""
_SEED: Final = 7
_WIDEST: Final = 7
"""Steps in a row of the picture."""


@dataclass(frozen=True, slots=True)
class Place:
    """A point, in units of the picture."""

    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A picture: its size, and where each item stands."""

    width: float
    height: float
    places: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class _Group:
    side: float
    places: Mapping[str, Place]


def spread(nodes: Sequence[str], edges: Iterable[tuple[str, str]]) -> Spread:
    """Lay a graph out.

    Args:
        nodes: Ids; their order decides between equals. At most a few hundred: the time grows with the square.
        edges: Pairs of ids; one with an end that is not among the nodes is left out.
    """
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((src, dst) for src, dst in edges if src in graph and dst in graph)
    order = {name: number for number, name in enumerate(nodes)}
    parts: list[list[str]] = [sorted(part, key=order.__getitem__) for part in nx.connected_components(graph)]
    tied = sorted((part for part in parts if len(part) > 1), key=lambda part: (-len(part), order[part[0]]))
    loose = sorted(chain.from_iterable(part for part in parts if len(part) == 1), key=order.__getitem__)
    groups = [_group(graph.subgraph(part), part) for part in tied]
    return _below(_rows(groups), _rows([_Group(_STEP, {name: Place(_STEP / 2, _STEP / 2)}) for name in loose]))


def _group(graph: nx.Graph[str], part: Sequence[str]) -> _Group:
    """One connected part in a square of its own, with half a step around it."""
    ordered: nx.Graph[str] = nx.Graph()
    ordered.add_nodes_from(part)
    ordered.add_edges_from(sorted(graph.edges))
    found: Mapping[str, Any] = nx.spring_layout(ordered, seed=_SEED, k=1.6 / sqrt(len(part)), iterations=80)
    inner = _STEP * ceil(sqrt(len(part)))
    lows = [min(float(at[axis]) for at in found.values()) for axis in (0, 1)]
    highs = [max(float(at[axis]) for at in found.values()) for axis in (0, 1)]
    scales = [inner / (high - low) if high - low > 1e-9 else 0.0 for low, high in zip(lows, highs, strict=True)]

    def at(name: str) -> Place:
        x, y = (
            _STEP / 2 + (float(found[name][axis]) - lows[axis]) * scales[axis]
            if scales[axis]
            else _STEP / 2 + inner / 2
            for axis in (0, 1)
        )
        return Place(round(x, 1), round(y, 1))

    return _Group(inner + _STEP, {name: at(name) for name in part})


def _below(upper: Spread, lower: Spread) -> Spread:
    """Two pictures as one."""
    moved = {name: Place(at.x, at.y + upper.height) for name, at in lower.places.items()}
    return Spread(
        width=max(upper.width, lower.width), height=upper.height + lower.height, places={**upper.places, **moved}
    )


def _rows(groups: Sequence[_Group]) -> Spread:
    """Set the groups down from left to right, and begin a new row where the widest is reached."""
    limit = max([_STEP * _WIDEST, *(group.side for group in groups)])
    places: dict[str, Place] = {}
    left = top = row = width = 0.0
    for group in groups:
        if left and left + group.side > limit:
            left, top, row = 0.0, top + row, 0.0
        places |= {name: Place(at.x + left, at.y + top) for name, at in group.places.items()}
        left, row = left + group.side, max(row, group.side)
        width = max(width, left)
    return Spread(width=width, height=top + row, places=places)
