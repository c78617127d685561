"""How does a suite look? One drawing each, without a display, the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evals.runner.run import Finished
from rqa_graph.errors import MissingExtraError

__all__ = ["plot"]

_INCHES: Final = (7.2, 3.6)
_MOST_NAMES: Final = 8


def plot(one: Finished, folder: Path, *, name: str = "") -> str:
    """Draw a suite into `folder`; return the file's name. Raises MissingExtraError without matplotlib."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("reports need the extra `eval`: pip install -e '.[eval]'") from None
    figure = Figure(figsize=_INCHES, layout="constrained")
    if one.plan.plot is not None:
        one.plan.plot(one.rows, figure)
    else:
        _shares(one.summary, figure.add_subplot())
    file = f"{name or one.suite.name}.svg"
    # Without a salt every drawing has other ids; letters as text, not as outlines, are a third of the bytes.
    with mpl.rc_context({"svg.hashsalt": "rqa", "svg.fonttype": "none"}):
        figure.savefig(folder / file, format="svg", metadata={"Date": None})
    return file


def _shares(summary: Mapping[str, Any], axes: Any) -> None:
    """Shares and means of every arm over all cases, with their intervals."""
    cells = [cell for cell in summary["cells"] if not cell["tags"]]
    names = list(dict.fromkeys(name for cell in cells for name, found in cell["figures"].items() if _height(found)))
    names = names[:_MOST_NAMES]
    for place, cell in enumerate(cells):
        found = [(at, cell["figures"][name]) for at, name in enumerate(names) if name in cell["figures"]]
        xs = [at + place / (len(cells) + 1) for at, _ in found]
        ys = [_height(one) or 0.0 for _, one in found]
        ends = [[y - one["interval"][0] for y, (_, one) in zip(ys, found, strict=True)]]
        ends.append([one["interval"][1] - y for y, (_, one) in zip(ys, found, strict=True)])
        bars = [[max(0.0, end) for end in side] for side in ends]
        axes.errorbar(xs, ys, yerr=bars, fmt="o", capsize=3, label=cell["arm"])
    axes.set_xticks(range(len(names)), names, rotation=15, ha="left", fontsize=8)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8, frameon=False)


def _height(found: Mapping[str, Any]) -> float | None:
    if "of" in found:
        return found["hits"] / found["of"] if found["of"] else None
    return found.get("mean")
