"""`rqa route`: how deep would this input go? Nothing is answered and nothing is stored.

A batch is answered row by row on standard output. Rows that carry a label (`level`, and `mode` if it matters) are
compared with it, and the counts follow on standard error: whoever changes the rules sees what that does to examples.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.light import open_router
from rqa_graph.cli.output import Output, envelope
from rqa_graph.error_description import describe_error
from rqa_graph.errors import EmptyInputError, ExitCode, InputError, RowError
from rqa_graph.inputs import check_text, read_message, read_rows
from rqa_graph.messages import say
from rqa_nodes.route import Route, Router

__all__ = ["register"]

_FIELDS: Final = "id, text, documents, instrument, lang, level, mode"
_LEVELS: Final = (0, 1, 2, 3)


@dataclass(slots=True, kw_only=True)
class _Agreement:
    """How decisions compare with the labels that rows carried."""

    labelled: int = 0
    exact: int = 0
    within_one: int = 0
    light_at_3: int = 0
    """Labelled 0 or 1, decided 3: depth that nobody asked for."""

    def compare(self, row: Mapping[str, Any], decision: Route) -> dict[str, bool]:
        """Count one row; what is said of it in its answer, nothing if it has no label."""
        level = row.get("level")
        if level is None:
            return {}
        agrees = level == decision.level and row.get("mode") in (None, decision.mode)
        self.labelled += 1
        self.exact += agrees
        self.within_one += abs(level - decision.level) <= 1
        self.light_at_3 += level < 2 and decision.level == 3
        return {"agrees": agrees}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("route")(with_common(route))


def route(
    common: Common,
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="The input; `-` reads standard input.")] = "",
    *,
    instrument: Annotated[bool, typer.Option("--instrument", help="As if the panel was asked for.")] = False,
    batch: Annotated[
        str, typer.Option("--batch", metavar="FILE.jsonl", help=f"Rows of {_FIELDS}; answers JSONL in input order.")
    ] = "",
) -> int:
    """Show how deep an input would go, and which rule says so.

    Example: rqa route "Review ./spec.md"
    """
    router = open_router(common.home_path)
    output = common.output("route")
    if batch:
        return _route_rows(router, batch, output)
    decision = router.route(read_message(text), instrument=instrument, lang=common.lang or None)
    output.result(_fields(decision), lambda out: _render(decision, out))
    return ExitCode.ok


def _route_rows(router: Router, path: str, output: Output) -> int:
    code, agreement = ExitCode.ok, _Agreement()
    for number, row in read_rows(path, fields=_FIELDS):
        key = {"id": row.get("id", number)}
        try:
            decision = _route_row(router, row, line=number, path=path)
        except InputError as error:
            code = ExitCode.usage
            output.row({"schema": "rqa.route/1", "ok": False, "error": describe_error(error, output.lang), **key})
        else:
            output.row(envelope("route", key | _fields(decision) | agreement.compare(row, decision)))
    if agreement.labelled:
        output.note(say("route.agreement", output.lang, **asdict(agreement)))
    return code


def _route_row(router: Router, row: Mapping[str, Any], *, line: int, path: str) -> Route:
    text, lang = row.get("text"), row.get("lang")
    if not isinstance(text, str):
        raise RowError("row.invalid", line=line, path=path, reason=f"text is {text!r}", fields=_FIELDS)
    if row.get("level") is not None and (isinstance(row["level"], bool) or row["level"] not in _LEVELS):
        raise RowError("row.invalid", line=line, path=path, reason=f"level is {row['level']!r}", fields=_FIELDS)
    documents = bool(row.get("documents"))
    try:
        check_text(text)
    except EmptyInputError:
        if not documents:
            raise
    return router.route(
        text,
        has_documents=documents,
        instrument=bool(row.get("instrument")),
        lang=lang if isinstance(lang, str) else None,
    )


def _fields(decision: Route) -> dict[str, Any]:
    return {
        "level": decision.level,
        "mode": decision.mode,
        "reason": decision.reason,
        "budget": decision.budget,
        "side_question": decision.side_question,
        "lang": decision.lang,
    }


def _render(decision: Route, out: Output) -> None:
    out.text(say("route.level", out.lang, level=decision.level, mode=decision.mode, reason=decision.reason))
    if decision.budget:
        why = f" ({decision.budget_reason})" if decision.budget_reason else ""
        out.text(say("route.budget", out.lang, budget=decision.budget + why))
    if decision.side_question:
        out.text(say("route.side_question", out.lang))
    if decision.reply:
        out.text(decision.reply)
