"""What a conversation can be asked about itself: why not this item, from where, how things hang together, all of it.

Looking changes nothing; `/export` writes a new file and nothing else.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rqa_graph.cli.output import Output
from rqa_graph.errors import UsageFaultError
from rqa_graph.messages import say

__all__ = ["export", "graph", "sources", "whynot"]


def whynot(session: Any, out: Output, words: str) -> None:
    """What is found for the words, and the strongest matches that were held back, each with the one thing that did."""
    from rqa_graph.cli.recall_view import show_recall
    from rqa_graph.memory_fields import recall_fields

    found = session.services.memory.recall(words, scope=session.scope, explain=True)
    delta = found.training_delta
    out.result(
        recall_fields(found, delta),
        lambda to: show_recall(to, found=found, delta=delta, explain=True, beside=False),
    )


def sources(session: Any, out: Output, turn: Any) -> None:
    """The items that the last reply cites, with who said each and where it stands."""
    from rqa_graph.cli.items import show_items
    from rqa_graph.memory_fields import item_fields

    cited = [ref["id"] for ref in turn.memory["cited"]]
    nodes = session.services.memory.get(cited, scope=session.scope)
    fields = {"items": [item_fields(node) for node in nodes]}
    out.result(fields, lambda to: show_items(to, nodes) if nodes else to.text(say("chat.no_sources", to.lang)))


def graph(session: Any, out: Output) -> None:
    """Questions, claims and tensions by count."""
    found = session.services.memory.graph(scope=session.scope).stats()

    def render(to: Output) -> None:
        rows = []
        for name, value in found.items():
            shown = ", ".join(f"{key} {count}" for key, count in value.items()) if isinstance(value, dict) else value
            rows.append([say(f"stats.{name}", to.lang), shown or "-"])
        to.table([say("field", to.lang), say("value", to.lang)], rows)

    out.result(found, render)


def export(session: Any, out: Output, path: str) -> None:
    """Everything that is remembered of the person, into a new file."""
    from rqa_graph.cli.files import write_new

    if not path:
        raise UsageFaultError("chat.export_where")
    rows = session.services.memory.export(scope=session.scope)
    write_new(Path(path).expanduser(), "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())
    fields = {"path": path, "items": rows[0]["items"], "relations": rows[0]["relations"]}
    out.result(fields, lambda to: to.text(say("export.done", to.lang, **fields)))
