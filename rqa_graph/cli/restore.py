"""`rqa restore`: a home from a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.errors import ExitCode, MissingFileError
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("restore")(with_common(restore))


def restore(
    common: Common,
    path: Annotated[str, typer.Argument(metavar="FILE", help="A file that `rqa backup` wrote.")],
) -> int:
    """Unpack a backup into an empty home, after checking all of it.

    Restore only what you trust: checkpoints may name classes of Python, and configuration is taken over.

    Example: rqa restore home.tar.gz --home ~/restored
    """
    from rqa_graph import backups

    if not Path(path).is_file():
        raise MissingFileError("file.missing", path=path)
    home = common.home_path.absolute()
    done = backups.restore(Path(path), home)
    output = common.output("restore")
    fields = {"home": str(home), "events": done.events, "head": done.head, "points": done.points}
    output.result({**fields, "files": list(done.files)}, lambda out: out.text(say("restore.done", out.lang, **fields)))
    return ExitCode.ok
