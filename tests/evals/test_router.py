"""The router's suite counts what it says, on the labelled pairs that are committed, and those hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.router import Item, length_arm, load, main, run
from evals.router_table import router_table
from rqa_graph.resources import load_config
from rqa_nodes.route import Router

ROUTER = Router.from_rules(load_config("router"))
RESULTS = Path(__file__).parents[2] / "evals" / "results"


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


def test_the_labelled_pairs_hold() -> None:
    rows = run(load(), ROUTER)["rows"]
    for half in rows.values():
        for lang in ("en", "ja"):
            scores = half["router"][lang]
            assert scores["exact"] >= 0.95 * scores["of"]
            assert scores["within_one"] == scores["of"]
            assert scores["light_at_3"] == 0
        assert half["router"]["same"] == half["router"]["pairs"]


def test_a_decision_costs_less_than_a_fifth_of_a_millisecond() -> None:
    assert run(load()[::7], ROUTER)["microseconds"]["median"] < 200


def test_each_count_is_what_its_name_says() -> None:
    items = [
        _item("a", "en", "hello", 0, "fixed"),
        _item("a", "ja", "こんにちは", 0, "fixed"),
        _item("b", "en", "Review notes/plan.md", 1, "direct"),
        _item("b", "ja", "お茶が好きです", 3, "instrument"),
    ]
    rows = run(items, ROUTER)["rows"]
    whole: dict[str, int] = {}
    for half in rows.values():
        for lang in ("en", "ja"):
            for name, count in half["router"][lang].items():
                whole[f"{lang} {name}"] = whole.get(f"{lang} {name}", 0) + count
    assert (whole["en exact"], whole["en within_one"], whole["en light_at_3"], whole["en of"]) == (1, 1, 1, 2)
    assert (whole["ja exact"], whole["ja within_one"], whole["ja light_at_3"], whole["ja of"]) == (1, 1, 0, 2)
    assert sum(half["router"]["same"] for half in rows.values()) == 1


def test_the_length_baseline_takes_the_cuts_that_suit_best() -> None:
    texts = [("x" * 3, 0), ("x" * 20, 1), ("x" * 70, 2), ("x" * 300, 3)]
    arm = length_arm([_item(str(level), "en", text, level, "direct") for text, level in texts])
    assert [arm(text).level for text, _ in texts] == [0, 1, 2, 3]


def test_the_result_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["suite"] == "router"


def test_the_table_adds_up_halves_and_shows_first_contacts() -> None:
    def scores(exact: int, of: int) -> dict[str, Any]:
        return {"exact": exact, "within_one": of, "light_at_3": 1, "of": of}

    arms = {
        name: {"en": scores(3, 4), "ja": scores(2, 4), "same": 3, "pairs": 4}
        for name in ("router", "length only", "always level 1")
    }
    result = {"pairs": 8, "rows": {"tune": arms, "report": arms}, "microseconds": {"median": 46.2, "p99": 160.9}}
    row = {"what": "batch 1", "of": 5, "en": {"exact": 4, "within_one": 5, "light_at_3": 0}, "same": 2}
    blind = {"result": {"rows": [{**row, "ja": {"exact": 1, "within_one": 4, "light_at_3": 2}}]}}
    lines = router_table({"command": "c", "revision": "r", "result": result}, blind).splitlines()
    assert lines[0].endswith("One decision takes 46 microseconds (median; p99 161).")
    assert "| first contact: batch 1 | 4/5 | 1/5 | 9/10 | 2 | 2/5 |" in lines
    assert "| tuning half, now | 3/4 | 2/4 | 8/8 | 2 | 3/4 |" in lines
    assert "| baseline: length only | 6/8 | 4/8 | 16/16 | 4 | 6/8 |" in lines
