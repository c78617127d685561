"""`rqa demo`: see in a minute what this program is for.

Two conversations of four turns run through the real graph, in a home of their own that is thrown away. Their model is
scripted, and said to be: it must guess, invent a reference and claim "as we established" every time, so that there is
something to see. Then whatever model is there answers the same question and reviews the design note.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common, Model, with_common
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode
from rqa_graph.messages import say

__all__ = ["register"]

_CONVERSATIONS: Final = ("conversation.en.yaml", "conversation.ja.yaml")
_NOTE: Final = "design_note.md"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(with_common(demo))


def demo(
    common: Common,
    *,
    model: Model = "",
    brief: Annotated[bool, typer.Option("--brief", help="A shorter panel at the end.")] = False,
) -> int:
    """Show two conversations, what was removed, and a review.

    The model of the conversations is scripted, and so are the scores of the side question; both say so.

    Example: rqa demo
    """
    output = common.output("demo")
    with tempfile.TemporaryDirectory(prefix="rqa-demo-") as home:
        shown = [_converse(name, Path(home) / name, common, output, model=model) for name in _CONVERSATIONS]
        review = _review(Path(home) / "review", common, output, model=model, brief=brief)
    if output.as_json:
        output.result({"conversations": shown, "review": review}, lambda _out: None)
    return ExitCode.ok


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stage:
    """One conversation on a graph of its own."""

    script: Mapping[str, Any]
    services: Any
    graph: Any
    output: Output
    scripted: Any

    @property
    def lang(self) -> str:
        return str(self.script["lang"])

    def run(self, text: str, *, thread: str = "demo", model: str = "", evaluator: bool = False) -> Any:
        from rqa_graph.turns import run_turn
        from rqa_nodes.state import Context

        context = Context(tenant="demo", user=self.script["user"], lang=self.lang, model=model, evaluator=evaluator)
        result = run_turn(self.graph, text, thread=thread, context=context)
        trail = self.services.memory.trail
        if trail is not None:
            trail.catch_up()  # a person takes longer to type the next message than indexing takes
        return result

    def items(self, refs: Sequence[Mapping[str, str]]) -> list[Any]:
        """The items behind references of a turn."""
        scope = self.services.scope("demo", self.script["user"])
        return list(self.services.memory.get([ref["id"] for ref in refs], scope=scope))

    def removed(self, turn: str) -> list[Mapping[str, Any]]:
        scope = self.services.scope("demo", self.script["user"])
        return list(self.services.memory.removals(turn, scope=scope))


def _converse(name: str, home: Path, common: Common, output: Output, *, model: str) -> dict[str, Any]:
    from langgraph.checkpoint.memory import InMemorySaver

    from rqa_graph.graph import build_graph
    from rqa_graph.resources import example_path, load_yaml

    script = load_yaml(example_path(name))
    scripted = _scripted_model(script)
    services = _scripted_services(script, scripted, home, common, model=model)
    try:
        graph = build_graph(services=services, checkpointer=InMemorySaver())
        stage = _Stage(script=script, services=services, graph=graph, output=output, scripted=scripted)
        output.heading(say("demo.conversation", stage.lang, user=script["user"], model=script["model"]))
        turns = [_turn(stage, row) for row in script["turns"]]
        same = _same_question(stage, script["turns"][-1]["user"], model=model or "configured")
        question = _side_question(stage)
    finally:
        services.close()
    return {"lang": stage.lang, "turns": turns, "same_question": same, "side_question": question}


def _scripted_model(script: Mapping[str, Any]) -> Any:
    from rqa_nodes.scripted import ScriptedChatModel

    side = script["side_question"]
    replies = [row["reply"] for row in script["turns"]] + [side["reply"], json.dumps(side["analysis"])]
    return ScriptedChatModel(replies, engine=script["model"])


def _scripted_services(script: Mapping[str, Any], scripted: Any, home: Path, common: Common, *, model: str) -> Any:
    """Services whose default model and evaluator are scripted; other names reach the real ones."""
    from rqa_graph.services import open_services
    from rqa_graph.settings import Settings
    from rqa_nodes.scripted import ScriptedEvaluator

    overrides = {"models": {"chat": model}} if model else {}
    real = open_services(Settings.load(home=home, overrides=overrides), lang=common.ui_lang)
    return real.replaced(
        resolve=lambda name: scripted if name == "" else real.chat("" if name == "configured" else name),
        evaluator=ScriptedEvaluator([json.dumps(script["side_question"]["evaluation"])]),
    )


def _turn(stage: _Stage, row: Mapping[str, str]) -> dict[str, Any]:
    """One turn: what the user said, what the model wrote, what was shown, and who is credited."""
    from rqa_graph.turns import report_line

    out, lang = stage.output, stage.lang
    result = stage.run(row["user"])
    removed = stage.removed(result.turn)
    out.say(say("demo.user", lang, user=stage.script["user"], text=row["user"]))
    if removed:
        out.say(say("demo.wrote", lang, text=stage.scripted.written[-1]))
    out.say(say("demo.shown", lang, text=result.text))
    for node in stage.items(result.memory["cited"]):
        out.say(
            say("demo.credit", lang, handle=node.handle, who=say(f"source.{node.source.value}", lang), text=node.text)
        )
    for words in removed:
        out.say(say("demo.removed", lang, kind=words["kind"], text=words["text"]))
    out.say(f"  {report_line(result.report, lang)}\n")
    return {
        "user": row["user"],
        "text": result.text,
        "report": result.report,
        "memory": result.memory,
        "removed": removed,
    }


def _same_question(stage: _Stage, text: str, *, model: str) -> dict[str, Any]:
    """The last question again, in a new thread, to whatever model is there: memory alone carries the answer."""
    from rqa_graph.turns import report_line

    result = stage.run(text, model=model, thread="demo-again")
    out, lang = stage.output, stage.lang
    out.say(say("demo.same", lang, engine=result.engine, text=text))
    out.say(say("demo.shown", lang, text=result.text))
    out.say(f"  {report_line(result.report, lang)}\n")
    return {"engine": result.engine, "text": result.text, "report": result.report}


def _side_question(stage: _Stage) -> dict[str, Any]:
    """A level-2 turn whose question and scores are scripted."""
    side, lang, out = stage.script["side_question"], stage.lang, stage.output
    result = stage.run(side["input"], thread="demo-side", evaluator=True)
    out.say(say("demo.user", lang, user=stage.script["user"], text=side["input"]))
    out.say(say("demo.shown", lang, text=result.text))
    best = (result.rounds[-1].get("evaluation") or {}).get("scores", []) if result.rounds else []
    top = max(best, key=lambda row: row["total"], default=None)
    if result.question and top:
        out.say(say("demo.question", lang, question=result.question, **top))
    else:
        out.say(say("demo.no_question", lang, reason=result.question_reason))
    out.say("")
    return {"question": result.question, "reason": result.question_reason, "scores": best}


def _review(home: Path, common: Common, output: Output, *, model: str, brief: bool) -> dict[str, Any]:
    from langgraph.checkpoint.memory import InMemorySaver

    from rqa_graph.graph import build_graph
    from rqa_graph.resources import example_path
    from rqa_graph.services import open_services
    from rqa_graph.settings import Settings
    from rqa_graph.turns import run_turn
    from rqa_nodes.reflect.panel import to_markdown
    from rqa_nodes.state import Context, DocumentInput

    overrides = {"models": {"chat": model}} if model else {}
    services = open_services(Settings.load(home=home, overrides=overrides), lang=common.ui_lang)
    try:
        graph = build_graph(services=services, checkpointer=InMemorySaver())
        document = DocumentInput(locator=_NOTE, text=example_path(_NOTE).read_text("utf-8"))
        result = run_turn(
            graph,
            "",
            thread="demo-review",
            context=Context(tenant="demo", user="demo", lang="en", instrument=True),
            documents=[document],
        )
    finally:
        services.close()
    output.heading(say("demo.review", output.lang, name=_NOTE, engine=result.engine))
    if result.panel is not None and not output.as_json:
        output.markdown(to_markdown(result.panel, brief=True) if brief else result.text)
    if result.notice:
        output.note(result.notice)
    return {"engine": result.engine, "panel": result.panel, "stop_reason": result.stop_reason}
