"""`rqa kpi`: what do the figures of past turns add up to?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, MissingFileError
from rqa_graph.kpi import REFERENCE_LAYER_BITS, REFERENCE_STANCE_BITS, Kpis, Share, compute
from rqa_graph.messages import say
from rqa_graph.telemetry import TELEMETRY_FILE, read_telemetry

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("kpi")(with_common(kpi))


def kpi(
    common: Common,
    *,
    plot: Annotated[str, typer.Option("--plot", metavar="FOLDER", help="Draw PNG files into it, too.")] = "",
) -> int:
    """Show the figures of past turns: depth, time, diversity, removals.

    Example: rqa kpi --plot figures
    """
    path = common.home_path / TELEMETRY_FILE
    found = compute(read_telemetry(path))
    output = common.output("kpi")
    plots = _draw(found, Path(plot), output.lang) if plot else []
    fields = {"telemetry": str(path), **_fields(found), "plots": [str(file) for file in plots]}
    output.result(fields, lambda out: _render(found, path, plots, out))
    return ExitCode.ok


def _draw(found: Kpis, folder: Path, lang: str) -> list[Path]:
    from rqa_graph.kpi_plots import draw

    try:
        return draw(found, folder, lang=lang)
    except OSError as error:
        raise MissingFileError("file.unreadable", path=str(folder), reason=error.strerror or error) from error


def _fields(found: Kpis) -> dict[str, Any]:
    values = asdict(found)
    for name in values:
        share = getattr(found, name)
        if isinstance(share, Share):
            values[name]["value"] = share.value
    return values


def _render(found: Kpis, path: Path, plots: list[Path], out: Output) -> None:
    out.text(say("kpi.title", out.lang, turns=found.turns, rounds=found.rounds, path=path))
    if not found.turns:
        out.text(say("kpi.none", out.lang))
        return
    columns = [say(f"kpi.{name}", out.lang) for name in ("figure", "value", "counted")]
    out.table(columns, [[say(f"kpi.{name}", out.lang), value, counted] for name, value, counted in _rows(found)])
    _table_of(found.side_questions, "kpi.side_questions", out)
    for file in plots:
        out.text(say("kpi.plotted", out.lang, path=file))


def _rows(found: Kpis) -> Iterator[tuple[str, str, str]]:
    lift, spread, cited = found.selector_lift, found.diversity, found.references
    yield "selector_lift", "-" if lift.mean is None else f"{lift.mean:+.1f} / 40", str(lift.of)
    yield "graph_leverage", *_share(found.graph_leverage)
    yield "layer_bits", f"{spread.layer_bits:.3f} ({REFERENCE_LAYER_BITS})", str(spread.of)
    yield "stance_bits", f"{spread.stance_bits:.3f} ({REFERENCE_STANCE_BITS})", str(spread.of)
    yield "non_escalation", *_share(found.non_escalation)
    yield "degradation", *_share(found.degradation)
    yield "boundary_violation", *_share(found.boundary_violation)
    yield "fabricated", f"{cited.fabricated_before} -> {cited.fabricated_after}", str(cited.of)
    for level, took in found.latency.items():
        yield f"latency_{level}", f"{took.median:.2f} s / {took.p95:.2f} s", str(took.of)


def _share(share: Share) -> tuple[str, str]:
    value = "-" if share.value is None else f"{100 * share.value:.1f} %"
    return value, f"{share.count}/{share.of}"


def _table_of(counts: Mapping[str, int], title: str, out: Output) -> None:
    if counts:
        rows = [[name, count] for name, count in counts.items()]
        out.table([say(title, out.lang), say("memory.count", out.lang)], rows)
