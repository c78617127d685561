"""`rqa memory recall`: what is near a text, why does each item stand where it does, and what was held back?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.inputs import read_message

__all__ = ["recall"]

_MODES: Final = ("detail", "list", "dormant")


def recall(
    common: Common,
    query: Annotated[str, typer.Argument(metavar="TEXT|-", help="What it is about.")],
    *,
    top_k: Annotated[int, typer.Option("--top-k", metavar="N", min=1, max=100, help="At most so many.")] = 8,
    source: Annotated[
        list[str] | None, typer.Option("--source", metavar="CLASS", help="Only this class; may be repeated.")
    ] = None,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind; may be repeated.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option("--tag", metavar="TAG", help="Only items with it, near or not; may be repeated.")
    ] = None,
    persona: Annotated[
        list[str] | None,
        typer.Option("--persona", metavar="HANDLE", help="What is related to it counts a little; may be repeated."),
    ] = None,
    as_of: Annotated[
        str, typer.Option("--as-of", metavar="DATE", help="Only what was recorded until then: 2026-03-01.")
    ] = "",
    mode: Annotated[
        str,
        typer.Option("--mode", metavar="|".join(_MODES), help="Whole texts, lines, or a sample of old items."),
    ] = "",
    train: Annotated[
        bool, typer.Option("--train", help="Say that you use what comes back: it gains mass. Else nothing changes.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each score as a sum, and what held the strongest others back.")
    ] = False,
    no_breakdown: Annotated[bool, typer.Option("--no-breakdown", help="Leave out what scores are made of.")] = False,
    no_route: Annotated[
        bool, typer.Option("--no-route", help="Do not look for open tasks, values and the like.")
    ] = False,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Of the sample; default: the day.")] = None,
) -> int:
    """Find what is near a text, and see why.

    Recall changes nothing, unless you say --train.

    Example: rqa memory recall "bees in August" --explain
    """
    from rqa_checkpoints.provenance import Kind, SourceClass
    from rqa_graph.cli.items import answers_to
    from rqa_graph.cli.recall_view import show_dormant, show_recall
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, dormant_fields, recall_fields

    words = read_message(query)
    output = common.output("memory.recall")
    _one_of("--mode", [mode] if mode else [], _MODES)
    chosen: dict[str, Any] = {
        "sources": frozenset(map(SourceClass, _one_of("--source", source or [], [*SourceClass]))) or None,
        "kinds": frozenset(map(Kind, _one_of("--kind", kind or [], [*Kind]))) or None,
        "tags": frozenset(tag or []) or None,
        "as_of": _moment(as_of),
    }
    with open_memory(common, needs="home" if train else "index") as session:
        memory, scope = session.memory, session.scope
        if mode == "dormant":
            sample = memory.dormant(scope=scope, limit=top_k, seed=seed)
            answers = answers_to(memory, sample.items, scope)
            output.result(dormant_fields(sample), lambda out: show_dormant(out, sample, answers))
            return ExitCode.ok
        found = memory.recall(
            words,
            scope=scope,
            top_k=top_k,
            persona=[bare(handle) for handle in persona or []],
            actor=SourceClass.user if train else None,
            explain=explain,
            breakdown=False if no_breakdown else None,
            auto_route=False if no_route else None,
            brief={"list": True, "detail": False}.get(mode),
            **chosen,
        )
        applied = memory.use([i.node.id for i in found.items], scope=scope, actor=SourceClass.user) if train else None
        answers = answers_to(memory, [item.node for item in found.items], scope)
    delta, beside = applied or found.training_delta, session.beside
    output.result(
        recall_fields(found, delta),
        lambda out: show_recall(out, found=found, delta=delta, explain=explain, beside=beside, answers=answers),
    )
    return ExitCode.ok


def _one_of(option: str, given: Sequence[str], choices: Collection[str]) -> Sequence[str]:
    for value in given:
        if value not in choices:
            raise UsageFaultError("option.choice", option=option, value=value, choices=", ".join(choices))
    return given


def _moment(given: str) -> datetime | None:
    """A day counts to its end; a time without a zone is UTC."""
    if not given:
        return None
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        raise UsageFaultError("recall.no_date", value=given) from None
    if len(given) <= len("2026-03-01"):
        moment = moment.replace(hour=23, minute=59, second=59)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
