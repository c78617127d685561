"""`rqa chat`: a conversation in one thread.

A line is a turn; a line that begins with a slash is a command. Ctrl-C ends a running turn, not the conversation: what
was committed stays. History of typed lines lies in the home.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, with_common
from rqa_graph.cli.inputs import check_text
from rqa_graph.cli.output import Output, describe_error
from rqa_graph.errors import ExitCode, InputError
from rqa_graph.messages import say

__all__ = ["register"]

_LEAVE: Final = frozenset({"/quit", "/exit", "/q"})


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("chat")(with_common(chat))


@dataclass(slots=True, kw_only=True)
class _Chat:
    """One conversation."""

    session: Any
    common: Common
    output: Output
    thread: str
    model: str
    last: Any = None
    codes: set[int] = field(default_factory=set)


def chat(
    common: Common,
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="A first message.")] = "",
    *,
    thread: Annotated[str, typer.Option("--thread", metavar="ID", help="Continue this thread.")] = "",
    model: Annotated[str, typer.Option("--model", metavar="NAME", help="The model, such as ollama:gemma4:12b.")] = "",
) -> int:
    """Talk in one thread; /full /why /memory /forget HANDLE /quit.

    Example: rqa chat "I keep bees near Lund."
    """
    from rqa_graph.cli.session import open_turns  # the graph, the memory and the models

    output = common.output("chat")
    with open_turns(common, model=model) as session:
        chatting = _Chat(
            session=session, common=common, output=output, thread=thread or session.services.ids(), model=model
        )
        for line in _lines(text, common):
            if line in _LEAVE:
                break
            _guarded(chatting, line)
        output.note(say("chat.thread", output.lang, thread=chatting.thread))
    return max(chatting.codes, default=ExitCode.ok)


def _lines(first: str, common: Common) -> Iterator[str]:
    """Typed lines, until the input ends."""
    if first:
        yield first
    if not sys.stdin.isatty():
        yield from (line.strip() for line in sys.stdin if line.strip())
        return
    from prompt_toolkit import PromptSession  # only where a person types
    from prompt_toolkit.history import FileHistory

    common.home_path.mkdir(parents=True, exist_ok=True)
    prompt: PromptSession[str] = PromptSession(history=FileHistory(str(common.home_path / "chat_history")))
    while True:
        try:
            line = prompt.prompt("> ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if line:
            yield line


def _guarded(chatting: _Chat, line: str) -> None:
    """One line; what goes wrong with it does not end the conversation."""
    try:
        chatting.codes.add(_answer_line(chatting, line))
    except (InputError, LookupError) as error:
        chatting.output.note(describe_error(error, chatting.output.lang)["message"])
        chatting.codes.add(ExitCode.usage)
    except KeyboardInterrupt:
        chatting.output.note(say("error.interrupted", chatting.output.lang))


def _answer_line(chatting: _Chat, line: str) -> int:
    word, _, rest = line.partition(" ")
    if word in _COMMANDS:
        _COMMANDS[word](chatting, rest.strip())
        return ExitCode.ok
    if word.startswith("/"):
        chatting.output.note(say("chat.unknown", chatting.output.lang, command=word, known=" ".join(_COMMANDS)))
        return ExitCode.ok
    return _turn(chatting, check_text(line))


def _turn(chatting: _Chat, text: str) -> int:
    from rqa_graph.cli.ask import AskRequest
    from rqa_graph.cli.turn import run_one, show_result

    request = AskRequest(text=text, model=chatting.model)
    chatting.last = run_one(chatting.session, request, chatting.common, chatting.output, thread=chatting.thread)
    show_result(chatting.last, chatting.output, brief=True)
    return ExitCode.ok if chatting.last.stored else ExitCode.home


def _full(chatting: _Chat, _rest: str) -> None:
    from rqa_nodes.reflect.panel import to_markdown

    panel = chatting.last.panel if chatting.last else None
    if panel is None:
        chatting.output.note(say("chat.no_panel", chatting.output.lang))
    else:
        chatting.output.markdown(to_markdown(panel))


def _why(chatting: _Chat, _rest: str) -> None:
    """The verification of the last turn, with the removed words, which only the log has."""
    if chatting.last is None:
        chatting.output.note(say("chat.no_turn", chatting.output.lang))
        return
    memory, scope = chatting.session.services.memory, chatting.session.scope
    rows = [
        [str(row["kind"]), str(row.get("text", "")), str(row.get("reason", ""))]
        for row in memory.removals(chatting.last.turn, scope=scope)
    ]
    if rows:
        chatting.output.table(_headings(chatting, "why.kind", "why.before", "why.reason"), rows)
    else:
        chatting.output.text(say("why.nothing", chatting.output.lang))
    chatting.output.text(say("why.after", chatting.output.lang, text=chatting.last.text))


def _memory(chatting: _Chat, _rest: str) -> None:
    memory, scope = chatting.session.services.memory, chatting.session.scope
    rows = [
        [node.handle, say(f"source.{node.source.value}", chatting.output.lang), node.kind.value, node.text]
        for node in memory.list(scope=scope, limit=20)
    ]
    chatting.output.table(_headings(chatting, "memory.handle", "memory.source", "memory.kind", "memory.text"), rows)


def _forget(chatting: _Chat, rest: str) -> None:
    if not rest:
        chatting.output.note(say("chat.forget_what", chatting.output.lang))
        return
    node = chatting.session.services.memory.forget(rest.strip("[]").removeprefix("m:"), scope=chatting.session.scope)
    chatting.output.text(say("memory.forgotten", chatting.output.lang, handle=node.handle))


def _headings(chatting: _Chat, *keys: str) -> list[str]:
    return [say(key, chatting.output.lang) for key in keys]


_COMMANDS: Final[Mapping[str, Callable[[_Chat, str], None]]] = {
    "/full": _full,
    "/why": _why,
    "/memory": _memory,
    "/forget": _forget,
}
