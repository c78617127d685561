"""`rqa memory reflect` and `explore`: the memory as a whole, from one side, or a little off the path."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["COMMANDS"]

_SIDES: Final = (
    *("summary", "values", "intentions", "commitments"),
    *("tasks_todo", "tasks_doing", "tasks_completed", "tasks_abandoned"),
    *("relationships", "contradictions", "dormant", "duplicates"),
)
"""For the help, which must cost no store; `reflecting.Side` is what decides."""


_HEAVY: Final = 0.2
"""Part of all added mass on the heaviest 1 % of the items, from which it is worth a word."""
_ENOUGH: Final = 100
"""Items from which 1 % is one of them or more."""


def reflect(
    common: Common,
    side: Annotated[str, typer.Argument(metavar="|".join(_SIDES), help="From where to look.")] = "summary",
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many.")] = 10,
) -> int:
    """Look at what is remembered from one side.

    Values, promises and tasks are those that you declared yourself.

    Example: rqa memory reflect tasks_todo
    """
    if side not in _SIDES:
        raise UsageFaultError("option.choice", option="SIDE", value=side, choices=", ".join(_SIDES))
    from rqa_checkpoints.reflecting import Side
    from rqa_graph.cli.items import answers_to, item_line, show_items
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import reflection_fields

    with open_memory(common, needs="log") as session:
        seen = session.memory.reflect(Side(side), scope=session.scope, limit=limit)
        shown_nodes = [*seen.items, *(node for pair in seen.pairs for node in pair)]
        answers = answers_to(session.memory, shown_nodes, session.scope)
    fields = reflection_fields(seen)

    def render(out: Any) -> None:
        lang = out.lang
        if side == "summary":
            rows = [[say(f"side.{name}", lang), count] for name, count in seen.counts.items()]
            out.text(say("side.summary", lang, total=seen.total))
            out.table([say("side", lang), say("memory.count", lang)], rows)
            if seen.total >= _ENOUGH and seen.heaviest_share > _HEAVY:
                out.note(say("side.heavy", lang, percent=f"{100 * seen.heaviest_share:.0f}"))
        elif seen.pairs:
            pairs = (row for pair in seen.pairs for row in enumerate(pair))
            out.tree([(depth, item_line(node, lang, answers)) for depth, node in pairs])
        else:
            show_items(out, seen.items, answers)
        shown = len(seen.items) + len(seen.pairs)
        if side != "summary" and shown < seen.total:
            out.text(say("side.more", lang, shown=shown, total=seen.total))

    common.output("memory.reflect").result(fields, render)
    return ExitCode.ok


def explore(
    common: Common,
    query: Annotated[str, typer.Argument(metavar="TEXT|-", help="What it is about.")],
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="At most so many.")] = 8,
    diversity: Annotated[
        float, typer.Option("--diversity", metavar="0..1", min=0, max=1, help="0 is the order of a recall.")
    ] = 0.5,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same one gives the same draw.")] = 0,
) -> int:
    """Draw from what is near a text, not only the nearest. Looking changes nothing.

    Example: rqa memory explore "bees" --seed 3
    """
    from rqa_graph.cli.items import answers_to, show_items
    from rqa_graph.cli.session import open_memory
    from rqa_graph.inputs import read_message
    from rqa_graph.memory_fields import exploration_fields

    words = read_message(query)
    with open_memory(common, needs="index") as session:
        found = session.memory.explore(words, scope=session.scope, limit=limit, diversity=diversity, seed=seed)
        answers = answers_to(session.memory, found.items, session.scope)
    fields = exploration_fields(found)

    def render(out: Any) -> None:
        show_items(out, found.items, answers)
        out.text(say("explore.drawn", out.lang, shown=len(found.items), pool=found.pool, seed=found.seed))

    common.output("memory.explore").result(fields, render)
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {"explore": explore, "reflect": reflect}
"""Name and function of each command; they belong to the group `rqa memory`."""
