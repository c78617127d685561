"""The router's suite counts what it says, on the labelled pairs that are committed, and those hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.suite import RESULTS
from evals.suites.router import SUITE, Item, length_rule, load, plan, shipped


def _cells(items: list[Item]) -> Cells:
    found = plan(items, shipped())
    return Cells(summarise(found, run_plan("router", found)))


def _item(pair: str, lang: str, text: str, level: int, mode: str) -> Item:
    return Item(id=f"{lang}-{pair}", pair=pair, lang=lang, form="f", text=text, level=level, mode=mode)


def test_items_come_in_pairs_of_one_label_and_a_pair_is_in_one_half() -> None:
    items = load()
    pairs: dict[str, list[Item]] = {}
    for item in items:
        pairs.setdefault(item.pair, []).append(item)
    assert len(pairs) >= 170
    for pair in pairs.values():
        assert [item.lang for item in pair] == ["en", "ja"]
        assert len({(item.level, item.mode, item.form, item.half) for item in pair}) == 1
    assert len({item.text for item in items}) == len(items)
    assert {item.level for item in items} == {0, 1, 2, 3}


@pytest.fixture(scope="module")
def cells() -> Cells:
    return _cells(load())


@pytest.mark.parametrize("half", ["tune", "report"])
def test_the_labelled_pairs_hold(cells: Cells, half: str) -> None:
    for lang in ("English", "Japanese"):
        exact = cells.figure("router", f"exact, {lang}", half=half)
        assert exact["hits"] >= 0.95 * exact["of"]
    for name in ("within one level", "one decision in both"):
        found = cells.figure("router", name, half=half)
        assert found["hits"] == found["of"]
    assert cells.figure("router", "light input at level 3", half=half)["hits"] == 0


def test_a_decision_is_cheap_beside_the_baselines(cells: Cells) -> None:
    ours, bare = (cells.value(arm, "microseconds, median") for arm in ("router", "length only"))
    assert 0 < bare < ours < 200 * bare


def test_each_count_is_what_its_name_says() -> None:
    cells = _cells(
        [
            _item("a", "en", "hello", 0, "fixed"),
            _item("a", "ja", "こんにちは", 0, "fixed"),
            _item("b", "en", "Review notes/plan.md", 1, "direct"),
            _item("b", "ja", "お茶が好きです", 3, "instrument"),
        ]
    )
    assert [cells.counts("router", f"exact, {lang}") for lang in ("English", "Japanese")] == ["1/2", "1/2"]
    assert cells.counts("router", "within one level") == "2/4"
    assert cells.counts("router", "light input at level 3") == "1/4"
    assert cells.counts("router", "one decision in both") == "1/2"


def test_the_length_baseline_takes_the_cuts_that_suit_best() -> None:
    texts = [("x" * 3, 0), ("x" * 20, 1), ("x" * 70, 2), ("x" * 300, 3)]
    rule = length_rule([_item(str(level), "en", text, level, "direct") for text, level in texts])
    assert [rule(text).level for text, _ in texts] == [0, 1, 2, 3]


def test_the_table_shows_first_contacts_the_halves_and_the_baselines() -> None:
    found = json.loads((RESULTS / "router.json").read_text("utf-8"))
    row = {"what": "batch 1", "of": 5, "en": {"exact": 4, "within_one": 5, "light_at_3": 0}, "same": 2}
    blind: Any = {"result": {"rows": [{**row, "ja": {"exact": 1, "within_one": 4, "light_at_3": 2}}]}}
    assert SUITE.readme is not None
    lines = SUITE.readme(found, {"router_blind": blind}).splitlines()
    assert "| first contact: batch 1 | 4/5 | 1/5 | 9/10 | 2 | 2/5 |" in lines
    assert sum(line.startswith(("| tuning half, now |", "| report half, now |", "| baseline: ")) for line in lines) == 4
