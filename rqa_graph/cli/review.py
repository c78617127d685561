"""`rqa review`: open the instrument panel over a document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rqa_graph.cli.ask import AskRequest
from rqa_graph.cli.common import Candidates, Common, Model, NoEvaluator, Rounds, with_common
from rqa_graph.inputs import read_document
from rqa_nodes.language import detect
from rqa_nodes.state import DocumentInput

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("review")(with_common(review))


def review(
    common: Common,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A text, Markdown, PDF or code file of up to 1 MB.")],
    *,
    brief: Annotated[bool, typer.Option("--brief", help="Show the question, the runners-up and one line.")] = False,
    k: Candidates = None,
    depth: Rounds = None,
    model: Model = "",
    no_evaluator: NoEvaluator = False,
) -> int:
    """Take a document apart and ask one deeper question.

    Example: rqa review design_note.md --brief
    """
    document = read_document(path)
    from rqa_graph.cli.turn import run_ask  # the graph, the memory and the models

    request = AskRequest(
        text="",
        command="review",
        lang=detect(document.text),
        instrument=True,
        brief=brief,
        k=k,
        depth=depth,
        model=model,
        evaluator=not no_evaluator,
    )
    return run_ask(request, common, [DocumentInput(locator=Path(path).name, text=document.text)])
