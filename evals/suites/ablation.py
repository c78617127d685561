"""Would a wave over neighbours, or positions that move with use, bring back more? Why the product has neither.

The product orders what a question finds by relevance, age and use. Two ideas of gravitational memories go further.
A *wave*: what was found passes half of its force on to its ten nearest neighbours, twice, and an item that it reaches
scores up to 0.025 more. *Moves*: a note that was used moves towards the question that it answered, the more the heavier
it is, pulled back to where its text stands and never further than 0.5 rad from there. Both are put on top of the
product's scorer here, over the notes and questions of the suite `retrieval`.

Moves and masses need a history: the questions of one half (by the digest of their words) are asked, and the notes that
answer them are used; counted are the questions of the other half. A wave needs none and is counted on all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

from evals.markdown import table
from evals.runner.declare import Plan, Suite
from evals.runner.figures import Cells, shown
from evals.runner.setup import Setup
from evals.suite import half, head
from evals.suites.retrieval import (
    CANDIDATES,
    DEPTHS,
    NOW,
    Ranker,
    Ranking,
    Searched,
    candidates,
    collections,
    plan,
)
from rqa_checkpoints.gravity import Candidate, score
from rqa_checkpoints.index.base import Found, Scored
from rqa_checkpoints.mass import MAX_MASS, UNUSED
from rqa_checkpoints.provenance import MemoryNode

__all__ = ["MOST_RADIANS", "SUITE", "arms", "gain", "moved", "wave"]

_SEEDS: Final = 8
_NEIGHBOURS: Final = 10
_DEPTH: Final = 2
_PASSED_ON: Final = 0.5
_REACHED: Final = 128
_WAVE_SHARE: Final = 0.05
_PULL: Final = 0.02
_STEP: Final = 0.5
"""Of the way to the question, at most, that one use moves a note: large on purpose, so that an effect would show."""
MOST_RADIANS: Final = 0.5
_CONFIRMED: Final = 0.5
"""Mass that a person's use of an unused note adds (`mass.WEIGHTS`)."""


def wave(seeds: Mapping[int, float], vectors: np.ndarray) -> dict[int, float]:
    """Force of everything that a wave reaches, by place: each once, by the strongest way to it.

    Args:
        seeds: force, 0 to 1, of what the question found.
        vectors: (notes, dimension), of length 1.
    """
    forces = dict(seeds)
    frontier = dict(seeds)
    for _ in range(_DEPTH):
        reached: dict[int, float] = {}
        for parent in sorted(frontier, key=lambda place: (-frontier[place], place)):
            cosines = vectors @ vectors[parent]
            nearest = np.argsort(-cosines, kind="stable")[: _NEIGHBOURS + 1]
            for child in (int(place) for place in nearest if place != parent):
                force = frontier[parent] * _PASSED_ON * max(float(cosines[child]), 0.0)
                if force > forces.get(child, 0.0):
                    forces[child] = reached[child] = force
        frontier = reached
    strongest = sorted(forces, key=lambda place: (-forces[place], place))[:_REACHED]
    return {place: forces[place] for place in strongest}


def gain(mass: float) -> float:
    """How far a use moves a note: nothing for an unused one, less and less for a heavy one."""
    return (mass - 1) / (mass + 2) / (1 + mass / 10)


def moved(place: np.ndarray, *, anchor: np.ndarray, towards: np.ndarray, mass: float) -> np.ndarray:
    """Where a note stands after a use, on the unit sphere and at most 0.5 rad from where its text stands."""
    kicked = place + _STEP * gain(mass) * (towards - place) - _PULL * (place - anchor)
    there: np.ndarray = kicked / np.linalg.norm(kicked)
    along = float(np.clip(there @ anchor, -1.0, 1.0))
    if np.arccos(along) <= MOST_RADIANS:
        return there
    aside = there - along * anchor
    aside /= np.linalg.norm(aside)
    capped: np.ndarray = np.cos(MOST_RADIANS) * anchor + np.sin(MOST_RADIANS) * aside
    return capped


@dataclass(slots=True)
class _Used:
    """A collection after the questions of one half."""

    nodes: dict[str, MemoryNode]
    places: np.ndarray


def _fresh(searched: Searched) -> dict[str, MemoryNode]:
    """The notes as nobody used them, all of one age."""
    at = NOW.isoformat()
    return {name: replace(node, mass=UNUSED, last_used="", recorded_at=at) for name, node in searched.nodes.items()}


