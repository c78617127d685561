"""The labelled questions: precision by aspect, over all rows and on the half that no rule was written with."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from evals.aspects import counted, measure
from evals.suite import DATASETS, RESULTS, read_rows
from rqa_checkpoints.aspects import Aspect, AspectRouter

LEAST_PRECISION = 0.95


def test_a_hint_is_right_for_every_aspect() -> None:
    found = measure()
    for name in Aspect:
        cell = found["all"]["aspects"][name.value]
        assert cell["routed"] >= 5, name
        assert cell["precision"] >= LEAST_PRECISION, (name, cell)
    assert found["halves"]["report"]["all"]["precision"] >= LEAST_PRECISION


def test_the_set_has_what_it_promises() -> None:
    rows = read_rows(DATASETS / "aspects.jsonl")
    by_aspect = Counter(row["aspect"] for row in rows)
    assert len(rows) >= 200
    assert {row["lang"] for row in rows} == {"en", "ja"}
    assert set(by_aspect) == {None, *(name.value for name in Aspect)}
    assert len({row["id"] for row in rows}) == len(rows)


def test_the_committed_result_is_what_the_rules_do_now(tmp_path: Path) -> None:
    kept = json.loads((RESULTS / "aspects.json").read_text("utf-8"))["result"]
    assert {name: kept[name] for name in ("all", "halves", "languages")} == measure()


def test_shares_are_counted() -> None:
    rule = {"id": "r", "aspect": "values", "pattern": "values"}
    table: dict[str, Any] = {"words": {}, "topic": ["code"], "told": ["^said"], "aside": ["^not .*,"], "rules": [rule]}
    rows: list[dict[str, Any]] = [
        {"text": "values", "aspect": "values"},
        {"text": "other values", "aspect": None},
        {"text": "what I hold", "aspect": "values"},
        {"text": "values in code", "aspect": None},
        {"text": "not values, x", "aspect": None},
    ]
    found = counted(rows, AspectRouter.from_mapping(table))["aspects"]
    assert {name: found["values"][name] for name in ("routed", "right", "wanted", "precision", "recall")} == {
        "routed": 2,
        "right": 1,
        "wanted": 2,
        "precision": 0.5,
        "recall": 0.5,
    }
