"""How does a person see one turn?

Released sentences appear as they come; the panel appears whole; notes go to standard error. One line at the end says
what was cited and what was removed, so that nothing is taken out silently.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rqa_graph.cli.ask import AskRequest
from rqa_graph.cli.common import Common
from rqa_graph.cli.output import Output, envelope
from rqa_graph.cli.progress import ProgressNotes
from rqa_graph.cli.running import RunningTurn
from rqa_graph.cli.session import TurnSession, open_turns
from rqa_graph.errors import ExitCode
from rqa_graph.evaluator import BoundEvaluator
from rqa_graph.messages import say
from rqa_graph.turns import INTERRUPTED, Event, TurnResult, arun_turn, report_line
from rqa_nodes.language import detect
from rqa_nodes.reflect.degrade import DegradeReason, reason_text
from rqa_nodes.reflect.panel import to_markdown
from rqa_nodes.state import DocumentInput
from rqa_nodes.tools.status import ToolStatus
from rqa_nodes.tools.words import status_words

__all__ = ["TurnView", "run_ask", "run_one", "show_question", "show_result", "start_one", "turn_fields", "wait_for"]


class TurnView:
    """Shows the events of a turn while it runs. With `--json` it shows nothing."""

    def __init__(self, output: Output, *, announced: str = "") -> None:
        self._output = output
        self._announced = announced
        self._level = 0
        self._open = False

    def __call__(self, event: Mapping[str, Any]) -> None:
        """Show one event of the custom channel."""
        if self._output.as_json:
            return
        match event["type"]:
            case "route":
                self._level = event["level"]
            case "prelude" if event["text"] != self._announced:
                self._output.note(event["text"])
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
    if result.question_reason == INTERRUPTED:
        return ExitCode.interrupted
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
    """Run one turn to its end, showing it as it comes.

    Ctrl-C ends it: before the answer is committed nothing is kept, after that the answer is the result.
    """
    running, notes = start_one(session, request, common, output, thread=thread, documents=documents)
    wait_for(running, notes)
    return running.result()


def wait_for(running: RunningTurn, notes: ProgressNotes, *, for_answer: bool = False) -> None:
    """Wait for the end or for the committed answer, with notes on the way; Ctrl-C ends the turn."""
    try:
        running.wait(for_answer=for_answer, tick=notes.tick)
    except KeyboardInterrupt:
        running.cancel()


def start_one(
    session: TurnSession,
    request: AskRequest,
    common: Common,
    output: Output,
    *,
    thread: str,
    documents: Sequence[DocumentInput] = (),
) -> tuple[RunningTurn, ProgressNotes]:
    """Start one turn, showing it as it comes."""
    context = session.context(
        common,
        lang=common.lang or request.lang,
        instrument=request.instrument or bool(documents),
        candidates=request.k,
        depth=request.depth,
        evaluator=request.evaluator,
    )
    view = TurnView(output, announced=request.announced)
    say_it = (lambda _text: None) if output.as_json else output.note
    notes = ProgressNotes(say_it, monotonic=time.monotonic, lang=output.lang)

    def show(event: Mapping[str, Any]) -> None:
        view(event)
        notes.heard(event)
        if event["type"] == "progress" and event["stage"] == "evaluate" and not output.as_json:
            _tell_where_it_goes(session, output)

    def run(on_event: Callable[[Event], None], on_values: Callable[[Event], None]) -> Coroutine[Any, Any, None]:
        return arun_turn(
            session.graph,
            request.text,
            thread=thread,
            context=context,
            documents=documents,
            library={"domain": request.domain, "jurisdiction": request.jurisdiction} if request.domain else {},
            on_event=on_event,
            on_values=on_values,
        )

    return RunningTurn(run, thread=thread, show=show), notes


def _tell_where_it_goes(session: TurnSession, output: Output) -> None:
    """Say, before the first text is scored on another machine, that it is."""
    evaluator = session.services.evaluator
    to = evaluator.newly_sent_to() if isinstance(evaluator, BoundEvaluator) else ""
    if to:
        output.note(say("evaluator.first_use", output.lang, to=to))


def turn_fields(result: TurnResult) -> dict[str, Any]:
    """The fields of a turn in JSON."""
    return asdict(result) | {"budget": result.budget or None}


def show_result(result: TurnResult, output: Output, *, brief: bool = False) -> None:
    """Show what the events did not: the panel, the side question, the memory line, and what did not work."""
    output.result(turn_fields(result), lambda out: _render(result, out, brief=brief), ok=result.stored)


def show_question(result: TurnResult, output: Output) -> None:
    """Show the side question of a turn, whose answer has been seen."""
    words = say("turn.question", output.lang, question=result.question)
    if output.as_json:
        output.row(envelope(output.command, turn_fields(result)))
    else:
        output.text(f"\n{words}")


def _render(result: TurnResult, output: Output, *, brief: bool) -> None:
    if result.panel is not None:
        # Brief is a part of the panel; the whole is the message as it was verified and committed.
        output.markdown(to_markdown(result.panel, brief=True) if brief else result.text)
    elif result.question:
        show_question(result, output)
    if result.level > 0:
        output.note(report_line(result.report, output.lang))
    for row in result.tools:
        if row["status"] != ToolStatus.ok:
            said = status_words(row["status"], output.lang)
            detail = f" ({row['detail']})" if row["detail"] else ""
            output.note(say("turn.tool", output.lang, tool=row["tool"], said=said, detail=detail))
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
