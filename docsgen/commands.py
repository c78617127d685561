"""Which commands has `rqa`, and what does each take?

Read from the parser itself, so the page and `--help` cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from typer.main import get_command

from docsgen.markdown import code, page, table
from rqa_graph.cli.main import build_app

__all__ = ["commands_page", "options_of"]

_SHARED: Final = ("--json", "--home", "--user", "--tenant", "--lang", "--debug", "--help")


_JSON: Final = """\
`--json` prints one object `{"schema": "rqa.COMMAND/1", "ok": ..., "error": ...}` on standard output; notes go to
standard error. [Errors and exit codes](errors.md) lists how a command ends."""


def commands_page() -> str:
    """The page of all commands."""
    found = dict(_commands())
    shared = next(iter(found.values()))
    rows = [_option_row(one) for one in shared.params if one.opts[0] in _SHARED]
    head = [
        "Every command takes these options, before or after its name:",
        table(["option", "what"], rows),
        _JSON,
    ]
    return page("Commands", "the parser of `rqa`", [*head, *(_section(name, one) for name, one in found.items())])


def options_of() -> Mapping[str, frozenset[str]]:
    """Every command, "memory list" too, with the options that it takes."""
    found = {name: _options(one) for name, one in _commands()}
    groups = {name.split()[0] for name in found if " " in name}
    return found | {name: frozenset(_SHARED) for name in groups} | {"": frozenset(_SHARED)}


def _options(command: Any) -> frozenset[str]:
    names = (name for one in command.params for name in (*one.opts, *one.secondary_opts))
    return frozenset({*names, *_SHARED})


def _commands() -> Iterator[tuple[str, Any]]:
    root: Any = get_command(build_app())
    for name in root.commands:
        loaded: Any = get_command(build_app(name))
        command = loaded.commands[name]
        members = getattr(command, "commands", {})
        if not members:
            yield name, command
        for member, one in members.items():
            yield f"{name} {member}", one


def _section(name: str, command: Any) -> str:
    arguments = [one for one in command.params if not one.opts[0].startswith("-")]
    own = [one for one in command.params if one.opts[0].startswith("-") and one.opts[0] not in _SHARED]
    words = " ".join([f"rqa {name}", *(_argument(one) for one in arguments), *(["[OPTIONS]"] if own else [])])
    parts = [f"## rqa {name}", f"```text\n{words}\n```", _help(command.help)]
    rows = [*([code(_argument(one)), one.help or ""] for one in arguments), *map(_option_row, own)]
    return "\n\n".join([*parts, table(["", "what"], rows)] if rows else parts)


def _argument(one: Any) -> str:
    name = (one.metavar or one.name).strip("{}[]")
    return str(name) if one.required else f"[{name}]"


def _option_row(one: Any) -> list[str]:
    names = ", ".join(code(name) for name in (*one.opts, *one.secondary_opts))
    told = one.help or ""
    default = one.default if getattr(one, "show_default", False) and one.default not in (None, "", False) else None
    shown = f" Default: `{default}`." if default is not None and "efault" not in told else ""
    return [f"{names} {code(one.metavar or '')}".strip(), f"{told}{shown}"]


def _help(text: str) -> str:
    """The help as Markdown: paragraphs, with the example as code."""
    body, _, example = text.partition("Example:")
    told = "\n\n".join(" ".join(part.split()) for part in body.split("\n\n") if part.strip())
    return f"{told}\n\nExample: `{' '.join(example.split())}`" if example else told
