"""`rqa verify`: check any reply, from any assistant, against what was really given to it.

The reply comes on standard input; what the model was given, the transcript and the known ids come as JSONL files. No
model, no memory and no network take part, so it works on the output of other systems too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, cast

import typer
from typer.core import TyperCommand

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.inputs import check_text, read_document, read_message, read_rows
from rqa_graph.cli.output import Output, describe_error, envelope
from rqa_graph.errors import ExitCode, RowError, UsageFaultError
from rqa_graph.messages import say
from rqa_nodes.echo import Injected, Mode, VerdictKind, VerificationReport, verify
from rqa_nodes.language import detect

__all__ = ["register"]

_MEMORY_FIELDS: Final = "handle, source, text, id?, author?, date?"
_TRANSCRIPT_FIELDS: Final = "role, text"
_KNOWN_FIELDS: Final = "handle, id"
_BATCH_FIELDS: Final = "id, reply, memory[], transcript[], known[], user_text, documents[], written, lang"
_MODES: Final = ("strict", "annotate", "report")
_SOURCES: Final = ("user", "assistant", "external", "system")
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
        "memory": _rows(memory, _MEMORY_FIELDS, _injected),
        "transcript": _rows(transcript, _TRANSCRIPT_FIELDS, _line),
        "known": _rows(known, _KNOWN_FIELDS, _known),
        "user_text": check_text(user_text) if user_text else None,
        "documents": [read_document(path).text for path in document or ()],
        "written": True if written == _BARE else [part.strip() for part in written.split(",") if part.strip()],
        "lang": common.lang or None,
    }
    if corpus_row:
        output.row(_corpus_row(given))
        return ExitCode.ok
    report = _verify_row(given, mode=mode)
    output.result(report.to_dict(), lambda out: out.text(report.text.rstrip("\n")))
    if explain and not output.as_json:
        _explain(report, given["reply"], output)
    if not output.as_json:
        output.note(report.one_line(common.lang or detect(report.text)))
    return _code(report)


def _explain(report: VerificationReport, reply: str, output: Output) -> None:
    """What was changed, the words before, and the rule: the report's places refer to the reply as it came in."""
    columns = [say(name, output.lang) for name in ("why.kind", "why.before", "why.action", "why.rule")]
    rows = [
        [verdict.kind.value, reply[verdict.span[0] : verdict.span[1]], verdict.action, verdict.reason]
        for verdict in report.verdicts
        if verdict.action != "kept"
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
        except _FieldError as error:
            raise RowError("row.invalid", line=number, path=path, reason=error, fields=fields) from error
        rows.append(row)
    return rows


def _verify_rows(path: str, output: Output, *, mode: str) -> int:
    """One answer a row, in order; a row that cannot be used is answered with its error, and the rest go on."""
    code = ExitCode.ok
    for number, row in read_rows(path, fields=_BATCH_FIELDS):
        key = {"id": row.get("id", number)}
        try:
            report = _verify_row(row, mode=mode)
        except _FieldError as error:
            bad = RowError("row.invalid", line=number, path=path, reason=error, fields=_BATCH_FIELDS)
            output.row({"schema": "rqa.verify/1", "ok": False, "error": describe_error(bad, output.lang), **key})
            code = ExitCode.usage
        else:
            output.row(envelope("verify", key | report.to_dict()))
            code = code or _code(report)
    return code


class _FieldError(ValueError):
    """A field of a row has the wrong type or value."""


def _verify_row(row: Mapping[str, Any], *, mode: str) -> VerificationReport:
    """Check the row as a whole before the verifier sees any of it."""
    written = row.get("written", ())
    return verify(
        _text(row, "reply"),
        injected=[_injected(item) for item in _list(row, "memory")],
        transcript=[_line(item) for item in _list(row, "transcript")],
        written=written if isinstance(written, bool) else [str(item) for item in _list(row, "written")],
        known=[_known(item) for item in _list(row, "known")],
        user_text=_text(row, "user_text") if row.get("user_text") is not None else None,
        documents=[item if isinstance(item, str) else _text(item, "text") for item in _list(row, "documents")],
        lang=_text(row, "lang") if row.get("lang") is not None else None,
        mode=cast("Mode", mode),
    )


def _injected(item: Mapping[str, Any]) -> Injected:
    source = _text(item, "source")
    if source not in _SOURCES:
        raise _FieldError(f"source is {source!r}, not one of {', '.join(_SOURCES)}")
    optional = {name: _text(item, name, "") for name in ("id", "author", "date", "locator")}
    return Injected(handle=_text(item, "handle"), source=source, text=_text(item, "text"), **optional)


def _line(item: Mapping[str, Any]) -> tuple[str, str]:
    return _text(item, "role"), _text(item, "text")


def _known(item: Any) -> str | tuple[str, str]:
    return item if isinstance(item, str) else (_text(item, "handle"), _text(item, "id", ""))


def _text(row: Mapping[str, Any], name: str, default: str | None = None) -> str:
    if not isinstance(row, Mapping):
        raise _FieldError(f"{row!r} is no object")
    value = row.get(name, default)
    if not isinstance(value, str):
        raise _FieldError(f"{name} is {value!r}, not a text")
    return value


def _list(row: Mapping[str, Any], name: str) -> Sequence[Any]:
    value = row.get(name) or ()
    if not isinstance(value, list | tuple):
        raise _FieldError(f"{name} is {value!r}, not a list")
    return value


def _code(report: VerificationReport) -> ExitCode:
    """Report and annotate mode remove nothing, and still say by their exit code that something was found."""
    wrong = any(verdict.kind is not VerdictKind.valid for verdict in report.verdicts)
    return ExitCode.removed if wrong else ExitCode.ok
