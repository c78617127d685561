"""Which documents does a path hold, and what comes of them? Behind `rqa import` of a file or folder.

A folder that is only to be cited stays where it is (`rqa folder`); what is imported is copied into the memory, and is
recalled, exported and erased like everything else there.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rqa_graph.cli.bars import tracked
from rqa_graph.cli.common import Common
from rqa_graph.cli.output import Output
from rqa_graph.errors import EmptyInputError, ExitCode
from rqa_graph.inputs import read_document
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_checkpoints.importing import DocumentText

__all__ = ["import_path"]


def import_path(common: Common, path: str, *, dry_run: bool) -> int:
    """Take a file, or the documents of a folder, over; files of a folder that cannot be read are named and left out."""
    from rqa_checkpoints.passages import cut_passages
    from rqa_graph.cli.session import open_memory

    output = common.output("import")
    documents, skipped = _documents(path, output)
    if not documents:
        raise EmptyInputError("import.no_document", path=path)
    if dry_run:
        counts = Counter({"external": sum(len(cut_passages(document.text)) for document in documents)})
    else:
        with open_memory(common) as session:
            taken = tracked(documents, output, say("import.running", output.lang))
            counts = session.memory.import_documents(taken, scope=session.scope)

    def render(out: Any) -> None:
        out.text(say("import.documents_dry" if dry_run else "import.documents", out.lang, files=len(documents)))
        columns = [say("memory.source", out.lang), say("memory.count", out.lang)]
        out.table(columns, [[say(f"import.{key}", out.lang), n] for key, n in sorted(counts.items()) if n])
        for reason in skipped:
            out.note(say("import.skipped", out.lang, reason=reason))

    fields = {"format": "document", "rows": len(documents), "dry_run": dry_run, "counts": dict(counts)}
    output.result({**fields, "skipped": skipped}, render)
    return ExitCode.ok


def _documents(path: str, output: Output) -> tuple[list[DocumentText], list[str]]:
    """What can be read, and why the rest cannot, in words."""
    from rqa_checkpoints.importing import DocumentText
    from rqa_graph.folders import folder_files, readable_text

    if not Path(path).is_dir():
        return [DocumentText(locator=path, text=read_document(path).text)], []
    documents: list[DocumentText] = []
    skipped: list[str] = []
    lang = output.lang
    for name, content in tracked(folder_files(Path(path), lang), output, say("import.reading", lang)):
        if isinstance(content, str):
            skipped.append(content)
            continue
        try:
            text = readable_text(content, name, lang)
        except ValueError as error:
            skipped.append(str(error))
        else:
            documents.append(DocumentText(locator=str(Path(path, name)), text=text))
    return documents, skipped
