"""How do the figures of the library look? PNG files by matplotlib, which the extra `plots` brings."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rqa_graph.cache_report import CacheReport
from rqa_graph.errors import MissingExtraError

__all__ = ["draw_report"]

_SIZE_INCHES: Final = (6.4, 3.6)
_DPI: Final = 150
_COLOURS: Final = {
    "exact": "#5b4bd6",
    "semantic": "#bfb6fc",
    "context": "#f2c14e",
    "miss": "#c9c9c9",
    "bypass": "#8a8a8a",
}


def draw_report(found: CacheReport, folder: Path) -> list[Path]:
    """Draw look-ups by domain, reasons and scores into `folder`; files of the same name are replaced.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("`--plot` needs the extra `plots`: pip install 'rqa-graph[plots]'") from None
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, title in (
        ("domains", "Look-ups"),
        ("reasons", "Not served, why"),
        ("scores", "Scores (thousandths, from)"),
    ):
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(title)
        if name == "domains":
            names = [*found.by_domain]
            below = [0] * len(names)
            for outcome, colour in _COLOURS.items():
                values = [found.by_domain[domain].get(outcome, 0) for domain in names]
                axes.bar(names, values, bottom=below, color=colour, label=outcome)
                below = [low + value for low, value in zip(below, values, strict=True)]
            axes.legend()
        else:
            counts = found.reasons if name == "reasons" else found.scores
            axes.barh([*counts][::-1], [*counts.values()][::-1], color="#5b4bd6")
        files.append(folder / f"cache_{name}.png")
        figure.savefig(files[-1], dpi=_DPI)
    return files
