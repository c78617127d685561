"""What lies beside the straight answer?

A recall gives the nearest; this draws from what is near enough, so that another item comes up than the one that always
does. The draw is seeded by the question and a number, so that it can be had again; items that a relation joins to the
nearest ones are in the pot too. Looking changes nothing.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rqa_checkpoints.provenance import MemoryNode

__all__ = ["Exploration", "draw", "seed_of"]

_LEAST: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """What was drawn, and how to draw it again."""

    items: tuple[MemoryNode, ...]
    seed: int
    diversity: float
    pool: int
    """How many there were to draw from."""


def seed_of(query: str, seed: int) -> int:
    """The number that starts the draw: another question with the same seed is another draw."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{query}".encode("utf-8", "surrogatepass")).digest()[:8])


def draw(pool: Sequence[MemoryNode], *, limit: int, diversity: float, seed: int) -> list[MemoryNode]:
    """Draw without replacement, each item weighted by its rank.

    Args:
        pool: Nearest first.
        limit: At most so many.
        diversity: 0 keeps the order; 1 draws with weights 1/rank (Gumbel-top-k: Kool et al., 2019).
        seed: Starts the draw.

    Returns:
        The items in the order in which they were drawn.
    """
    noise = random.Random(seed)  # noqa: S311  # no secret
    keys = [
        -math.log(rank) - diversity * math.log(-math.log(max(noise.random(), _LEAST)))
        for rank in range(1, len(pool) + 1)
    ]
    order = sorted(range(len(pool)), key=lambda at: (-keys[at], at))
    return [pool[at] for at in order[:limit]]
