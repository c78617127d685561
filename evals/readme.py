"""Which tables come from the committed result files?

Every figure in `docs/measurements.md` and in the README is rendered from `evals/results/*.json` by `python -m docsgen`,
and a test fails if they say anything else.

Run: python -m evals.readme
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from evals.blind import ON_FRAMES, OURS
from evals.blind_table import blind_table
from evals.markdown import table
from evals.runner.command import shipped_suites
from evals.suite import RESULTS

__all__ = ["main", "tables"]

_FIGURES: Final = ("median", "p99")
_SMALL: Final = "_smollm2"
"""Ends the names of results of the small model."""
_MEASURED: Final = (
    "guard",
    "locomo_speakers",
    "probes_smollm2",
    "echo",
    "ladder",
    "memsyco",
    "retrieval",
    "ablation",
    "gravity",
    "aspects",
    "cache",
    "router",
    "questions_smollm2",
    "questions",
    OURS,
    ON_FRAMES,
    "latency",
    "latency_smollm2",
)
"""Results in the order of the README."""


def tables(folder: Path = RESULTS) -> str:
    """Markdown of the suites and, after them, of the benches, each with what repeats it."""
    found = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    suites = {row["result"]["suite"]: row for row in found if "suite" in row.get("result", {})}
    known = shipped_suites()

    def of_suite(name: str) -> str:
        if name in (OURS, ON_FRAMES):
            return blind_table(suites[name])
        show = known[name.removesuffix(_SMALL)].readme
        assert show is not None
        return show(suites[name], suites)

    measured = [of_suite(name) for name in _MEASURED if name in suites]
    timed = [_bench_table(row) for row in found if "bench" in row.get("result", {})]
    grown = [_growth(row["result"]) for row in found if row.get("result", {}).get("bench") == "verify"]
    return "\n\n".join([*measured, *timed, *grown])


def _growth(result: Mapping[str, Any]) -> str:
    """How the verifier's time grows up to the largest text, and what texts made to cost take at that size."""
    results, size = result["results"], result["largest"]
    made = results["pathological"]
    worst = max(made, key=lambda name: made[name])
    head = (
        f"Verifier, growth up to {size} bytes (fit in log-log); of {len(made)} texts of that size that were made to "
        f"cost, the slowest ({worst}) took {made[worst]:.0f} ms."
    )
    rows = [
        [name.replace("_", " "), f"{row['ms'][-1]:.1f}", f"{row['exponent']:.3f}", f"{row['r2']:.4f}"]
        for name, row in results["growth"].items()
    ]
    return table(head, ["", "ms at the largest", "exponent", "r2"], rows)


def _bench_table(found: Mapping[str, Any]) -> str:
    result = found["result"]
    unit = result.get("unit", "")
    counts = ", ".join(f"{name} {value}" for name, value in _counts(result))
    head = f"`{found['command']}` at {found['revision']} ({found['machine']}): {counts}."
    rows = [[label, _figure(row["median"]), _figure(row["p99"])] for label, row in _rows(result)]
    return table(head, ["", f"median, {unit}", f"p99, {unit}"], rows)


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.2f}"


def _counts(result: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    hidden = ("bench", "unit")
    for name, value in result.items():
        if name not in hidden and isinstance(value, int | float | str) and not isinstance(value, bool):
            yield name, value


def _rows(value: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, part in value.items():
        if not isinstance(part, Mapping):
            continue
        here = (*path, str(name).replace("_", " "))
        if all(figure in part for figure in _FIGURES):
            yield ", ".join(here[1:] or here), part
        else:
            yield from _rows(part, here)


def main() -> None:
    """Print the tables."""
    print(tables())


if __name__ == "__main__":
    main()
