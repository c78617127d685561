"""How does a person see one turn?

Released sentences appear as they come; the panel appears whole; notes go to standard error. One line at the end says
what was cited and what was removed, so that nothing is taken out silently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from threading import Thread
from typing import Any, Final

from rqa_graph.cli.ask import AskRequest
from rqa_graph.cli.common import Common
from rqa_graph.cli.output import Output
from rqa_graph.cli.session import TurnSession, open_turns
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say
from rqa_graph.turns import TurnResult, report_line, run_turn
from rqa_nodes.language import detect
from rqa_nodes.reflect.degrade import DegradeReason, reason_text
from rqa_nodes.reflect.panel import to_markdown
from rqa_nodes.state import DocumentInput

__all__ = ["TurnView", "run_ask", "run_one", "turn_fields"]

_POLL_SECONDS: Final = 0.2
"""How often the waiting thread looks up; a signal is handled there alone."""
_GRACE_SECONDS: Final = 1.0
"""How long a cancelled turn may take to notice; a model that is silent notices at its next word."""


class TurnView:
    """Shows the events of a turn while it runs. With `--json` it shows nothing."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._level = 0
        self._open = False

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Show one event of the custom channel."""
        if self._output.as_json:
            return
        match event["type"]:
            case "route":
                self._level = event["level"]
            case "prelude":
                self._output.note(event["text"])
            case "progress":
                self._output.note(say(f"progress.{event['stage']}", self._output.lang, round=event["round"]))
            case "text" if self._level != 3 and event["part"] != "question":
                self._output.chunk(event["text"])
                self._open = True
            case "committed" if self._open:
                self._output.chunk("\n")
                self._open = False
            case "withdrawn":
                self._output.chunk("\n" if self._open else "")
                self._output.note(say("turn.withdrawn", self._output.lang))
                self._open = False
            case _:
                pass


def run_ask(request: AskRequest, common: Common, documents: Sequence[DocumentInput] = ()) -> int:
    """Run one turn in a thread of its own and show it.

    Args:
        request: What was asked, and the options of this run.
        common: The options that all commands have.
        documents: Documents that the message is about.
    """
    lang = common.lang_beside(request.lang or detect(request.text))
    output = common.output(request.command).speaking(lang)
    with open_turns(common, model=request.model, lang=lang) as session:
        result = run_one(session, request, common, output, thread=session.services.ids(), documents=documents)
    show_result(result, output, brief=request.brief)
    return ExitCode.ok if result.stored else ExitCode.home


def run_one(
    session: TurnSession,
    request: AskRequest,
    common: Common,
    output: Output,
    *,
    thread: str,
    documents: Sequence[DocumentInput] = (),
) -> TurnResult:
    """Run one turn, showing it as it comes."""
    context = session.context(
        common,
        lang=common.lang or request.lang,
        instrument=request.instrument or bool(documents),
        candidates=request.k,
        depth=request.depth,
        evaluator=request.evaluator,
    )
    work = partial(
        run_turn,
        session.graph,
        request.text,
        thread=thread,
        context=context,
        documents=documents,
        on_event=TurnView(output),
    )
    return _interruptible(work, session.services.begin())


def _interruptible(work: Callable[[], TurnResult], cancel: Callable[[], None]) -> TurnResult:
    """Do the work in a thread, so that Ctrl-C is heard while a model is waited for."""
    outcome: list[TurnResult | BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001  # carried to the thread that waits, and raised there
            outcome.append(error)

    worker = Thread(target=run, daemon=True)
    worker.start()
    try:
        while worker.is_alive():
            worker.join(_POLL_SECONDS)
    except KeyboardInterrupt:
        cancel()
        worker.join(_GRACE_SECONDS)
        raise
    (found,) = outcome
    if isinstance(found, BaseException):
        raise found
    return found


def turn_fields(result: TurnResult) -> dict[str, Any]:
    """The fields of a turn in JSON."""
    return asdict(result) | {"budget": result.budget or None}


def show_result(result: TurnResult, output: Output, *, brief: bool = False) -> None:
    """Show what the events did not: the panel, the side question, the memory line, and what did not work."""
    output.result(turn_fields(result), lambda out: _render(result, out, brief=brief), ok=result.stored)


def _render(result: TurnResult, output: Output, *, brief: bool) -> None:
    if result.panel is not None:
        # Brief is a part of the panel; the whole is the message as it was verified and committed.
        output.markdown(to_markdown(result.panel, brief=True) if brief else result.text)
    elif result.question:
        output.text(f"\n{say('turn.question', output.lang, question=result.question)}")
    if result.level > 0:
        output.note(report_line(result.report, output.lang))
    if result.withheld:
        output.note(say("turn.withheld", output.lang, count=len(result.withheld)))
    if result.degraded_reason and not _in_panel(result):
        output.note_once(say("turn.degraded", output.lang, reason=reason_text(result.degraded_reason, output.lang)))
    if not result.stored:
        output.note(say("turn.not_stored", output.lang))
    if result.notice:
        output.note_once(result.notice)


def _in_panel(result: TurnResult) -> bool:
    """True if the panel says why it was degraded: it names a missing judge, but no model that failed."""
    return result.panel is not None and result.degraded_reason in DegradeReason.__members__
