"""Which options has every command, and how does a command get them?

`--json`, `--home`, `--user`, `--tenant`, `--lang` and `--debug` may stand before or after the name of the command. A
command is a function of `Common` and its own options that returns an exit code; it parses, calls and renders, and holds
no rule of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

import typer

from rqa_graph.cli.output import Output
from rqa_graph.errors import UsageFaultError
from rqa_graph.messages import language
from rqa_graph.resources import home_path

__all__ = ["Candidates", "Common", "Model", "NoEvaluator", "Rounds", "add_group", "root_options", "with_common"]

_LANGS: Final = ("en", "ja", "zh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What every command is given."""

    as_json: bool = False
    home: str = ""
    """As given; "" leaves it to `RQA_HOME` and the default."""
    user: str = ""
    """Whose memory; "" leaves it to the settings (the login name)."""
    tenant: str = ""
    """Whose store; "" leaves it to the settings ("local")."""
    lang: str = ""
    """As given; "" means the locale for messages, and the language of the input for replies."""
    debug: bool = False

    @property
    def home_path(self) -> Path:
        """Where everything is kept."""
        return home_path(self.home)

    @property
    def ui_lang(self) -> str:
        """Language of messages."""
        return language(self.lang)

    def lang_beside(self, reply: str) -> str:
        """Language of messages beside a reply in the language `reply`: where the locale names none, the same."""
        return language(self.lang, default=reply)

    def output(self, command: str) -> Output:
        """Where the command writes what it found."""
        return Output(command, as_json=self.as_json, lang=self.ui_lang)


Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Home = Annotated[
    str, typer.Option("--home", metavar="DIR", help="Where memory is kept (default: RQA_HOME, else ~/.rqa).")
]
User = Annotated[str, typer.Option("--user", metavar="NAME", help="Whose memory (default: the login name).")]
Tenant = Annotated[str, typer.Option("--tenant", metavar="NAME", help='Whose store (default: "local").')]
Lang = Annotated[str, typer.Option("--lang", metavar="en|ja|zh", help="Language of messages (default: the locale).")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

Model = Annotated[str, typer.Option("--model", metavar="NAME", help="The model, such as ollama:gemma4:12b or builtin.")]
Candidates = Annotated[
    int | None, typer.Option("--k", metavar="N", min=1, max=12, help="Question candidates a round, 1 to 12.")
]
Rounds = Annotated[int | None, typer.Option("--depth", metavar="N", min=1, max=5, help="Rounds of reflection, 1 to 5.")]
NoEvaluator = Annotated[bool, typer.Option("--no-evaluator", help="Make no evaluator call.")]


def root_options(
    ctx: typer.Context,
    as_json: Json = False,
    home: Home = "",
    user: User = "",
    tenant: Tenant = "",
    lang: Lang = "",
    debug: Debug = False,
) -> None:
    """An assistant whose own past guesses can never come back as facts.

    Example: rqa ask "Why do we cache at all?"
    """
    ctx.obj = Common(as_json=as_json, home=home, user=user, tenant=tenant, lang=lang, debug=debug)
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def with_common(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options that all have: `command(common, **own)` becomes what typer registers."""
    own = _parameters(command)[1:]
    shared = _parameters(root_options)

    def run(**values: Any) -> int:
        ctx: typer.Context = values.pop("ctx")
        given = {name: values.pop(name) for name in [p.name for p in shared[1:]]}
        return command(_merge(ctx.obj, given), **values)

    parameters = [shared[0], *own, *shared[1:]]
    return _typed(run, command, parameters)


def add_group(app: typer.Typer, name: str, help_text: str, commands: Mapping[str, Callable[..., int]]) -> None:
    """Add a group of commands; the options that all have may stand before or after the name of each.

    Args:
        app: Where it is added.
        name: The group's name.
        help_text: Its help, with an example.
        commands: Name and function of each.
    """

    def options(**values: Any) -> None:
        ctx: typer.Context = values.pop("ctx")
        ctx.obj = _merge(ctx.obj, values)
        if ctx.invoked_subcommand is None:
            typer.echo(ctx.get_help())

    group = typer.Typer(help=help_text, invoke_without_command=True)
    group.callback()(_typed(options, root_options, _parameters(root_options)))
    for word, command in commands.items():
        group.command(word)(with_common(command))
    app.add_typer(group, name=name)


def _typed(
    run: Callable[..., Any], command: Callable[..., Any], parameters: list[inspect.Parameter]
) -> Callable[..., int]:
    """Give `run` the name, the help and the parameters that typer reads."""
    run.__name__ = command.__name__
    run.__doc__ = command.__doc__
    run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": int}
    run.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]  # read by typer
    return run


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    rows = inspect.signature(function).parameters.values()
    return [row.replace(annotation=hints[row.name], kind=inspect.Parameter.KEYWORD_ONLY) for row in rows]


def _merge(root: Common | None, given: dict[str, Any]) -> Common:
    """An option after the command's name outranks the same one before it."""
    common = replace(root or Common(), **{name: value for name, value in given.items() if value})
    if common.lang and common.lang not in _LANGS:
        raise UsageFaultError("option.choice", option="--lang", value=common.lang, choices=", ".join(_LANGS))
    return common
