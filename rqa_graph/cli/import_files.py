"""Which documents does a path hold, and what comes of them? Behind `rqa import` of a file or folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from rqa_graph.cli.common import Common
from rqa_graph.cli.inputs import read_document
from rqa_graph.cli.output import describe_error
from rqa_graph.errors import EmptyInputError, ExitCode, InputError, MissingExtraError, TooLargeError
from rqa_graph.messages import say

__all__ = ["import_path"]

_SUFFIXES: Final = frozenset({".md", ".markdown", ".txt", ".text", ".rst", ".org", ".pdf"})
"""What is taken from a folder; a file that is named is read whatever its name."""
_MOST_FILES: Final = 1000


def import_path(common: Common, path: str, *, dry_run: bool) -> int:
    """Take a file, or the documents of a folder, over; files of a folder that cannot be read are named and left out."""
    from rqa_checkpoints.chunking import pieces
    from rqa_checkpoints.importing import DocumentText
    from rqa_graph.cli.session import open_memory

    files = sorted(map(str, _files(path))) if Path(path).is_dir() else [path]
    documents: list[DocumentText] = []
    skipped: dict[str, str] = {}
    for file in files:
        try:
            documents.append(DocumentText(locator=file, text=read_document(file).text))
        except (InputError, MissingExtraError) as error:
            if files == [path]:
                raise
            skipped[file] = describe_error(error, common.ui_lang)["message"]
    if not documents:
        raise EmptyInputError("import.no_document", path=path)
    if dry_run:
        counts = Counter({"external": sum(len(pieces(document.text)) for document in documents)})
    else:
        with open_memory(common) as session:
            counts = session.memory.import_documents(documents, scope=session.scope)
    output = common.output("import")

    def render(out: Any) -> None:
        out.text(say("import.documents_dry" if dry_run else "import.documents", out.lang, files=len(documents)))
        columns = [say("memory.source", out.lang), say("memory.count", out.lang)]
        rows = [[say(f"import.{key}", out.lang), count] for key, count in sorted(counts.items()) if count]
        out.table(columns, rows)
        for name, reason in skipped.items():
            out.note(say("import.skipped", out.lang, path=name, reason=reason))

    fields = {"format": "document", "rows": len(documents), "dry_run": dry_run, "counts": dict(counts)}
    output.result({**fields, "skipped": skipped}, render)
    return ExitCode.ok


def _files(path: str) -> Iterator[Path]:
    """The documents in a folder: nothing hidden, and no link, which may lead anywhere."""
    root, count = Path(path), 0
    for file in root.rglob("*"):
        inside = file.relative_to(root)
        if any(part.startswith(".") for part in inside.parts) or file.suffix.lower() not in _SUFFIXES:
            continue
        if file.is_symlink() or not file.is_file() or any(folder.is_symlink() for folder in file.parents):
            continue
        count += 1
        if count > _MOST_FILES:
            raise TooLargeError("import.too_many", path=path, limit=_MOST_FILES)
        yield file
