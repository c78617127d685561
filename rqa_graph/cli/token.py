"""`rqa token`: who may speak to the server, and for whom?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, add_group
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["COMMANDS", "register"]

_RESERVED: Final = "@"
"""Begins the names that the program keeps for itself."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="What you call it, such as phone.")]


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    help_text = "Make, list and revoke the tokens of `rqa serve`.\n\nExample: rqa token add phone"
    add_group(app, "token", help_text, COMMANDS)


def _tokens(common: Common) -> tuple[Any, Any]:
    from rqa_checkpoints.provenance import Scope
    from rqa_graph.cli.session import load_settings
    from rqa_graph.clock import utc_now
    from rqa_graph.server.tokens import TOKENS_FILE, TokenFile

    settings = load_settings(common)
    scope = Scope(settings.memory.tenant, settings.user())
    return TokenFile(settings.home / TOKENS_FILE, clock=utc_now), scope


def add(common: Common, name: Name) -> int:
    """Make a token that opens your memory, or that of --user and --tenant. It is shown once.

    Example: rqa token add phone --user ann
    """
    tokens, scope = _tokens(common)
    for value in (scope.tenant, scope.user):
        if value.startswith(_RESERVED):
            raise UsageFaultError("token.reserved", name=value)
    token = tokens.add(name, scope)
    fields = {"name": name, "tenant": scope.tenant, "user": scope.user, "token": token}
    output = common.output("token.add")

    def render(out: Any) -> None:
        out.text(token)
        out.note(say("token.added", out.lang, **fields))

    output.result(fields, render)
    return ExitCode.ok


def list_tokens(common: Common) -> int:
    """List the tokens; what they are is not kept.

    Example: rqa token list
    """
    tokens, _ = _tokens(common)
    rows = [
        {"name": row.name, "tenant": row.tenant, "user": row.user, "created_at": row.created_at} for row in tokens.all()
    ]

    def render(out: Any) -> None:
        if not rows:
            out.text(say("token.none", out.lang))
            return
        names = ("name", "tenant", "user", "created_at")
        out.table([say(f"token.{name}", out.lang) for name in names], [[row[name] for name in names] for row in rows])

    common.output("token.list").result({"tokens": rows}, render)
    return ExitCode.ok


def revoke(common: Common, name: Name) -> int:
    """Take a token back, at once.

    Example: rqa token revoke phone
    """
    tokens, _ = _tokens(common)
    tokens.revoke(name)
    common.output("token.revoke").result(
        {"name": name}, lambda out: out.text(say("token.revoked", out.lang, name=name))
    )
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {"add": add, "list": list_tokens, "revoke": revoke}
"""Name and function of each command of the group."""
