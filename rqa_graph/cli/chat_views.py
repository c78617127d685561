"""What a conversation can be asked about itself: why not this item, from where, how things hang together, all of it.

Looking changes nothing; `/export` writes a new file and nothing else.
"""

from __future__ import annotations

from typing import Any

from rqa_graph.cli.output import Output
from rqa_graph.errors import UsageFaultError
from rqa_graph.messages import say

__all__ = ["export", "graph", "sources", "whynot"]


def whynot(session: Any, out: Output, words: str) -> None:
    """What is found for the words, and the strongest matches that were held back, each with the one thing that did."""
    from rqa_graph.cli.items import answers_to
    from rqa_graph.cli.recall_view import show_recall
    from rqa_graph.memory_fields import recall_fields

    found = session.services.memory.recall(words, scope=session.scope, explain=True)
    answers = answers_to(session.services.memory, [item.node for item in found.items], session.scope)
    delta = found.training_delta
    out.result(
        recall_fields(found, delta),
        lambda to: show_recall(to, found=found, delta=delta, explain=True, beside=False, answers=answers),
    )


def sources(session: Any, out: Output, turn: Any) -> None:
    """The items that the last reply cites, with who said each and where it stands."""
    from rqa_graph.cli.items import answers_to, show_items
    from rqa_graph.memory_fields import item_fields

    cited = [ref["id"] for ref in turn.memory["cited"]]
    nodes = session.services.memory.get(cited, scope=session.scope)
    answers = answers_to(session.services.memory, nodes, session.scope)
    fields = {"items": [item_fields(node) for node in nodes]}
    out.result(fields, lambda to: show_items(to, nodes, answers) if nodes else to.text(say("chat.no_sources", to.lang)))


def graph(session: Any, out: Output) -> None:
    """Questions, claims and tensions by count."""
    from rqa_graph.cli.graph import show_stats

    found = session.services.memory.graph(scope=session.scope).stats()
    out.result(found, lambda to: show_stats(to, found))


def export(session: Any, out: Output, path: str) -> None:
    """Everything that is remembered of the person, into a new file."""
    from rqa_graph.cli.export import write_rows

    if not path:
        raise UsageFaultError("chat.export_where")
    write_rows(out, session.services.memory.export(scope=session.scope), path)
