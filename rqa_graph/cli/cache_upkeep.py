"""`rqa cache flag`, `withdraw`, `revalidate` and `report`: what keeps the library true, and what says whether it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rqa_graph.cli.common import Common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_graph.cache_report import CacheReport
    from rqa_graph.services import AppServices
    from rqa_graph.settings import Settings

__all__ = ["Entry", "flag", "opened", "report", "revalidate", "withdraw"]

Entry = Annotated[str, typer.Argument(metavar="ENTRY", help="The id of an entry.")]


@contextmanager
def opened(common: Common) -> Iterator[tuple[AppServices, Settings]]:
    """The services of the home, given back at the end."""
    from rqa_graph.cli.session import load_settings
    from rqa_graph.services import open_services

    settings = load_settings(common)
    services = open_services(settings, lang=common.ui_lang)
    try:
        yield services, settings
    finally:
        services.close()


def flag(
    common: Common,
    entry: Entry,
    *,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="What is wrong with it.")] = "",
) -> int:
    """Say that an answer is wrong: it is not served from now on, and a person looks at it.

    Example: rqa cache flag 2f0d7a5e-93c1-5a0a-9a55-0e6a5b1f7c11 --note "The port has changed."
    """
    with opened(common) as (services, _settings):
        scope = services.scope("", "")
        item = services.flag(entry, tenant=scope.tenant, by=scope.user, note=note)
    fields = {"entry": entry, "item": item}
    common.output("cache.flag").result(fields, lambda out: out.text(say("cache.flagged", out.lang, **fields)))
    return ExitCode.ok


def withdraw(
    common: Common,
    entry: Entry,
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it stands in the ledger.")],
) -> int:
    """End an answer for good. It stays in the ledger as a tombstone, and a later look-up says that it was withdrawn.

    Example: rqa cache withdraw 2f0d7a5e-93c1-5a0a-9a55-0e6a5b1f7c11 --reason "The source was retracted."
    """
    with opened(common) as (services, _settings):
        scope = services.scope("", "")
        found = services.answer_library.store.withdraw(entry, tenant=scope.tenant, reason=reason, by=scope.user)
    fields = {"entry": found.id, "status": found.status.value}
    common.output("cache.withdraw").result(fields, lambda out: out.text(say("cache.withdrawn", out.lang, **fields)))
    return ExitCode.ok


def revalidate(
    common: Common,
    *,
    budget: Annotated[int, typer.Option("--budget", metavar="N", min=0, max=1000, help="Deliberations at most.")] = 20,
) -> int:
    """Finish what was cut off, and look again at answers whose source changed, whose policy did, or which expire.

    Example: rqa cache revalidate --budget 5
    """
    from rqa_graph.cache_figures import read_figures
    from rqa_graph.telemetry import TELEMETRY_FILE
    from rqa_graph.upkeep import finish_interrupted, hits_of
    from rqa_graph.upkeep import revalidate as renew

    with opened(common) as (services, settings):
        scope = services.scope("", "")
        finished = finish_interrupted(services, tenant=scope.tenant)
        hits = hits_of(read_figures(settings.home / TELEMETRY_FILE))
        rows = list(renew(services, tenant=scope.tenant, hits=hits, budget=budget, by=scope.user))
    fields = {
        "finished": finished,
        "renewed": [
            {name: getattr(row, name) for name in ("entry", "question", "why", "outcome", "item")} for row in rows
        ],
    }

    def render(out: Output) -> None:
        out.text(say("cache.revalidated", out.lang, finished=len(finished), looked=len(rows)))
        if rows:
            columns = [say(f"cache.due.{name}", out.lang) for name in ("question", "why", "outcome", "item")]
            out.table(columns, [[row.question, row.why, row.outcome, row.item] for row in rows])

    common.output("cache.revalidate").result(fields, render)
    return ExitCode.ok


def report(
    common: Common,
    *,
    check: Annotated[bool, typer.Option("--check", help="End with exit code 4 if a rule fires.")] = False,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="Print the text format of Prometheus.")] = False,
    plot: Annotated[str, typer.Option("--plot", metavar="FOLDER", help="Draw PNG files into it, too.")] = "",
) -> int:
    """Show how the library serves: hits, misses and why, scores, false hits, flags, and the rules that fire.

    Exit code 4: with --check, a rule fires.

    Example: rqa cache report --check
    """
    from rqa_graph.cache_figures import read_figures
    from rqa_graph.cache_material import gather_material
    from rqa_graph.cache_report import compute_report
    from rqa_graph.cache_report import prometheus as exposition
    from rqa_graph.telemetry import TELEMETRY_FILE

    with opened(common) as (services, settings):
        material = gather_material(
            services.answer_library.cache,
            services.memory.queue,
            read_figures(settings.home / TELEMETRY_FILE),
            tenant=services.scope("", "").tenant,
            clock=services.clock,
        )
    found = compute_report(material)
    output = common.output("cache.report")
    plots = [str(file) for file in _plots(found, plot)] if plot else []
    ok = not (check and found.alerts)
    if prometheus:
        output.result({"text": exposition(found)}, lambda out: out.text(exposition(found).rstrip("\n")), ok=ok)
    else:
        output.result({**found.to_dict(), "plots": plots}, lambda out: _render(found, plots, out), ok=ok)
    return ExitCode.ok if ok else ExitCode.check_failed


def _plots(found: CacheReport, folder: str) -> list[Path]:
    from rqa_graph.cache_plots import draw_report

    return draw_report(found, Path(folder))


def _render(found: CacheReport, plots: list[str], out: Output) -> None:
    lang = out.lang
    names = [say(f"cache.figure.{name}", lang) for name in ("figure", "counted")]
    out.table(names, [[say(f"cache.figure.{name}", lang), value] for name, value in _figures(found)])
    for title, counts in (("reasons", found.reasons), ("runs", found.runs), ("scores", found.scores)):
        if counts:
            out.table([say(f"cache.figure.{title}", lang), say("memory.count", lang)], [*map(list, counts.items())])
    for domain, outcomes in found.by_domain.items():
        out.text(f"{domain}: " + ", ".join(f"{name} {count}" for name, count in outcomes.items()))
    for alert in found.alerts:
        subject = f" ({alert.subject})" if alert.subject else ""
        out.text(say("cache.alert", lang, name=f"{alert.name}{subject}", found=alert.found))
    if not found.alerts:
        out.text(say("cache.no_alert", lang))
    for file in plots:
        out.text(say("kpi.plotted", lang, path=file))


def _figures(found: CacheReport) -> Iterator[tuple[str, Any]]:
    bound = "-" if found.false_hit_bound is None else f"{100 * found.false_hit_bound:.2f} %"
    yield "hit_rate", f"{found.hit_rate.count}/{found.hit_rate.of}"
    yield "expired_serves", found.expired_serves
    yield "low_gi_kept", found.low_gi_kept
    yield "unproven", found.unproven
    yield "false_hits", f"{found.false_hits.count}/{found.false_hits.of} (<= {bound})"
    yield "wrong_off", f"{found.wrong_off.count}/{found.wrong_off.of}"
    yield "wrong_on", f"{found.wrong_on.count}/{found.wrong_on.of}"
    yield "audited", f"{found.audited.count}/{found.audited.of}"
    yield "waiting", found.waiting
    for arm in ("on", "off"):
        if found.drift:
            yield (
                f"drift_{arm}",
                f"{found.drift[f'drift_{arm}']} / {found.drift[f'right_{arm}']} ({found.drift['questions']})",
            )
