"""The guard suite scores by what is shown, and its baselines really are what they are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.intervals import wilson
from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.suite import RESULTS
from evals.suites.guard import GROUPS, SUITE, cases, load, plan

_CLAIMS: dict[str, list[dict[str, Any]]] = {
    "en": [
        {
            "id": "e1",
            "form": "unknown",
            "reply": "It rains [m:zzzzz9].",
            "memory": [],
            "expect": {"gone": ["zzzzz9"], "kept": ["It rains"]},
        },
        {
            "id": "e2",
            "form": "history",
            "reply": "As we discussed, it rains.",
            "expect": {"gone": ["As we discussed"], "kept": ["rains"]},
        },
    ],
    "ja": [
        {
            "id": "j1",
            "form": "history",
            "reply": "以前お話しした通り、雨です。",
            "expect": {"gone": ["以前お話しした通り"], "kept": ["雨です"]},
        }
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for lang, rows in _CLAIMS.items():
        lines = [json.dumps({**row, "lang": lang}, ensure_ascii=False) for row in rows]
        (tmp_path / f"claims.{lang}.jsonl").write_text("\n".join(lines), "utf-8")
    plain = {"id": "p1", "lang": "en", "form": "year", "text": "It rained in 2019."}
    (tmp_path / "plain.en.jsonl").write_text(json.dumps(plain), "utf-8")
    return tmp_path


def test_arms_are_scored_on_the_same_items(folder: Path) -> None:
    found = plan(cases("development", folder))
    cells = Cells(summarise(found, run_plan("guard", found)))

    def right(lang: str, form: str, arm: str = "verifier") -> int:
        return int(cells.figure(arm, "right", part="development", lang=lang, form=form)["hits"])

    assert right("en", "unknown") == right("en", "history") == right("ja", "history") == right("en", "year") == 1
    assert right("en", "unknown", "structured fields alone") == 0
    assert right("en", "unknown", "bracketed marker check") == 1
    assert right("en", "history", "bracketed marker check") == 0
    assert cells.counts("verifier", "right", part="development", group="plain texts, untouched") == "1/1"


def test_the_held_out_part_lies_apart(folder: Path) -> None:
    (folder / "heldout").mkdir()
    held = {"id": "h1", "lang": "zh", "form": "year", "text": "2019年下过雨。"}
    (folder / "heldout" / "plain.zh.jsonl").write_text(json.dumps(held), "utf-8")
    assert sorted(item.id for item in load(folder)) == ["e1", "e2", "j1", "p1"]
    assert [item.id for item in load(folder, "heldout")] == ["h1"]
    assert [case.private for part in ("development", "heldout") for case in cases(part, folder)] == [False] * 4 + [True]


def test_the_table_has_a_row_a_group_and_the_held_out_part_first() -> None:
    assert SUITE.readme is not None
    lines = SUITE.readme(json.loads((RESULTS / "guard.json").read_text("utf-8")), {}).splitlines()
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines[6 : 6 + len(GROUPS)]] == list(GROUPS)
    assert "held-out" in lines[2]


def test_the_interval_is_wilsons() -> None:
    # 8 of 10 by hand: z2 = 3.8415; middle = (0.8 + 0.19207) / 1.38415 = 0.71674;
    # half = 1.95996 * sqrt(0.016 + 0.0096037) / 1.38415 = 0.22659.
    low, high = wilson(8, 10)
    assert low == pytest.approx(0.4902, abs=2e-4)
    assert high == pytest.approx(0.9433, abs=2e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 5)[0] == 0.0
    assert wilson(5, 5)[1] == 1.0
