"""The labelled sets are well formed: shape, counts, unique ids, and the half that the id decides.

The held-out half is read here for its shape alone; no test shows its words.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pytest

from evals.suite import DATASETS, half, read_rows

Row = dict[str, Any]


class Halves(NamedTuple):
    """The rows that rules may be written with an eye on, and those that only a report counts."""

    tune: list[Row]
    held: list[Row]

    @property
    def rows(self) -> list[Row]:
        return [*self.tune, *self.held]


def _halves(name: str) -> Halves:
    return Halves(read_rows(DATASETS / name), read_rows(DATASETS / "heldout" / name))


def _well_formed(halves: Halves, lang: str, fields: dict[str, type]) -> None:
    for row in halves.rows:
        assert {name: type(value) for name, value in row.items()} == fields
        assert row["lang"] == lang
        assert all(value.strip() for value in row.values() if isinstance(value, str))
    assert len({row["id"] for row in halves.rows}) == len(halves.rows)
    assert {half(row["id"]) for row in halves.tune} == {"tune"}
    assert {half(row["id"]) for row in halves.held} == {"report"}


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_pairs_of_questions_are_paraphrases_or_traps_and_no_question_comes_twice(lang: str) -> None:
    halves = _halves(f"traps.{lang}.jsonl")
    _well_formed(halves, lang, {"id": str, "lang": str, "kind": str, "a": str, "b": str, "same": bool})
    questions = Counter(row[side] for row in halves.rows for side in ("a", "b"))
    assert set(questions.values()) == {1}
    same, traps = ([row for row in halves.rows if row["same"] is label] for label in (True, False))
    assert len(halves.rows) >= 220
    assert 0.40 <= len(same) / len(halves.rows) <= 0.50
    assert not {row["kind"] for row in same} & {row["kind"] for row in traps}
    assert {row["kind"] for row in halves.tune} == {row["kind"] for row in halves.held}
    assert min(Counter(row["kind"] for row in traps).values()) >= 5
