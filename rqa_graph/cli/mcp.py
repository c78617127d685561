"""`rqa mcp`: the memory and the verifier as tools of another agent, on standard input and output."""

from __future__ import annotations

import typer

from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.errors import ExitCode, MissingExtraError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mcp")(with_common(mcp))


def mcp(common: Common, *, model: Model = "") -> int:
    """Offer memory and verifier to another agent over MCP.

    The tools are remember, recall, explore, reflect, forget, verify, ask and deliberate. The agent starts this command
    itself and speaks to it on standard input and output. What it notes is kept as its note, never as your words.

    Example: rqa mcp
    """
    try:
        from rqa_graph.server.mcp_tools import mcp_server
    except ModuleNotFoundError:
        raise MissingExtraError("`rqa mcp` needs the extra `server`: pip install 'rqa-graph[server]'") from None
    from rqa_graph.cli.session import load_settings
    from rqa_graph.opened import open_home

    with open_home(load_settings(common, model=model)) as home:
        mcp_server(home).run("stdio")
    return ExitCode.ok
