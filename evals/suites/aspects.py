"""Does a question for open tasks, values or promises get told from a topic? Precision and recall by aspect.

Rows `{id, lang, text, aspect}` of `datasets/aspects.jsonl`, written by somebody who had not seen the rules; an aspect
of null is a topic. Precision is what counts: a wrong hint is worse than none. The first contact of all rows is kept in
`results/aspects_first_contact.json`; afterwards rules were written with an eye on one half alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from evals.markdown import table
from evals.runner.declare import Arm, Case, Output, Plan, Scorer, Suite
from evals.runner.figures import Cells
from evals.runner.setup import Setup
from evals.suite import DATASETS, half, head, read_rows
from rqa_checkpoints.aspects import Aspect, AspectRouter, aspect_router

__all__ = ["SUITE", "plan"]

_TOPIC: Final = "topic"
_ALL: Final = "all"
_NAMES: Final = (*map(str, Aspect), _TOPIC, _ALL)


def plan(rows: Sequence[Mapping[str, Any]], router: AspectRouter) -> Plan:
    """Every question by the rules; of each aspect how many were routed to it rightly, and how many should have been."""

    def run(case: Case, _seed: int) -> Output:
        found = router.match(case.data["text"])
        return {"aspect": found[0].value if found else _TOPIC}

    return Plan(
        cases=[Case(id=row["id"], data=row, tags={"half": half(row["id"]), "lang": row["lang"]}) for row in rows],
        arms=[Arm(name="rules", run=run)],
        scorers=[
            Scorer(name=f"{name}, {of}", score=_score(name, of)) for name in _NAMES for of in ("of routed", "of wanted")
        ],
        by=[("half",), ("lang",)],
    )


def _score(name: str, of: str) -> Callable[[Case, Output], bool | None]:
    def is_of(aspect: str) -> bool:
        return aspect != _TOPIC if name == _ALL else aspect == name

    def score(case: Case, output: Output) -> bool | None:
        wanted, routed = case.data["aspect"] or _TOPIC, output["aspect"]
        return wanted == routed if is_of(routed if of == "of routed" else wanted) else None

    return score


def _open(_setup: Setup) -> Plan:
    return plan(read_rows(DATASETS / "aspects.jsonl"), aspect_router())


def _readme(found: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """Precision and recall by aspect, over all rows, on the half no rule was written with, and at first contact."""
    cells = Cells(found["result"])
    caption = (
        f"{head(found)}: {found['result']['cases']} questions in English and Japanese, written by somebody who had not "
        "seen the rules; right, of those routed, of those that should be. Half of them were development questions; the "
        "other half was read by nobody who wrote rules."
    )
    columns = ["", "all", "other half"]
    rows = [
        [name.replace("_", " "), *(", ".join(_counts(cells, name, tags)) for tags in ({}, {"half": "report"}))]
        for name in _NAMES
    ]
    if "aspects_first_contact" in others:
        columns.append("first contact, all")
        first = others["aspects_first_contact"]["result"]["all"]
        for row, name in zip(rows, _NAMES, strict=True):
            cell = first["all"] if name == _ALL else first["aspects"][name]
            row.append(f"{cell['right']}/{cell['routed']}, {cell['right']}/{cell['wanted']}")
    return table(caption, columns, rows)


def _counts(cells: Cells, name: str, tags: Mapping[str, str]) -> list[str]:
    return [cells.counts("rules", f"{name}, {of}", **tags) for of in ("of routed", "of wanted")]


SUITE: Final = Suite(
    name="aspects",
    about="Whether a question for tasks, values or promises is told from a topic.",
    open=_open,
    readme=_readme,
)
