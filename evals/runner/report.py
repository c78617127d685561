"""What does a person read of a run? Markdown and HTML with a plot a suite, and one JSON file with all figures.

Judged answers stand in tables of their own, below what was counted by rule.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evals.markdown import table
from evals.runner.declare import Plan
from evals.runner.figures import shown
from evals.runner.plots import plot
from evals.runner.run import Finished

__all__ = ["REPORT", "SUMMARY", "dump", "write_report"]

REPORT: Final = "report.md"
SUMMARY: Final = "summary.json"
_FAILED_SHOWN: Final = 20
_DEEPEST: Final = 3
"""Below this nothing is broken into lines."""
_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.2rem .6rem;text-align:left}"
    "img{max-width:100%}"
)


def write_report(header: Mapping[str, Any], finished: Sequence[Finished], folder: Path) -> Path:
    """Write `report.md`, `report.html`, `summary.json` and a drawing a suite; return the first."""
    drawn = {one.suite.name: plot(one, folder) for one in finished}
    text = "\n\n".join([_head(header), *(_part(one, drawn[one.suite.name]) for one in finished)]) + "\n"
    (folder / REPORT).write_text(text, "utf-8")
    (folder / "report.html").write_text(_html(text), "utf-8")
    summary = {**header, "suites": {one.suite.name: one.summary for one in finished}}
    (folder / SUMMARY).write_text(dump(summary), "utf-8")
    return folder / REPORT


def dump(value: Mapping[str, Any]) -> str:
    """JSON with a cell a line, so that a change of one figure is a change of one line."""
    return "\n".join(_lines(value, 0)) + "\n"


def _lines(value: Any, depth: int) -> Iterator[str]:
    pad = " " * depth
    text = json.dumps(value, ensure_ascii=False)
    if depth >= _DEEPEST or not isinstance(value, dict | list) or not value:
        yield pad + text
        return
    is_map = isinstance(value, dict)
    rows: list[tuple[str, Any]] = list(value.items()) if isinstance(value, dict) else [("", one) for one in value]
    yield pad + ("{" if is_map else "[")
    for place, (name, one) in enumerate(rows):
        inner = list(_lines(one, depth + 1))
        if is_map:
            inner[0] = f"{pad} {json.dumps(name)}: {inner[0].lstrip()}"
        inner[-1] += "," if place < len(rows) - 1 else ""
        yield from inner
    yield pad + ("}" if is_map else "]")


def _head(header: Mapping[str, Any]) -> str:
    run, env = header["run"], header["environment"]
    versions = ", ".join(f"{name} {found}" for name, found in env["versions"].items())
    what = f"suites {', '.join(run['suites'])}; engine {run['engine']}; seed {run['seed']}"
    what += f"; at most {run['limit']} cases a suite" if run["limit"] else ""
    what += f"; judged by {' and '.join(run['judges'])}" if run["judges"] else "; no judge"
    return (
        f"# Evaluation\n\n{what}.\n\nRevision {run['revision']}, {env['machine']}; {versions}.\n\n"
        "Intervals are 95 %: Wilson's for counts, bootstrap for means."
    )


def _part(one: Finished, image: str) -> str:
    plan, summary = one.plan, one.summary
    parts = [f"## {one.suite.name}", one.suite.about, *plan.notes, f"{summary['cases']} cases, {len(one.rows)} rows."]
    names = [*(scorer.name for scorer in plan.scorers), *plan.metrics]
    parts += [_table(plan, summary["cells"], tags, names) for tags in ((), *plan.by[:1])]
    if summary["failed"]:
        parts.append(_failed(summary["failed"]))
    if "judged" in summary:
        parts += _judged(summary)
    elif plan.judged is not None:
        parts.append(f"The judged part was skipped: it takes judges (`--judge`), at least {plan.judges_needed}.")
    return "\n\n".join([*(part for part in parts if part), f"![{one.suite.name}]({image})"])


def _table(plan: Plan, cells: Sequence[Mapping[str, Any]], tags: Sequence[str], names: Sequence[str]) -> str:
    found = [cell for cell in cells if list(cell["tags"]) == list(tags)]
    names = [name for name in names if any(name in cell["figures"] for cell in found)]
    hard = {scorer.name: f"{scorer.name} ({scorer.hard})" for scorer in plan.scorers if scorer.hard}
    columns = [*tags, "arm", *(hard.get(name, name) for name in names)]
    rows = [
        [*cell["tags"].values(), cell["arm"], *(shown(cell["figures"].get(name)) for name in names)] for cell in found
    ]
    return table(f"By {', '.join(tags)}:" if tags else "All cases:", columns, rows) if rows else ""


def _failed(failed: Sequence[Mapping[str, Any]]) -> str:
    rows = [[row["case"], row["arm"], row["scorer"]] for row in failed[:_FAILED_SHOWN]]
    return table(f"Hard scorers that did not hold: {len(failed)}.", ["case", "arm", "scorer"], rows)


def _judged(summary: Mapping[str, Any]) -> Iterator[str]:
    cells = [cell for cell in summary["judged"] if not cell["tags"]]
    names = list(dict.fromkeys(name for cell in cells for name in cell["figures"]))
    rows = [[cell["judge"], cell["arm"], *(shown(cell["figures"].get(name)) for name in names)] for cell in cells]
    caption = "Judged by a model; its answers are opinions, and none of them is in the tables above:"
    yield table(caption, ["judge", "arm", *names], rows)
    if summary["kappa"]:
        agreed = [[" and ".join(row["judges"]), row["question"], row["n"], row["kappa"]] for row in summary["kappa"]]
        yield table("Agreement of two judges (Cohen's kappa):", ["judges", "question", "n", "kappa"], agreed)
    else:
        yield "Agreement of judges was skipped: it takes two (`--judge` twice)."


def _html(text: str) -> str:
    from markdown_it import MarkdownIt

    body = MarkdownIt("js-default").render(text)
    return f'<!doctype html><meta charset="utf-8"><title>Evaluation</title><style>{_STYLE}</style>\n{body}'
