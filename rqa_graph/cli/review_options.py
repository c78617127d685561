"""Which arguments have the commands that put something before a person? Light, because help must be."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Item", "Note", "Version"]

Item = Annotated[str, typer.Argument(metavar="ITEM", help="Id of an item, as `rqa review-queue list` shows it.")]
Version = Annotated[
    int, typer.Option("--version", metavar="N", min=0, help="The version that you saw (default: the latest).")
]
Note = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why, for the log.")]
