"""`rqa serve`: the assistant, the memory and the review queue over HTTP."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, MissingExtraError
from rqa_graph.messages import say

if TYPE_CHECKING:
    from rqa_graph.opened import OpenHome

__all__ = ["register", "run_server"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(with_common(serve))


def serve(
    common: Common,
    *,
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option("--port", metavar="N", min=0, max=65535, help="Default: 8321; 0: any free one.")
    ] = None,
    model: Model = "",
) -> int:
    """Serve an OpenAI-compatible model, memory, reviews and MCP.

    Without tokens only this machine is served, and for you; `rqa token add` makes tokens for other addresses and other
    persons. Ctrl-C stops it.

    Example: rqa serve --port 9000
    """
    output = common.output("serve")

    def ready(fields: dict[str, Any], home: OpenHome) -> None:
        words = say("server.ready", output.lang, **fields) + "\n" + who_is_served(fields, home, output)
        output.result(fields, lambda out: out.text(words))

    return run_server(common, host=host, port=port, model=model, ready=ready)


def who_is_served(fields: dict[str, Any], home: OpenHome, output: Output) -> str:
    """Whose memory the server opens, and to whom."""
    key = "server.with_tokens" if fields["tokens"] else "server.without_tokens"
    return say(key, output.lang, user=home.scope.user)


def run_server(
    common: Common, *, host: str, port: int | None, model: str, ready: Callable[[dict[str, Any], OpenHome], None]
) -> int:
    """Serve a home until the process is told to stop.

    Args:
        common: Which home.
        host: Where to listen.
        port: None for that of the settings, 0 for any free one.
        model: As on the command line.
        ready: Called once the server listens, with `url` and `tokens` (how many there are), and the home.
    """
    gc.disable()  # nearly all that comes until it listens is loaded code, which is no garbage: an eighth of the start
    try:
        return _run(common, host=host, port=port, model=model, ready=ready)
    finally:
        gc.enable()


def _run(
    common: Common, *, host: str, port: int | None, model: str, ready: Callable[[dict[str, Any], OpenHome], None]
) -> int:
    try:
        from rqa_graph.server.serving import announced, listen
        from rqa_graph.server.serving import serve as run
        from rqa_graph.server.tokens import TOKENS_FILE, TokenFile
    except ModuleNotFoundError:
        raise MissingExtraError("`rqa serve` needs the extra `server`: pip install 'rqa-graph[server]'") from None
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import utc_now
    from rqa_graph.opened import open_home

    settings = load_settings(common, model=model)
    tokens = TokenFile(settings.home / TOKENS_FILE, clock=utc_now)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    logging.getLogger("rqa.access").setLevel(logging.INFO)
    chosen = settings.server.port if port is None else port
    with listen(host, chosen, tokens=tokens) as taken, open_home(settings) as home:
        address = taken.getsockname()
        shown = f"[{address[0]}]" if ":" in address[0] else address[0]
        url = f"http://{shown}:{address[1]}"

        def answering() -> None:
            gc.enable()
            ready({"url": url, "tokens": len(tokens.all())}, home)

        with announced(settings.home, url):
            run(home, taken, ready=answering)
    return ExitCode.ok
