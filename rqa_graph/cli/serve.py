"""`rqa serve`: the assistant, the memory and the review queue over HTTP."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer

from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.errors import ExitCode, MissingExtraError
from rqa_graph.messages import say

__all__ = ["register"]


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
    try:
        from rqa_graph.server.serving import listen
        from rqa_graph.server.serving import serve as run
        from rqa_graph.server.tokens import TOKENS_FILE, TokenFile
    except ModuleNotFoundError:
        raise MissingExtraError("`rqa serve` needs the extra `server`: pip install 'rqa-graph[server]'") from None
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import utc_now
    from rqa_graph.opened import open_home

    output = common.output("serve")
    settings = load_settings(common, model=model)
    tokens = TokenFile(settings.home / TOKENS_FILE, clock=utc_now)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    logging.getLogger("rqa.access").setLevel(logging.INFO)
    chosen = settings.server.port if port is None else port
    with listen(host, chosen, tokens=tokens) as taken, open_home(settings) as home:
        address = taken.getsockname()
        shown = f"[{address[0]}]" if ":" in address[0] else address[0]
        fields = {"url": f"http://{shown}:{address[1]}", "tokens": len(tokens.all())}

        def ready() -> None:
            key = "server.with_tokens" if fields["tokens"] else "server.without_tokens"
            words = say("server.ready", output.lang, **fields) + "\n" + say(key, output.lang, user=home.scope.user)
            output.result(fields, lambda out: out.text(words))

        run(home, taken, ready=ready)
    return ExitCode.ok
