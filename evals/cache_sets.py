"""Which labelled pairs and texts does the suite of the cache read, and which half is kept aside?

Half of them, by the hash of their ids, lies in `datasets/heldout/`: those who write rules do not look at it, they see
its counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from evals.suite import DATASETS, read_rows

__all__ = ["LANGS", "PARTS", "Pair", "Part", "Text", "pairs", "texts"]

Part = Literal["development", "heldout"]
PARTS: Final[tuple[Part, ...]] = ("development", "heldout")
LANGS: Final = ("en", "ja")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two questions, and whether one answer serves both."""

    id: str
    lang: str
    kind: str
    a: str
    b: str
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text, and whether it is one person's."""

    id: str
    lang: str
    text: str
    personal: bool
    kind: str


def pairs(part: Part, folder: Path = DATASETS) -> list[Pair]:
    """The pairs of a part, English first."""
    return [Pair(**row) for lang in LANGS for row in read_rows(_place(part, folder) / f"traps.{lang}.jsonl")]


def texts(part: Part, folder: Path = DATASETS) -> Sequence[Text]:
    """The texts of a part, English first."""
    return [Text(**row) for lang in LANGS for row in read_rows(_place(part, folder) / f"personal.{lang}.jsonl")]


def _place(part: Part, folder: Path) -> Path:
    return folder if part == "development" else folder / "heldout"
