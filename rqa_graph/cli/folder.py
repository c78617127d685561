"""`rqa folder`: which folders of yours may be cited, and are they indexed as they are now?"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_checkpoints.folders import Folder, FolderChanges, FolderIndex
    from rqa_graph.cli.session import MemorySession

__all__ = ["COMMANDS", "register"]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    add_group(app, "folder", "Index folders of yours, so that answers cite them.\n\nExample: rqa folder list", COMMANDS)


def add(
    common: Common,
    path: Annotated[str, typer.Argument(metavar="DIR", help="A folder with Markdown, text or PDF files.")],
    *,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="Begins its citations (default: its own).")] = "",
) -> int:
    """Index a folder, or index it again: what is new, changed or gone.

    No word of it is copied; answers cite its passages as NAME/file:line once `tools.local_rag.enabled` is true.

    Example: rqa folder add ~/notes
    """
    from rqa_graph.folders import new_folder

    with _opened(common) as (index, session):
        folder = new_folder(index, path, name, scope=session.scope)
        return _index(common, "folder.add", index, session, [folder])


def update(common: Common) -> int:
    """Index every folder again: what is new, changed or gone.

    Example: rqa folder update
    """
    with _opened(common) as (index, session):
        return _index(common, "folder.update", index, session, index.folders(session.scope))


def list_folders(common: Common) -> int:
    """List the indexed folders.

    Example: rqa folder list
    """
    from rqa_checkpoints.provenance import Scope
    from rqa_graph.cli.session import load_settings
    from rqa_graph.folders import open_folder_index

    settings = load_settings(common)
    found = open_folder_index(settings).folders(Scope(settings.memory.tenant, settings.user()))
    output, enabled = common.output("folder.list"), settings.tools.local_rag.enabled
    fields = {"folders": [_fields(folder) for folder in found], "enabled": enabled}
    output.result(fields, lambda out: _render(out, found, enabled=enabled))
    return ExitCode.ok


def drop(
    common: Common,
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `rqa folder list` shows it.")],
) -> int:
    """Take a folder out of the index. Its files stay where they are.

    What was cited of it is hidden from recall; `rqa memory erase` erases it.

    Example: rqa folder drop notes
    """
    from rqa_graph.folders import drop_folder

    with _opened(common) as (index, session):
        folder = drop_folder(index, session.memory, name, scope=session.scope)
    output = common.output("folder.drop")
    output.result(_fields(folder), lambda out: out.text(say("folder.dropped", out.lang, name=name, path=folder.path)))
    return ExitCode.ok


@contextmanager
def _opened(common: Common) -> Iterator[tuple[FolderIndex, MemorySession]]:
    from rqa_graph.cli.session import open_memory
    from rqa_graph.folders import open_folder_index

    # The home's lock covers its folders.
    with open_memory(common) as session, closing(open_folder_index(session.settings)) as index:
        yield index, session


def _index(common: Common, command: str, index: FolderIndex, session: MemorySession, folders: list[Folder]) -> int:
    from rqa_graph.clock import utc_now
    from rqa_graph.folders import index_folder

    output = common.output(command)
    done = []
    for folder in folders:
        with _progress(output, folder) as progress:
            at = utc_now().isoformat(timespec="seconds")
            done.append(index_folder(index, session.memory, folder, at=at, lang=output.lang, progress=progress))
    enabled = session.settings.tools.local_rag.enabled
    fields = {"folders": [_change_fields(changes) for changes in done], "enabled": enabled}
    output.result(fields, lambda out: _render_changes(out, done, enabled=enabled))
    return ExitCode.ok


@contextmanager
def _progress(output: Output, folder: Folder) -> Iterator[Callable[[str], None]]:
    """Which file it is at, for a person who watches."""
    if output.as_json or not sys.stderr.isatty():
        yield lambda _file: None
        return
    from rich.console import Console  # only where a terminal shows it

    with Console(stderr=True).status(folder.name) as status:
        yield lambda file: status.update(f"{folder.name}/{file}")


def _fields(folder: Folder) -> dict[str, Any]:
    return {
        "name": folder.name,
        "path": folder.path,
        "files": len(folder.files),
        "passages": folder.passages,
        "indexed_at": folder.indexed_at,
    }


def _change_fields(changes: FolderChanges) -> dict[str, Any]:
    lists = {name: list(getattr(changes, name)) for name in ("added", "changed", "removed")}
    return {**_fields(changes.folder), **lists, "skipped": dict(changes.skipped)}


def _render_changes(out: Output, done: list[FolderChanges], *, enabled: bool) -> None:
    for changes in done:
        counts = {name: len(getattr(changes, name)) for name in ("added", "changed", "removed")}
        counts |= {"files": len(changes.folder.files), "passages": changes.folder.passages}
        out.text(say("folder.indexed", out.lang, name=changes.folder.name, **counts))
        for reason in changes.skipped.values():
            out.note(say("folder.skipped", out.lang, reason=reason))
    _render_state(out, any_folder=bool(done), enabled=enabled)


def _render(out: Output, found: list[Folder], *, enabled: bool) -> None:
    columns = [say(f"folder.{name}", out.lang) for name in ("name", "path", "files", "passages", "indexed_at")]
    if found:
        out.table(columns, [list(_fields(folder).values()) for folder in found])
    _render_state(out, any_folder=bool(found), enabled=enabled)


def _render_state(out: Output, *, any_folder: bool, enabled: bool) -> None:
    if not any_folder:
        out.text(say("folder.none", out.lang))
    elif not enabled:
        out.note(say("folder.not_enabled", out.lang))


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {"add": add, "update": update, "list": list_folders, "drop": drop}
"""Name and function of each command of the group."""
