"""The labelled questions: precision by aspect, over all rows and on the half that no rule was written with."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.suite import DATASETS, RESULTS, read_rows
from evals.suites.aspects import SUITE, plan
from rqa_checkpoints.aspects import Aspect, AspectRouter, aspect_router

LEAST_PRECISION = 0.95
ROWS = read_rows(DATASETS / "aspects.jsonl")


def _cells(rows: list[dict[str, Any]], router: AspectRouter) -> Cells:
    found = plan(rows, router)
    return Cells(summarise(found, run_plan("aspects", found)))


@pytest.fixture(scope="module")
def cells() -> Cells:
    return _cells(ROWS, aspect_router())


def _share(cells: Cells, name: str, **tags: str) -> float:
    found = cells.figure("rules", f"{name}, of routed", **tags)
    return float(found["hits"] / found["of"])


def test_a_hint_is_right_for_every_aspect(cells: Cells) -> None:
    for name in Aspect:
        assert cells.figure("rules", f"{name.value}, of routed")["of"] >= 5, name
        assert _share(cells, name.value) >= LEAST_PRECISION, name
    assert _share(cells, "all", half="report") >= LEAST_PRECISION


def test_the_set_has_what_it_promises() -> None:
    by_aspect = Counter(row["aspect"] for row in ROWS)
    assert len(ROWS) >= 200
    assert {row["lang"] for row in ROWS} == {"en", "ja"}
    assert set(by_aspect) == {None, *(name.value for name in Aspect)}
    assert len({row["id"] for row in ROWS}) == len(ROWS)


def test_the_table_of_the_committed_result_is_what_the_rules_do_now(cells: Cells) -> None:
    kept = Cells(json.loads((RESULTS / "aspects.json").read_text("utf-8"))["result"])
    for name in (*map(str, Aspect), "topic", "all"):
        for of in ("of routed", "of wanted"):
            assert kept.counts("rules", f"{name}, {of}") == cells.counts("rules", f"{name}, {of}")
    assert SUITE.readme is not None


def test_shares_are_counted() -> None:
    rule = {"id": "r", "aspect": "values", "pattern": "values"}
    table: dict[str, Any] = {"words": {}, "topic": ["code"], "told": ["^said"], "aside": ["^not .*,"], "rules": [rule]}
    texts = [
        ("values", "values"),
        ("other values", None),
        ("what I hold", "values"),
        ("values in code", None),
        ("not values, x", None),
    ]
    rows: list[dict[str, Any]] = [
        {"id": str(place), "lang": "en", "text": text, "aspect": aspect} for place, (text, aspect) in enumerate(texts)
    ]
    found = _cells(rows, AspectRouter.from_mapping(table))
    # Two are routed to values, one of them rightly; two should be.
    assert found.counts("rules", "values, of routed") == found.counts("rules", "values, of wanted") == "1/2"
    assert found.counts("rules", "all, of routed") == "1/2"
