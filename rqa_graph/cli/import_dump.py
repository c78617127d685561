"""`rqa import`: take the memory of another system over, with a class for every text."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.bars import progress_bar, tracked
from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.import_files import import_path
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.inputs import read_dump_text
from rqa_graph.messages import say

__all__ = ["register"]

_DOCUMENT: Final = "document"
_DUMPS: Final = (".json", ".jsonl", ".ndjson")
"""Names of dumps; everything else is taken for documents."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(with_common(import_dump))


def import_dump(
    common: Common,
    path: Annotated[str, typer.Argument(metavar="FILE|DIR", help="A dump (.json, .jsonl), or documents.")],
    *,
    kind: Annotated[str, typer.Option("--format", metavar="NAME", help="Default: by its name and shape.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be taken over.")] = False,
) -> int:
    """Take a dump, a document or a folder of documents over.

    Documents become passages of class external with their place, `notes.md:12`; the same file again replaces what it
    said before. Of a dump, what nobody vouches for becomes the assistant's. A file of `rqa memory export` keeps
    classes, authors, dates, handles and lineage, and becomes yours.

    Example: rqa import mem0_export.json --dry-run
    """
    from rqa_graph.dumps import FORMATS, read_dump

    if kind and kind not in (*FORMATS, _DOCUMENT):
        choices = ", ".join((*FORMATS, _DOCUMENT))
        raise UsageFaultError("option.choice", option="--format", value=kind, choices=choices)
    if kind == _DOCUMENT or (not kind and not path.lower().endswith(_DUMPS)):
        return import_path(common, path, dry_run=dry_run)
    text = read_dump_text(path)
    name, rows = read_dump(text, kind, place=path)
    output = common.output("import")
    if dry_run:
        counts = _planned(rows)
    else:
        counts = _brought_back(text, common, output) if name == "rqa" else _taken_over(rows, common, output, path=path)

    def render(out: Any) -> None:
        done = "import.brought" if name == "rqa" else "import.done"
        out.text(say("import.dry" if dry_run else done, out.lang, total=len(rows), name=name))
        columns = [say("memory.source", out.lang), say("memory.count", out.lang)]
        out.table(columns, [[say(f"import.{key}", out.lang), count] for key, count in sorted(counts.items())])

    output.result({"format": name, "rows": len(rows), "dry_run": dry_run, "counts": dict(counts)}, render)
    return ExitCode.ok


def _class_of(source: str) -> str:
    """System text is no memory (P2), and what nobody vouches for is never the user's."""
    return {"unknown": "assistant", "system": "refused"}.get(source, source)


def _planned(rows: Any) -> Counter[str]:
    from rqa_checkpoints.provenance import has_block_markers

    return Counter("refused" if has_block_markers(row.text) else _class_of(row.source) for row in rows)


def _brought_back(text: str, common: Common, output: Output) -> Counter[str]:
    """The items of an export, with all that it says of them."""
    from rqa_graph.cli.session import open_memory
    from rqa_graph.dumps import parse_dump

    value = parse_dump(text)
    rows = [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, dict)]
    with open_memory(common) as session, progress_bar(output, say("import.running", output.lang)) as report:
        return session.memory.import_export(rows, scope=session.scope, report=report)


def _taken_over(rows: Any, common: Common, output: Output, *, path: str) -> Counter[str]:
    from rqa_checkpoints.errors import RefusedTextError
    from rqa_checkpoints.provenance import SourceClass
    from rqa_graph.cli.session import open_memory

    counts: Counter[str] = Counter()
    with open_memory(common) as session:
        for row in tracked(rows, output, say("import.running", output.lang)):
            name = _class_of(row.source)
            if name == "refused":
                counts[name] += 1
                continue
            try:
                session.memory.add(
                    row.text,
                    scope=session.scope,
                    source=SourceClass(name),
                    author=row.author or (session.scope.user if name == "user" else path),
                    thread=row.thread,
                    locator=f"{path}#{row.id}" if name == "external" else "",
                )
            except RefusedTextError:
                name = "refused"
            counts[name] += 1
    return counts
