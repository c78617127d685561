"""`rqa inspect`: look into a home with a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rqa_checkpoints.errors import HomeLockedError
from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.cli.output import Output
from rqa_graph.cli.serve import run_server, who_is_served
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_graph.opened import OpenHome

__all__ = ["register"]

_LOOPBACK = "127.0.0.1"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("inspect")(with_common(inspect))


def inspect(
    common: Common,
    *,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Where to serve it (default: any free one).")
    ] = 0,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    model: Model = "",
) -> int:
    """Open the inspector: conversations, memory, questions, reviews.

    Serves the home on this machine alone until Ctrl-C; if `rqa serve` has it already, that server's page is opened.

    Example: rqa inspect --no-browser
    """
    output = common.output("inspect")
    opens = not no_browser and not common.as_json

    def ready(fields: dict[str, Any], home: OpenHome) -> None:
        more = f"{who_is_served(fields, home, output)} {say('inspect.stop', output.lang)}"
        _show(common, output, fields["url"], opens=opens, more=more)

    try:
        return run_server(common, host=_LOOPBACK, port=port, model=model, ready=ready)
    except HomeLockedError:
        from rqa_graph.server.serving import address_of

        url = address_of(common.home_path)
        if url is None:
            raise
        _show(common, output, url, opens=opens, more=say("inspect.served", output.lang))
    return ExitCode.ok


def _show(common: Common, output: Output, url: str, *, opens: bool, more: str) -> None:
    """Print the address of the page, and open it where there is a screen to open it on."""
    page = f"{url}/inspect"
    if common.lang in ("en", "ja"):
        page = f"{page}?lang={common.lang}"
    words = f"{say('inspect.ready', output.lang, url=page)}\n{more}"
    output.result({"url": page}, lambda out: out.text(words))
    if opens and _has_screen():
        webbrowser.open(page)


def _has_screen() -> bool:
    """A browser in a terminal would take the terminal."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
