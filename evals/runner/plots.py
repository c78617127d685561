"""How does a suite look? One drawing each, without a display, the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from evals.runner.run import Finished
from rqa_graph.errors import MissingExtraError

__all__ = ["plot"]

_INCHES: Final = (7.2, 3.6)
_MOST_NAMES: Final = 20
_INCHES_A_NAME: Final = 0.3
_BETWEEN: Final = 0.16
"""Of two arms in a row."""


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
        _draw(one.summary, figure)
    file = f"{name or one.suite.name}.svg"
    # Without a salt every drawing has other ids; letters as text, not as outlines, are a third of the bytes.
    with mpl.rc_context({"svg.hashsalt": "rqa", "svg.fonttype": "none"}):
        figure.savefig(folder / file, format="svg", metadata={"Date": None})
    return file


def _draw(summary: Mapping[str, Any], figure: Any) -> None:
    """Every arm over all cases, with its intervals: shares in one panel, means of other sizes in another."""
    cells = [cell for cell in summary["cells"] if not cell["tags"]]
    found = {name: one for cell in cells for name, one in cell["figures"].items() if _middle(one) is not None}
    kinds = {"share": [name for name in found if "of" in found[name]], "mean": [n for n in found if "mean" in found[n]]}
    panels = {label: names[:_MOST_NAMES] for label, names in kinds.items() if names}
    if not panels:
        return
    width, height = _INCHES
    figure.set_size_inches(width, max(height, _INCHES_A_NAME * max(map(len, panels.values()))))
    for axes, (label, names) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        for place, cell in enumerate(cells):
            known = [(at, cell["figures"][name]) for at, name in enumerate(names) if name in cell["figures"]]
            middles = [_middle(one) or 0.0 for _, one in known]
            ends = [
                [abs(one["interval"][end] - middle) for middle, (_, one) in zip(middles, known, strict=True)]
                for end in (0, 1)
            ]
            rows = [at + _BETWEEN * place for at, _ in known]
            axes.errorbar(middles, rows, xerr=ends, fmt="o", markersize=4, capsize=2, label=cell["arm"])
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set_ylim(len(names) - 1 + _BETWEEN * (len(cells) + 1), -2 * _BETWEEN)
        axes.set_xlabel(label)
        axes.set_xlim(0, 1.02 if label == "share" else None)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8, frameon=False)


def _middle(found: Mapping[str, Any]) -> float | None:
    if "of" in found:
        return found["hits"] / found["of"] if found["of"] else None
    return found.get("mean")
