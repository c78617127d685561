"""A sentence with slots is said only where every slot has a phrase of its kind."""

from __future__ import annotations

import pytest

from rqa_nodes.structure.template import Template

STATEMENT, OTHER = "the plan works", "the roof holds"
NOUN, OTHER_NOUN = "the old pump", "a new pump"


@pytest.mark.parametrize(
    ("source", "slots", "expected"),
    [
        ("Is “{c}” so?", {"c": STATEMENT}, f"Is “{STATEMENT}” so?"),
        ("Is “{c}” so?", {"c": NOUN}, ""),
        ("Is “{c}” so?", {}, ""),
        ("Who needs “{a:noun}”?", {"a": NOUN}, f"Who needs “{NOUN}”?"),
        ("Who needs “{a:noun}”?", {"a": STATEMENT}, ""),
        ("Why “{a:noun|clause}”?", {"a": STATEMENT}, f"Why “{STATEMENT}”?"),
        ("“{q}” in “{c}”?", {"q": "never", "c": STATEMENT}, f"“never” in “{STATEMENT}”?"),
        ("You write “{c:any}”.", {"c": "is his problem"}, "You write “is his problem”."),
        ("“{a:alike}” or “{b:alike}”?", {"a": NOUN, "b": OTHER_NOUN}, f"“{NOUN}” or “{OTHER_NOUN}”?"),
        (
            "“{a:alike}” or “{b:alike}”?",
            {"a": STATEMENT, "b": OTHER},
            f"“{STATEMENT}” or “{OTHER}”?",
        ),
        ("“{a:alike}” or “{b:alike}”?", {"a": NOUN, "b": STATEMENT}, ""),
        ("“{a:alike}” or “{b:alike}”?", {"a": "than the one", "b": "than the other"}, ""),
        ("「{a:alike}」か「{b:alike}」か？", {"a": "営業時間", "b": "明らかに食パンを目当てに来ている"}, ""),
        ("", {"c": STATEMENT}, ""),
    ],
)
def test_a_slot_takes_a_phrase_of_its_kind_only(source: str, slots: dict[str, str], expected: str) -> None:
    assert Template(source).fill(slots) == expected


def test_a_slot_that_stands_twice_has_to_suit_both_places() -> None:
    assert Template("“{a:noun}” and “{a:noun|clause}”").kinds == {"a": frozenset({"noun"})}
