"""`rqa completion`: how does a shell learn to complete commands and options?

The scripts and what they talk to are typer's: at each Tab a script calls `rqa` with the words so far in the
environment. Only the module of the command in these words is loaded, since a Tab has to answer at once.
"""

from __future__ import annotations

import os
import shlex
from typing import Annotated, Final

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.main import COMPLETE, build_app, command_name
from rqa_graph.errors import ExitCode, UsageFaultError

__all__ = ["complete", "register"]

_SHELLS: Final = ("bash", "zsh", "fish")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("completion")(with_common(completion))


def completion(
    common: Common,
    shell: Annotated[str, typer.Argument(metavar="|".join(_SHELLS), help="The shell that is to complete.")],
) -> int:
    """Print the script that lets your shell complete commands.

    bash, in ~/.bashrc: eval "$(rqa completion bash)". zsh, in ~/.zshrc after compinit: eval "$(rqa completion zsh)".
    fish: rqa completion fish > ~/.config/fish/completions/rqa.fish

    Example: rqa completion bash
    """
    from typer._completion_shared import get_completion_script

    if shell not in _SHELLS:
        raise UsageFaultError("option.choice", option="SHELL", value=shell, choices=", ".join(_SHELLS))
    script = get_completion_script(prog_name="rqa", complete_var=COMPLETE, shell=shell)
    common.output("completion").result({"shell": shell, "script": script}, lambda out: out.text(script))
    return ExitCode.ok


def complete(instruction: str) -> int:
    """Answer a script: print what may come next, one a line."""
    from typer.completion import get_completion_inspect_parameters, shell_complete
    from typer.main import get_command

    get_completion_inspect_parameters()  # makes the shells known
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    try:
        words = shlex.split(line)
    except ValueError:  # in the middle of a quoted word
        words = line.split()
    app = build_app(command_name(words[1:]), beside_others=True)
    return shell_complete(get_command(app), {}, "rqa", COMPLETE, instruction)