def _lived(searched: Searched) -> _Used:
    places, nodes = searched.vectors.copy(), _fresh(searched)
    order = {name: place for place, name in enumerate(searched.collection.notes)}
    for question in searched.collection.questions:
        if half(question.text) == "report":
            continue
        towards = np.array(searched.asked(question.text).vector)
        for name in sorted(question.evidence & order.keys()):
            place, mass = order[name], nodes[name].mass
            mass = min(MAX_MASS, mass + _CONFIRMED * (1 - mass / MAX_MASS))
            nodes[name] = replace(nodes[name], mass=mass, last_used=NOW.isoformat())
            places[place] = moved(places[place], anchor=searched.vectors[place], towards=towards, mass=mass)
    return _Used(nodes, places)


def _ranked(known: Sequence[Candidate], added: Mapping[str, float] | None = None) -> Ranking:
    more = added or {}
    scored = [(score(one, now=NOW).score + more.get(one.node.id, 0.0), one.node.id) for one in known]
    return [name for _, name in sorted(scored, key=lambda row: (-row[0], row[1]))]


def _with_wave(searched: Searched, text: str) -> Ranking:
    known = candidates(text, searched.found(text), _fresh(searched))
    order = {name: place for place, name in enumerate(searched.collection.notes)}
    seeds = {order[one.node.id]: one.relevance for one in known[:_SEEDS]}
    names = list(searched.collection.notes)
    forces = {names[place]: force for place, force in wave(seeds, searched.vectors).items()}
    return _ranked(known, {name: _WAVE_SHARE * force / (1 + force) for name, force in forces.items()})


def _as_moved(searched: Searched, text: str, places: np.ndarray) -> Found:
    """What both sides find where the notes stand now."""
    asked = searched.asked(text)
    cosines = places @ np.array(asked.vector)
    names = list(searched.collection.notes)
    nearest = np.argsort(-cosines, kind="stable")[:CANDIDATES]
    return replace(asked.found, dense=tuple(Scored(names[place], float(cosines[place])) for place in nearest))


_PRODUCT: Final = "product"
_WAVE: Final = "product + wave"
_AFTER: Final = "product, after use"
_MOVES: Final = "product + moves, after use"


def arms() -> dict[str, Ranker]:
    """The product and what is put on top of it, fresh and after use."""
    lived = cache(_lived)

    def after(searched: Searched, text: str) -> Ranking:
        return _ranked(candidates(text, searched.found(text), lived(searched).nodes))

    def after_moves(searched: Searched, text: str) -> Ranking:
        used = lived(searched)
        return _ranked(candidates(text, _as_moved(searched, text, used.places), used.nodes))

    return {
        _PRODUCT: lambda searched, text: _ranked(candidates(text, searched.found(text), _fresh(searched))),
        _WAVE: _with_wave,
        _AFTER: after,
        _MOVES: after_moves,
    }


def _open(setup: Setup) -> Plan:
    return plan(collections(setup), setup.encoder, setup.stack, arms=arms(), product=_PRODUCT)


_CAPTIONS: Final = {"ours": "Our notes and questions in Japanese", "locomo": "LoCoMo"}


def _readme(found: Mapping[str, Any], _others: Mapping[str, Any]) -> str:
    """Mean recall with and without each idea, on the questions where it can be counted."""
    cells = Cells(found["result"])
    parts = [f"{head(found)}: evidence recall; mean, 95 % interval (bootstrap)."]
    names = [f"recall@{depth}" for depth in DEPTHS]
    for name, caption in _CAPTIONS.items():
        for pair, tags in (((_PRODUCT, _WAVE), {}), ((_AFTER, _MOVES), {"half": "report"})):
            if not cells.figure(_PRODUCT, names[0], set=name, **tags):
                continue
            count = cells.figure(_PRODUCT, names[0], set=name, **tags)["n"]
            rows = [[arm, *(shown(cells.figure(arm, one, set=name, **tags)) for one in names)] for arm in pair]
            parts.append(table(f"{caption}, {count} questions:", ["", *names], rows))
    return "\n\n".join(parts)


SUITE: Final = Suite(
    name="ablation",
    about="What a wave over neighbours, and positions that move with use, would add to recall (--data).",
    open=_open,
    readme=_readme,
)
