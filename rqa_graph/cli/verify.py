"""`rqa verify`: check any reply, from any assistant, against what was really given to it.

The reply comes on standard input; what the model was given, the transcript and the known ids come as JSONL files. No
model, no memory and no network take part, so it works on the output of other systems too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.output import Output, envelope
from rqa_graph.error_description import describe_error
from rqa_graph.errors import ExitCode, RowError, UsageFaultError
from rqa_graph.inputs import check_text, read_document, read_message, read_rows
from rqa_graph.messages import say
from rqa_graph.reply_rows import FieldError, read_item, read_known, read_line, verify_row
from rqa_graph.verdict_reasons import reason_in
from rqa_nodes.echo import VerdictKind, VerificationReport
from rqa_nodes.language import detect

__all__ = ["register"]

_MEMORY_FIELDS: Final = "handle, source, text, id?, author?, date?"
_TRANSCRIPT_FIELDS: Final = "role, text"
_KNOWN_FIELDS: Final = "handle, id"
_BATCH_FIELDS: Final = "id, reply, memory[], transcript[], known[], user_text, documents[], written, lang"
_MODES: Final = ("strict", "annotate", "report")
_BARE: Final = "*"
"""Stands for `--written` without ids: something was written, whatever its id."""


class _BareWritten(TyperCommand):
    """Lets `--written` stand alone, which the option parser has no word for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        filled: list[str] = []
        for arg, following in zip(args, [*args[1:], "-"], strict=False):
            filled.append(arg)
            if arg == "--written" and following.startswith("-"):
                filled.append(_BARE)
        return super().parse_args(ctx, filled)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify", cls=_BareWritten)(with_common(verify_reply))


def verify_reply(
    common: Common,
    *,
    memory: Annotated[str, typer.Option("--memory", metavar="FILE", help=f"JSONL of {_MEMORY_FIELDS}.")] = "",
    transcript: Annotated[str, typer.Option("--transcript", metavar="FILE", help="JSONL of role, text.")] = "",
    known: Annotated[str, typer.Option("--known", metavar="FILE", help="JSONL of handle, id: not given now.")] = "",
    written: Annotated[str, typer.Option("--written", metavar="[IDS]", help="Ids written now; bare: some.")] = "",
    user_text: Annotated[str, typer.Option("--user-text", metavar="TEXT", help="The message answered.")] = "",
    document: Annotated[list[str] | None, typer.Option("--document", metavar="FILE", help="A document given.")] = None,
    mode: Annotated[str, typer.Option("--mode", metavar="|".join(_MODES), help="What happens to the text.")] = "strict",
    batch: Annotated[str, typer.Option("--batch", metavar="FILE.jsonl", help=f"Rows of {_BATCH_FIELDS}.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Show each change with the words before it.")] = False,
    corpus_row: Annotated[
        bool, typer.Option("--corpus-row", help="Print the reply as a row of evals/datasets/plain: a false strip.")
    ] = False,
) -> int:
    """Check a reply against what its model was given.

    The reply is read from standard input.

    Exit code 3: something was removed or rewritten, or, in modes report and annotate, would have been.

    Example: echo "As we agreed, ship it [m:zzzzzz]." | rqa verify --memory memory.jsonl
    """
    output = common.output("verify")
    if mode not in _MODES:
        raise UsageFaultError("option.choice", option="--mode", value=mode, choices=", ".join(_MODES))
    if batch:
        return _verify_rows(batch, output, mode=mode)
    given: dict[str, Any] = {
        "reply": read_message("-"),
        "memory": _rows(memory, _MEMORY_FIELDS, read_item),
        "transcript": _rows(transcript, _TRANSCRIPT_FIELDS, read_line),
        "known": _rows(known, _KNOWN_FIELDS, read_known),
        "user_text": check_text(user_text) if user_text else None,
        "documents": [read_document(path).text for path in document or ()],
        "written": True if written == _BARE else [part.strip() for part in written.split(",") if part.strip()],
        "lang": common.lang or None,
    }
    if corpus_row:
        output.row(_corpus_row(given))
        return ExitCode.ok
    report = verify_row(given, mode=mode)
    output.result(report.to_dict(), lambda out: out.text(report.text.rstrip("\n")))
    if explain and not output.as_json:
        _explain(report, given["reply"], output)
    if not output.as_json:
        output.note(report.one_line(common.lang or detect(report.text)))
    return _code(report)


def _explain(report: VerificationReport, reply: str, output: Output) -> None:
    """What was found, the words before, and the rule: the report's places refer to the reply as it came in."""
    columns = [say(name, output.lang) for name in ("why.kind", "why.before", "why.action", "why.rule")]
    lang = output.lang
    rows = [
        [
            verdict.kind.value,
            reply[verdict.span[0] : verdict.span[1]],
            say(f"action.{verdict.action}", lang),
            reason_in(verdict.reason, lang),
        ]
        for verdict in report.verdicts
        if verdict.kind is not VerdictKind.valid
    ]
    if rows:
        output.table(columns, rows)
    else:
        output.text(say("why.nothing_changed", output.lang))


def _corpus_row(given: Mapping[str, Any]) -> dict[str, Any]:
    """The reply as one that must not be touched, with what it was checked against."""
    text = given["reply"].rstrip("\n")
    row = {"id": f"reported-{hashlib.sha256(text.encode()).hexdigest()[:12]}", "lang": given["lang"] or detect(text)}
    kept = {name: given[name] for name in ("memory", "transcript", "user_text", "documents") if given[name]}
    return {**row, "form": "reported", "text": text, **kept}


def _rows(path: str, fields: str, check: Callable[[Any], object]) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    for number, row in read_rows(path, fields=fields) if path else ():
        try:
            check(row)
        except FieldError as error:
            raise RowError("row.invalid", line=number, path=path, reason=error, fields=fields) from error
        rows.append(row)
    return rows


def _verify_rows(path: str, output: Output, *, mode: str) -> int:
    """One answer a row, in order; a row that cannot be used is answered with its error, and the rest go on."""
    code = ExitCode.ok
    for number, row in read_rows(path, fields=_BATCH_FIELDS):
        key = {"id": row.get("id", number)}
        try:
            report = verify_row(row, mode=mode)
        except FieldError as error:
            bad = RowError("row.invalid", line=number, path=path, reason=error, fields=_BATCH_FIELDS)
            output.row({"schema": "rqa.verify/1", "ok": False, "error": describe_error(bad, output.lang), **key})
            code = ExitCode.usage
        else:
            output.row(envelope("verify", key | report.to_dict()))
            code = code or _code(report)
    return code


def _code(report: VerificationReport) -> ExitCode:
    """Report and annotate mode remove nothing, and still say by their exit code that something was found."""
    wrong = any(verdict.kind is not VerdictKind.valid for verdict in report.verdicts)
    return ExitCode.removed if wrong else ExitCode.ok
