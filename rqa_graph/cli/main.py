"""The command line: which command runs, and with which exit code does it end?

Commands live one a module and are imported only when they are called, because `rqa ask "hello"` must answer at once.
Every error ends here: said in the person's language, inside the JSON object where one was asked for, without a
traceback unless `--debug` is given.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rqa_graph.cli.light import answer_light
from rqa_graph.cli.output import show_error
from rqa_graph.error_description import describe_error
from rqa_graph.errors import ExitCode, exit_code
from rqa_graph.messages import language, say

if TYPE_CHECKING:
    import typer

__all__ = ["COMPLETE", "build_app", "command_name", "main", "run"]

COMPLETE: Final = "_RQA_COMPLETE"
"""In the environment of a call that a shell makes at a Tab, see `rqa completion`: what it asks for."""

_COMMANDS: Final[Mapping[str, str]] = {
    "demo": "Show two conversations, what was removed, and a review.",
    "check": "Show which model answers, what is set where, what leaves here.",
    "doctor": "Say what is wrong here and what mends it; nothing is changed.",
    "ask": "Ask one question and get one answer.",
    "chat": "Talk in one thread; /full /why /memory /forget /erase /quit.",
    "review": "Take a document apart and ask one deeper question.",
    "deliberate": "Answer from verified sources, or say why not.",
    "route": "Show how deep an input would go, and which rule says so.",
    "verify": "Check a reply against what its model was given.",
    "memory": "Show, find, add, hide and erase what is remembered.",
    "folder": "Index folders of yours, so that answers cite them.",
    "review-queue": "Show what waits for a person, and decide on it.",
    "self": "Show what the assistant changed about its asking; roll it back.",
    "evaluator": "Show who judges questions; change it with your approval.",
    "serve": "Serve an OpenAI-compatible model, memory, reviews and MCP.",
    "inspect": "Open the inspector: conversations, memory, questions, reviews.",
    "mcp": "Offer memory and verifier to another agent over MCP.",
    "token": "Make, list and revoke the tokens of `rqa serve`.",
    "graph": "Show questions, claims and tensions, and how they relate.",
    "cache": "Show, try and steer the cache of verified answers.",
    "ledger": "Check the signed attestations, and export the key.",
    "log": "Check the append-only log, and list its receipts.",
    "kpi": "Show the figures of past turns: depth, time, diversity, removals.",
    "errors": "Say what the codes of errors mean and what to do.",
    "backup": "Put the whole home into one file: log, checkpoints, settings.",
    "restore": "Unpack a backup into an empty home, after checking all of it.",
    "reindex": "Build the search index anew from the log.",
    "index": "Keep the search index quick.",
    "audit": "Count who is credited in a dump, and find what nobody said.",
    "import": "Take a dump, a document or a folder of documents over.",
    "eval": "Measure it: suites with baselines, a report with plots.",
    "echo-test": "Plant one guess and see what a memory layer makes of it.",
    "completion": "Print the script that lets your shell complete commands.",
}
"""Command, and the first line of its help, short enough for one line of 80 columns. The module of the same name adds it
with `register(app)`; that of a group names its commands in `COMMANDS`."""

_MODULES: Final = {"import": "import_dump", "self": "self_update"}
"""Where the module cannot be called like the command."""

_WITH_VALUE: Final = frozenset({"--home", "--user", "--tenant", "--lang"})
"""Options that may stand before the command and take the next word."""


def main() -> None:
    """Entry point of `rqa` and of `python -m rqa_graph`."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:  # a pipe in another locale must not end a run
            reconfigure(encoding="utf-8", errors="backslashreplace")
    if hasattr(sys.stdin, "reconfigure"):  # bytes that are no text are refused where they are read, in words
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    if asked := os.environ.get(COMPLETE):
        from rqa_graph.cli.completion import complete

        sys.exit(complete(asked))
    sys.exit(int(run(sys.argv[1:])))


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit code; never raises for an error of the run."""
    try:
        light = answer_light(args)
        return _run_command(args) if light is None else light
    except BrokenPipeError:
        sys.stdout = None  # flushing at exit would fail again
        return ExitCode.ok
    except SystemExit:  # what typer makes of a reader that has gone; it raises it for nothing else here
        return ExitCode.ok
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # the outermost frame: whatever it is, say it
        cause = error if "--debug" in args else None
        return _fail(args, describe_error(error, _language(args)), code=exit_code(error), cause=cause)


def _run_command(args: Sequence[str]) -> int:
    import typer
    from typer.main import get_command  # the parser costs more than a light answer

    command = command_name(args)
    try:
        tree = get_command(build_app(command))
        if _language(args) == "ja" and ("--help" in args or len(_words(args)) <= 1):
            from rqa_graph.cli.help_text import say_in_japanese

            say_in_japanese(tree)
        result = tree.main(args=list(args), prog_name="rqa", standalone_mode=False)
    except typer.TyperException as error:
        return _fail(args, _describe_usage(error.format_message(), args), code=ExitCode.usage)
    return result if isinstance(result, int) else ExitCode.ok


def build_app(command: str = "", *, beside_others: bool = False) -> typer.Typer:
    """The application with one command; for help, and for a name that is none, with the names of all.

    Args:
        command: The name of the one that is loaded.
        beside_others: True for the names of the others as well.
    """
    import typer

    from rqa_graph.cli.common import root_options

    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True)(root_options)
    if command in _COMMANDS:
        importlib.import_module(_module_of(command)).register(app)
        if not beside_others:
            return app
    for name, summary in _COMMANDS.items():
        if name != command:
            app.command(name, help=summary)(_unreached)
    return app


def _module_of(command: str) -> str:
    return f"rqa_graph.cli.{_MODULES.get(command, command.replace('-', '_'))}"


def _unreached() -> int:
    """Stands for every command in the list of all: a command that is called is loaded itself."""
    return ExitCode.ok


def _words(args: Sequence[str]) -> list[str]:
    """The words that are neither options nor the values of options that may stand before a command."""
    words, skip = [], False
    for arg in args:
        if not skip and not arg.startswith("-"):
            words.append(arg)
        skip = not skip and arg in _WITH_VALUE
    return words


def command_name(args: Sequence[str]) -> str:
    """The first of these words; "" if there is none."""
    return next(iter(_words(args)), "")


def _full_name(args: Sequence[str]) -> str:
    """Which command was meant, as far as there is one: "ask", "memory", "memory list"; "" for none."""
    first, second, *_ = [*_words(args), "", ""]
    if first not in _COMMANDS:
        return ""
    module = sys.modules.get(_module_of(first))  # not there if loading it is what failed
    group = getattr(module, "COMMANDS", {})
    return f"{first} {second}" if second in group else first


def _language(args: Sequence[str]) -> str:
    """Language of messages before anything is parsed: an error in parsing must be said in the right one too."""
    pairs = zip(args, [*args[1:], ""], strict=False)
    values = [value if arg == "--lang" else arg.partition("=")[2] for arg, value in pairs if arg.startswith("--lang")]
    return language(values[-1] if values else "")


def _fail(args: Sequence[str], error: Mapping[str, str], *, code: ExitCode, cause: BaseException | None = None) -> int:
    name = _full_name(args).replace(" ", ".") or "rqa"
    show_error(error, command=name, as_json="--json" in args, lang=_language(args), cause=cause)
    return code


def _describe_usage(message: str, args: Sequence[str]) -> dict[str, str]:
    lang, shown = _language(args), f"rqa {_full_name(args)}".strip()
    if lang == "ja":
        from rqa_graph.cli.help_text import usage_in_japanese

        message = usage_in_japanese(message)
    hint = say("error.usage_hint", lang, command=shown)
    return {"code": "usage", "message": say("fault.usage", lang, message=message), "hint": hint}
