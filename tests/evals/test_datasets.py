"""The labelled sets are well formed: shape, counts, unique ids, and the half that the id decides.

The held-out half is read here for its shape alone; no test shows its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Any, NamedTuple

import pytest

from evals.suite import DATASETS, half, read_rows

Row = dict[str, Any]

_ASPECTS = {
    "commitments",
    "values",
    "intentions",
    "relationships",
    "tasks_todo",
    "tasks_doing",
    "tasks_completed",
    "tasks_abandoned",
}
_DIGITS = re.compile(r"\d(?:[ −-]?\d)+")


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
    assert len(halves.rows) >= 300
    assert 0.40 <= len(same) / len(halves.rows) <= 0.50
    assert not {row["kind"] for row in same} & {row["kind"] for row in traps}
    assert {row["kind"] for row in halves.tune} == {row["kind"] for row in halves.held}
    assert min(Counter(row["kind"] for row in traps).values()) >= 5


def _numbers(text: str) -> list[str]:
    """The runs of digits of a text, spaces and hyphens taken out, any width."""
    runs = _DIGITS.findall(unicodedata.normalize("NFKC", text))
    return [re.sub(r"\D", "", run) for run in runs]


def _is_card(number: str) -> bool:
    """13 to 19 digits with a right Luhn digit (ISO/IEC 7812-1, annex B)."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number)))
    return 13 <= len(number) <= 19 and sum(value - 9 * (value > 9) for value in doubled) % 10 == 0


def _is_individual_number(number: str) -> bool:
    """12 digits whose last is right (Japan, ministerial ordinance 85 of 2014, article 5)."""
    if len(number) != 12:
        return False
    weights = (place + 1 if place <= 6 else place - 5 for place in range(1, 12))
    rest = sum(int(digit) * weight for digit, weight in zip(reversed(number[:11]), weights, strict=True)) % 11
    return int(number[11]) == (0 if rest <= 1 else 11 - rest)


def test_the_checks_of_numbers_know_right_from_wrong() -> None:
    # From the right, every second digit twice: 8 * 1 + 7 * 2 + 8 = 30.
    assert _is_card("4111111111111111")
    assert not _is_card("4111111111111112")
    # 1*2+0*3+9*4+8*5+7*6+6*7+5*2+4*3+3*4+2*5+1*6 = 212 = 19*11+3, and 11-3 = 8.
    assert _is_individual_number("123456789018")
    assert not _is_individual_number("123456789012")


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_personal_texts_are_half_and_their_numbers_are_valid(lang: str) -> None:
    halves = _halves(f"personal.{lang}.jsonl")
    _well_formed(halves, lang, {"id": str, "lang": str, "text": str, "personal": bool, "kind": str})
    assert len({row["text"] for row in halves.rows}) == len(halves.rows) >= 160
    personal, public = ([row for row in halves.rows if row["personal"] is label] for label in (True, False))
    assert 0.40 <= len(personal) / len(halves.rows) <= 0.55
    assert not {row["kind"] for row in personal} & {row["kind"] for row in public}
    sure = [{row["kind"] for row in part if not row["kind"].startswith("doubtful_")} for part in halves]
    assert sure[0] == sure[1]
    for row in halves.rows:
        numbers = _numbers(row["text"])
        if not row["kind"].startswith("doubtful_"):
            assert any(map(_is_card, numbers)) == (row["kind"] == "card"), row["id"]
            assert any(map(_is_individual_number, numbers)) == (row["kind"] == "my_number"), row["id"]


def test_queries_to_a_memory_have_one_of_eight_aspects_or_none_in_both_languages() -> None:
    rows = read_rows(DATASETS / "aspects.jsonl")
    assert all(set(row) == {"id", "lang", "text", "aspect"} and row["text"].strip() for row in rows)
    assert len({row["id"] for row in rows}) == len({row["text"] for row in rows}) == len(rows) >= 240
    assert {row["lang"] for row in rows} == {"en", "ja"}
    for lang in ("en", "ja"):
        counts = Counter(row["aspect"] for row in rows if row["lang"] == lang)
        assert counts.pop(None) >= 30
        assert set(counts) == _ASPECTS
        assert min(counts.values()) >= 10
