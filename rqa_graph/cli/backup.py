"""`rqa backup`: a whole home in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.files import making
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("backup")(with_common(backup))


def backup(
    common: Common,
    path: Annotated[str, typer.Argument(metavar="FILE", help="A new file, such as home.tar.gz, outside the home.")],
) -> int:
    """Put the whole home into one file: log, checkpoints, settings.

    The file holds everything of everybody in plain text, and an erasure does not reach it.

    Example: rqa backup home.tar.gz
    """
    from rqa_graph.backups import write_backup
    from rqa_graph.cli.session import load_settings, open_memory
    from rqa_graph.savers import open_saver

    output, settings, target = common.output("backup"), load_settings(common), Path(path).absolute()
    if not settings.home.is_dir():
        raise UsageFaultError("backup.no_home", path=str(settings.home))
    if target.is_relative_to(settings.home.absolute()):
        raise UsageFaultError("backup.inside", path=path)
    with open_memory(common) as session, open_saver(settings) as saver, making(target) as file:
        done = write_backup(file, home=settings.home.absolute(), log=session.memory.log, saver=saver)
    fields = {"path": path, "events": done.events, "head": done.head, "points": done.points, "files": list(done.files)}
    output.result(fields, lambda out: out.text(say("backup.done", out.lang, **fields)))
    return ExitCode.ok
