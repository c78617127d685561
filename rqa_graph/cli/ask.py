"""`rqa ask`: one question, one answer.

Light input is answered from the router's table alone, and nothing of the graph, the memory or a model is imported for
it. Everything else is one turn of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from rqa_graph.cli.common import Candidates, Common, Model, NoEvaluator, Rounds, with_common
from rqa_graph.cli.light import answer_fixed, open_router
from rqa_graph.inputs import read_document, read_message

if TYPE_CHECKING:
    from rqa_nodes.state import DocumentInput

__all__ = ["AskRequest", "register"]

_INSTRUMENT: Final = 3
"""The level of a message that hands something over to be taken apart."""
_WORDS_READ: Final = 64
_LONGEST_PATH: Final = 1024
_AROUND_PATHS: Final = "\"'`<>()[]「」『』、。，,;:!?！？"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """What was asked, and how this one turn differs from the settings."""

    text: str
    instrument: bool = False
    brief: bool = False
    """Show the question, the runners-up and one status line instead of the panel."""
    k: int | None = None
    """Question candidates a round; None leaves it to the budget."""
    depth: int | None = None
    """Rounds of reflection; None leaves it to the budget."""
    model: str = ""
    """"builtin", "ollama:NAME", "groq:NAME" or "openai:NAME"; "" leaves it to the settings."""
    evaluator: bool = True
    lang: str = ""
    """Language of the reply where no option says it; "" leaves it to the message."""
    domain: str = ""
    """Domain of the policies whose verified answers may be given; "" asks neither library nor deliberation."""
    jurisdiction: str = ""
    command: str = "ask"
    """Which command asks, for the name of the JSON object."""
    announced: str = ""
    """The prelude, where it has been shown already."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("ask")(with_common(ask))


def ask(
    common: Common,
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="The question; `-` reads it from standard input.")],
    *,
    instrument: Annotated[bool, typer.Option("--instrument", help="Open the instrument panel.")] = False,
    brief: Annotated[bool, typer.Option("--brief", help="Show less than the whole panel.")] = False,
    k: Candidates = None,
    depth: Rounds = None,
    model: Model = "",
    no_evaluator: NoEvaluator = False,
    domain: Annotated[
        str, typer.Option("--domain", metavar="NAME", help="Give a verified answer of this domain, or deliberate.")
    ] = "",
    jurisdiction: Annotated[
        str, typer.Option("--jurisdiction", metavar="CODE", help="With --domain: which law, such as JP or US-NY.")
    ] = "",
) -> int:
    """Ask one question and get one answer.

    Example: rqa ask "Should we cache personal answers?"
    """
    message = read_message(text)
    route = open_router(common.home_path).route(message, instrument=instrument, lang=common.lang or None)
    if route.level == 0:
        return answer_fixed(route, common.output("ask"))
    if not common.as_json and route.prelude:
        common.output("ask").note(route.prelude)  # now: the imports below take seconds
    request = AskRequest(
        text=message,
        instrument=instrument,
        brief=brief,
        k=k,
        depth=depth,
        model=model,
        evaluator=not no_evaluator,
        announced=route.prelude,
        domain=domain,
        jurisdiction=jurisdiction,
    )
    documents = list(_named_documents(request.text)) if route.level == _INSTRUMENT else []
    from rqa_graph.cli.turn import run_ask  # the graph, the memory and the models

    code: int = run_ask(request, common, documents)
    return code


def _named_documents(text: str) -> Iterator[DocumentInput]:
    """The files that a message names by their path; a path that leads nowhere is a word like any other."""
    for word in text.split()[:_WORDS_READ]:
        bare = word.strip(_AROUND_PATHS)
        if "." in bare and len(bare) < _LONGEST_PATH and Path(bare).is_file():
            yield {"locator": bare, "text": read_document(bare).text}
