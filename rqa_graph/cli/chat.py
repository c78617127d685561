"""`rqa chat`: a conversation in one thread.

A line is a turn; a line that begins with a slash is a command. Ctrl-C ends a running turn, not the conversation: what
was committed stays. Where a person types, the prompt is back as soon as the answer is committed: a side question comes
later, above the prompt, and the next message ends the search for one. A pipe has nobody to keep waiting, so there each
turn is run to its end. What goes wrong with one line does not end the conversation either; the exit code tells a
script. History of typed lines lies in the home.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli import chat_views
from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.cli.output import Output, show_error
from rqa_graph.error_description import describe_error
from rqa_graph.errors import ExitCode, UsageFaultError, exit_code
from rqa_graph.inputs import check_text
from rqa_graph.messages import say
from rqa_nodes.echo.types import VerdictKind, reason_words

__all__ = ["register"]

_LEAVE: Final = frozenset({"/quit", "/exit", "/q"})
_SPOKEN: Final = ("en", "ja")
_YES: Final = frozenset({"yes", "はい"})
_LISTED: Final = 20
"""Items that `/memory` shows: the newest; `rqa memory list` has them all."""


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
    asked: str = ""
    """The message that the last turn answered."""
    typed: bool = False
    """True if a person types the lines."""
    running: Any = None
    """The turn that is still looking for a side question; None if there is none."""
    codes: set[int] = field(default_factory=set)


def chat(
    common: Common,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A first message.")] = "",
    *,
    thread: Annotated[str, typer.Option("--thread", metavar="ID", help="Continue this thread.")] = "",
    model: Model = "",
) -> int:
    """Talk in one thread; /full /why /memory /forget /erase /quit.

    Each line of standard input is a message. /full shows the panel of the last turn, /why what was checked and
    removed in it, /whynot what was held back for it, /sources what it rests on, /graph how things hang together,
    /memory what is remembered; /forget HANDLE hides an item, /erase HANDLE shows what would go with it, /erase HANDLE
    yes erases it, /export FILE writes all of it, /lang en|ja changes the language, /help lists these, /quit ends.

    Example: rqa chat "I keep bees near Lund."
    """
    from rqa_graph.cli.session import open_turns  # the graph, the memory and the models

    output = common.output("chat")
    with open_turns(common, model=model) as session:
        chatting = _Chat(
            session=session,
            common=common,
            output=output,
            thread=thread or session.services.ids(),
            model=model,
            typed=sys.stdin.isatty(),
        )
        for line in _lines(text, chatting):
            if line in _LEAVE:
                break
            _guarded(chatting, line)
        _settle(chatting)
        if chatting.last is not None:
            spoken = chatting.output  # `/lang` may have changed it
            spoken.note(say("chat.thread", spoken.lang, thread=chatting.thread))
    return max(chatting.codes, default=ExitCode.ok)


def _lines(first: str, chatting: _Chat) -> Iterator[str]:
    """Typed lines, until the input ends."""
    if first:
        yield first
    if not chatting.typed:
        yield from (line.strip() for line in sys.stdin if line.strip())
        return
    from prompt_toolkit import PromptSession  # only where a person types
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.patch_stdout import patch_stdout

    from rqa_graph.erasing import CHAT_HISTORY

    history = FileHistory(str(chatting.common.home_path / CHAT_HISTORY))
    prompt: PromptSession[str] = PromptSession(history=history)
    chatting.output.note(say("chat.welcome", chatting.output.lang))
    while True:
        try:
            with patch_stdout(raw=True):
                line = prompt.prompt("> ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if line:
            yield line


def _guarded(chatting: _Chat, line: str) -> None:
    """One line; what goes wrong with it is said, and the conversation goes on."""
    try:
        chatting.codes.add(_answer_line(chatting, line))
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001  # as at the outermost frame: whatever it is, say it
        output = chatting.output
        show_error(
            describe_error(error, output.lang),
            command=output.command,
            as_json=output.as_json,
            lang=output.lang,
            cause=error if chatting.common.debug else None,
        )
        if not isinstance(error, KeyboardInterrupt):
            chatting.codes.add(exit_code(error))


def _answer_line(chatting: _Chat, line: str) -> int:
    word, _, rest = line.partition(" ")
    if word in _COMMANDS:
        _COMMANDS[word](chatting, rest.strip())
        return ExitCode.ok
    if word == "/help":
        chatting.output.note(say("chat.known", chatting.output.lang, known=" ".join([*_COMMANDS, "/quit"])))
        return ExitCode.ok
    if word.startswith("/") and word[1:].isalpha():
        raise UsageFaultError("chat.unknown", command=word, known=" ".join([*_COMMANDS, "/quit"]))
    return _turn(chatting, check_text(line))


def _turn(chatting: _Chat, text: str) -> int:
    from rqa_graph.cli.ask import AskRequest
    from rqa_graph.cli.turn import run_one, show_result
    from rqa_nodes.language import detect

    _settle(chatting)
    chatting.asked = text
    output = chatting.output.speaking(chatting.common.lang_beside(detect(text)))
    request = AskRequest(text=text, model=chatting.model)
    if chatting.typed:
        return _typed_turn(chatting, request, output)
    chatting.last = run_one(chatting.session, request, chatting.common, output, thread=chatting.thread)
    show_result(chatting.last, output, brief=True)
    return ExitCode.ok if chatting.last.stored else ExitCode.home


def _typed_turn(chatting: _Chat, request: Any, output: Output) -> int:
    """A turn that gives the prompt back once its answer is committed; its side question, if any, comes later."""
    from rqa_graph.cli.turn import show_question, show_result, start_one, wait_for

    def later(result: Any) -> None:
        chatting.last = result
        show_question(result, output)

    running, notes = start_one(chatting.session, request, chatting.common, output, thread=chatting.thread)
    wait_for(running, notes, for_answer=True)
    chatting.last, chatting.running = running.result(later=later), running
    show_result(chatting.last, output, brief=True)
    return ExitCode.ok if chatting.last.stored else ExitCode.home


def _settle(chatting: _Chat) -> None:
    """End the search for a side question: a new message is worth more."""
    if chatting.running is not None:
        chatting.running.cancel()
    chatting.running = None


def _last(chatting: _Chat) -> Any:
    """The last turn of this conversation."""
    if chatting.last is None:
        raise UsageFaultError("chat.no_turn")
    return chatting.last


def _full(chatting: _Chat, _rest: str) -> None:
    """The panel of the last turn."""
    last = _last(chatting)
    if last.panel is None:
        raise UsageFaultError("chat.no_panel")
    _command_output(chatting, "full").result({"panel": last.panel}, lambda out: out.markdown(last.text))


def _why(chatting: _Chat, _rest: str) -> None:
    """The verification of the last turn, with the removed words, which only the log has, and what use has changed."""
    from rqa_graph.cli.recall_view import delta_lines, read_delta

    turn, session = _last(chatting), chatting.session
    actions = {(row["kind"], tuple(row["span"])): row["action"] for row in turn.report.get("verdicts", ())}
    findings = [
        {
            "kind": row["kind"],
            "before": row.get("text", ""),
            "action": actions.get((row["kind"], tuple(row["span"])), "removed"),
        }
        for row in session.services.memory.removals(turn.turn, scope=session.scope)
    ]
    delta = turn.training_delta
    fields = {
        "turn": turn.turn,
        "findings": findings,
        "after": turn.text,
        "report": turn.report,
        "tools": list(turn.tools),
        "training_delta": dict(delta),
    }
    used = session.services.memory.get(list(delta.get("applied", {})), scope=session.scope)

    def render(out: Output) -> None:
        _show_findings(out, findings, turn.text)
        _show_lookups(out, turn.tools)
        for line in delta_lines(read_delta(delta), {node.id: node.handle for node in used}, out.lang):
            out.text(line)

    _command_output(chatting, "why").result(fields, render)


def _show_lookups(out: Output, rows: Sequence[Mapping[str, Any]]) -> None:
    """What was looked up: who asked, for what, what came of it, and whether that left this machine."""
    from rqa_nodes.tools.words import status_words

    for row in rows:
        found = " ".join(f"[m:{ref['handle']}]" for ref in row["items"])
        parts = [row["query"], status_words(row["status"], out.lang), row["detail"], found]
        if row["withheld"]:
            parts.append(say("why.withheld", out.lang, count=row["withheld"]))
        said = say("why.by_model" if row["by"] == "model" else "why.by_program", out.lang, tool=row["tool"])
        parts.append(say("why.left", out.lang) if row["leaves"] else "")
        out.text(f"{said}: {' · '.join(part for part in parts if part)}")


def _show_findings(out: Output, findings: list[dict[str, str]], after: str) -> None:
    if findings:
        columns = [say(f"why.{name}", out.lang) for name in ("kind", "before", "action")]
        rows = [
            [reason_words(VerdictKind(row["kind"]), out.lang), row["before"], say(f"action.{row['action']}", out.lang)]
            for row in findings
        ]
        out.table(columns, rows)
    else:
        out.text(say("why.nothing", out.lang))
    out.text(say("why.after", out.lang, text=after))


def _memory(chatting: _Chat, _rest: str) -> None:
    """The newest items."""
    from rqa_graph.cli.items import answers_to, show_items
    from rqa_graph.memory_fields import item_fields

    memory, scope = chatting.session.services.memory, chatting.session.scope
    nodes = memory.list(scope=scope, limit=_LISTED)
    answers = answers_to(memory, nodes, scope)
    fields = {"items": [item_fields(node) for node in nodes]}
    _command_output(chatting, "memory").result(fields, lambda out: show_items(out, nodes, answers))


def _forget(chatting: _Chat, rest: str) -> None:
    """Hide an item from recall."""
    from rqa_graph.memory_fields import bare, item_fields

    if not rest:
        raise UsageFaultError("chat.forget_what")
    node = chatting.session.services.memory.forget(bare(rest), scope=chatting.session.scope)
    words = say("memory.forgotten", chatting.output.lang, handle=node.handle)
    _command_output(chatting, "forget").result(item_fields(node), lambda out: out.text(words))


def _erase(chatting: _Chat, rest: str) -> None:
    """Show what would go with an item; with the word "yes" after it, erase that."""
    from rqa_graph.cli.erasure import show_plan, show_receipt
    from rqa_graph.cli.session import load_settings
    from rqa_graph.erasing import plan_fields
    from rqa_graph.memory_fields import bare
    from rqa_graph.memory_opening import open_eraser

    handle, _, word = rest.partition(" ")
    if not handle or word.strip() not in {"", *_YES}:
        raise UsageFaultError("chat.erase_what")
    _settle(chatting)
    session, output = chatting.session, _command_output(chatting, "erase")
    settings = load_settings(chatting.common)
    with open_eraser(session.services.memory, settings, saver=session.graph.checkpointer) as eraser:
        plan = eraser.plan_item(bare(handle), scope=session.scope)
        if not word:
            output.result({"dry_run": True, **plan_fields(plan)}, lambda out: show_plan(out, plan, dry=True))
            output.note(say("chat.erase_confirm", output.lang, handle=plan.name))
            return
        receipt = eraser.erase(plan)
    if chatting.thread in plan.threads:
        chatting.last = None  # its words may be those that were erased
    output.result({"dry_run": False, "receipt": receipt}, lambda out: show_receipt(out, receipt))


def _whynot(chatting: _Chat, rest: str) -> None:
    """What was held back for the last message, or for other words."""
    if not rest:
        _last(chatting)
    chat_views.whynot(chatting.session, _command_output(chatting, "whynot"), check_text(rest or chatting.asked))


def _sources(chatting: _Chat, _rest: str) -> None:
    chat_views.sources(chatting.session, _command_output(chatting, "sources"), _last(chatting))


def _graph(chatting: _Chat, _rest: str) -> None:
    chat_views.graph(chatting.session, _command_output(chatting, "graph"))


def _export(chatting: _Chat, rest: str) -> None:
    chat_views.export(chatting.session, _command_output(chatting, "export"), rest)


def _lang(chatting: _Chat, rest: str) -> None:
    """Speak another language from here on, in messages and in replies."""
    if rest not in _SPOKEN:
        raise UsageFaultError("option.choice", option="/lang", value=rest, choices=", ".join(_SPOKEN))
    chatting.common = replace(chatting.common, lang=rest)
    chatting.output = chatting.output.speaking(rest)
    words = say("chat.speaks", rest)
    _command_output(chatting, "lang").result({"lang": rest}, lambda out: out.text(words))


def _command_output(chatting: _Chat, name: str) -> Output:
    return Output(f"chat.{name}", as_json=chatting.output.as_json, lang=chatting.output.lang)


_COMMANDS: Final[Mapping[str, Callable[[_Chat, str], None]]] = {
    "/full": _full,
    "/why": _why,
    "/whynot": _whynot,
    "/sources": _sources,
    "/graph": _graph,
    "/memory": _memory,
    "/forget": _forget,
    "/erase": _erase,
    "/export": _export,
    "/lang": _lang,
}
