"""How do the figures of past turns look?

Draws PNG files with matplotlib, which the extra `plots` brings; nothing else of the program needs it. Figures are drawn
without a display. Titles are Japanese only where the machine has a font with Japanese letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from rqa_graph.errors import MissingExtraError
from rqa_graph.kpi import REFERENCE_LAYER_BITS, REFERENCE_STANCE_BITS, Kpis
from rqa_graph.messages import say

__all__ = ["draw"]

_SIZE_INCHES: Final = (6.4, 3.6)
_DPI: Final = 150
_UPRIGHT_NAMES: Final = 5
"""More names than this along an axis are turned, so that they do not overlap."""
_JAPANESE_FONTS: Final = (
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "IPAexGothic",
    "IPAGothic",
    "TakaoGothic",
    "Hiragino Sans",
    "Yu Gothic",
    "Meiryo",
)
"""Those that systems with Japanese bring."""


def draw(found: Kpis, folder: Path, *, lang: str = "en") -> list[Path]:
    """Draw the figures into `folder`, which is made if it is not there; files of the same name are replaced.

    Args:
        found: What was computed.
        folder: Where to.
        lang: Language of the titles.

    Returns:
        The files: levels.png, latency.png, diversity.png, outcomes.png.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
        from matplotlib.font_manager import fontManager
    except ImportError:
        raise MissingExtraError("`--plot` needs the extra `plots`: pip install 'rqa-graph[plots]'") from None
    installed = {font.name for font in fontManager.ttflist}
    family = next((name for name in _JAPANESE_FONTS if name in installed), "") if lang == "ja" else ""
    lang = lang if family or lang != "ja" else "en"
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, paint in _PAINTERS.items():
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
        axes = figure.add_subplot()
        paint(found, axes)
        axes.set_title(say(f"kpi.plot_{name}", lang), fontfamily=family or None)
        files.append(folder / f"{name}.png")
        figure.savefig(files[-1], dpi=_DPI)
    return files


def _levels(found: Kpis, axes: Any) -> None:
    _bars(axes, {str(level): took.of for level, took in found.latency.items()})


def _latency(found: Kpis, axes: Any) -> None:
    names = [str(level) for level in found.latency]
    axes.bar(names, [took.p95 for took in found.latency.values()], color="#bfb6fc", label="p95, s")
    axes.bar(names, [took.median for took in found.latency.values()], color="#5b4bd6", width=0.5, label="median, s")
    axes.legend()


def _diversity(found: Kpis, axes: Any) -> None:
    spread = found.diversity
    _bars(axes, {**spread.layers, **spread.stances})
    measured = f"{spread.layer_bits:.2f} / {spread.stance_bits:.2f} bit"
    axes.set_xlabel(f"{measured} ({REFERENCE_LAYER_BITS} / {REFERENCE_STANCE_BITS})")


def _outcomes(found: Kpis, axes: Any) -> None:
    axes.barh([*found.side_questions][::-1], [*found.side_questions.values()][::-1], color="#5b4bd6")


def _bars(axes: Any, counts: Mapping[str, int]) -> None:
    bars = axes.bar([*counts], [*counts.values()], color="#5b4bd6")
    axes.bar_label(bars)
    axes.margins(y=0.1)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.tick_params(axis="x", labelrotation=20 if len(counts) > _UPRIGHT_NAMES else 0)


_PAINTERS: Final[Mapping[str, Callable[[Kpis, Any], None]]] = {
    "levels": _levels,
    "latency": _latency,
    "diversity": _diversity,
    "outcomes": _outcomes,
}
"""File name without ending, and who draws it."""
