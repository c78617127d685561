"""Rows of the committed seed, for tests that then break one thing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from training.corpus import Example, read_examples

__all__ = ["PAIRS", "SEED", "changed", "seed"]

SEED = Path(__file__).parents[2] / "training" / "seed.jsonl"
PAIRS = SEED.with_name("seed_pairs.jsonl")


def seed() -> list[Example]:
    """The committed examples."""
    return read_examples(SEED)


def changed(example: Example, change: Callable[[Any], None]) -> Example:
    """The example with its analysis changed."""
    analysis = json.loads(example.assistant)
    change(analysis)
    return replace(example, assistant=json.dumps(analysis, ensure_ascii=False))
