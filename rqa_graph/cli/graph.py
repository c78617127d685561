"""`rqa graph`: questions, claims and tensions, how they relate and where they stand; and the drawing of a turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli import curation
from rqa_graph.cli.common import Common, add_group
from rqa_graph.cli.memory import Handle
from rqa_graph.cli.output import Output
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["COMMANDS", "register", "show_stats"]

_FORMATS = ("json", "graphml", "dot")
_NAMES: Final = {"kinds": "node_kind", "statuses": "node_status", "sources": "class", "relations": "relation"}
"""What the counts are counts of, and how its names are said."""
_STATUSES = ("open", "revisited", "resolved", "abandoned", "archived")


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    add_group(
        app, "graph", "Show questions, claims and tensions, and how they relate.\n\nExample: rqa graph stats", COMMANDS
    )


def stats(common: Common) -> int:
    """Count items by kind, status, source and relation.

    Example: rqa graph stats
    """
    from rqa_graph.cli.session import open_memory

    with open_memory(common, needs="log") as session:
        found = session.memory.graph(scope=session.scope).stats()
    common.output("graph.stats").result(found, lambda out: show_stats(out, found))
    return ExitCode.ok


def show_stats(out: Output, found: Mapping[str, Any]) -> None:
    """The counts of a graph as a table."""
    rows = []
    for name, value in found.items():
        prefix = _NAMES.get(name, "")
        rows_of = value.items() if isinstance(value, dict) else ()
        named = ", ".join(f"{say(f'{prefix}.{k}', out.lang)} {v}" for k, v in rows_of)
        shown = named if isinstance(value, dict) else str(value)
        rows.append([say(f"stats.{name}", out.lang), shown or "-"])
    out.table([say("field", out.lang), say("value", out.lang)], rows)


def search(
    common: Common,
    words: Annotated[str, typer.Argument(metavar="WORDS", help="Words that all must occur.")] = "",
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many.")] = 20,
) -> int:
    """Find questions, claims and tensions by their words.

    Example: rqa graph search cache
    """
    from rqa_graph.cli.items import show_items
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import item_fields

    with open_memory(common, needs="log") as session:
        nodes = session.memory.graph(scope=session.scope).search(words, limit=limit)
    fields = {"items": [item_fields(node) for node in nodes]}
    common.output("graph.search").result(fields, lambda out: show_items(out, nodes))
    return ExitCode.ok


def show(common: Common, handle: Handle) -> int:
    """Show an item and what it relates to.

    Example: rqa graph show k3v9xq
    """
    from rqa_graph.cli.items import show_items
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, item_fields

    with open_memory(common, needs="log") as session:
        node = session.memory.show(bare(handle), scope=session.scope).node
        near = session.memory.graph(scope=session.scope).neighbours(node.id)
    relations = [{"kind": kind, "points": points, "item": item_fields(other)} for kind, other, points in near]

    def render(out: Any) -> None:
        show_items(out, [node])
        columns = [say("graph.relation", out.lang), say("memory.handle", out.lang), say("memory.text", out.lang)]
        named = [(say(f"relation.{kind}", out.lang), other, points) for kind, other, points in near]
        rows = [[f"{kind} ->" if points else f"<- {kind}", other.handle, other.text] for kind, other, points in named]
        out.table(columns, rows)

    common.output("graph.show").result({**item_fields(node), "relations": relations}, render)
    return ExitCode.ok


def status(
    common: Common,
    handle: Handle,
    to: Annotated[str, typer.Argument(metavar="|".join(_STATUSES), help="Where it stands now.")],
    *,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for the log.")] = "",
) -> int:
    """Move an item on; the log keeps where it was.

    Example: rqa graph status k3v9xq revisited --reason "came up again"
    """
    if to not in _STATUSES:
        raise UsageFaultError("option.choice", option="STATUS", value=to, choices=", ".join(_STATUSES))
    from rqa_checkpoints.provenance import Status
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, item_fields

    with open_memory(common) as session:
        node = session.memory.set_status(bare(handle), Status(to), scope=session.scope, reason=reason)
    output = common.output("graph.status")
    output.result(item_fields(node), lambda out: out.text(say("graph.moved", out.lang, handle=node.handle, to=to)))
    return ExitCode.ok


def export(
    common: Common,
    *,
    form: Annotated[str, typer.Option("--format", metavar="|".join(_FORMATS), help="For which program.")] = "json",
) -> int:
    """Print the whole graph: node-link JSON, GraphML or DOT.

    Example: rqa graph export --format dot > graph.dot
    """
    if form not in _FORMATS:
        raise UsageFaultError("option.choice", option="--format", value=form, choices=", ".join(_FORMATS))
    from rqa_graph.cli.session import open_memory

    with open_memory(common, needs="log") as session:
        graph = session.memory.graph(scope=session.scope)
    exported: Any = graph.export() if form == "json" else graph.graphml() if form == "graphml" else graph.dot()
    text = json.dumps(exported, ensure_ascii=False, indent=2) if form == "json" else exported
    common.output("graph.export").result({"format": form, "export": exported}, lambda out: out.text(text))
    return ExitCode.ok


def ask(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="TEXT|-", help="Such as: what is still open about the mill?")],
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many.")] = 20,
) -> int:
    """Ask what is open about a topic, or what rests on it.

    Example: rqa graph ask "what is still open about the mill?"
    """
    from rqa_graph.cli.items import item_line
    from rqa_graph.cli.session import open_memory
    from rqa_graph.inputs import read_message
    from rqa_graph.memory_fields import item_fields

    words = read_message(question)
    with open_memory(common, needs="log") as session:
        asked, found = session.memory.graph(scope=session.scope).ask(words, limit=limit)
    rows = [
        {**item_fields(row.node), "relation": row.relation, "through": row.through.handle if row.through else ""}
        for row in found
    ]

    def render(out: Any) -> None:
        key = f"graph.ask_{asked.wanted.value}"
        topic = asked.topic or say("graph.ask_everything", out.lang)
        out.text(say(key if found else f"{key}_none", out.lang, topic=topic, count=len(found)))
        for row in found:
            way = (
                say("graph.ask_way", out.lang, relation=row.relation, handle=row.through.handle) if row.through else ""
            )
            out.text(f"- {item_line(row.node, out.lang)} {way}".rstrip())

    common.output("graph.ask").result({"wanted": asked.wanted.value, "topic": asked.topic, "items": rows}, render)
    return ExitCode.ok


def analyse(
    common: Common,
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many of each.")] = 5,
) -> int:
    """Show what hangs together, and what is loose.

    Example: rqa graph analyse
    """
    from rqa_graph.cli.items import item_line
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import item_fields

    with open_memory(common, needs="log") as session:
        graph = session.memory.graph(scope=session.scope)
    clusters, bearing, orphans = graph.open_clusters(), graph.load_bearing(limit=limit), graph.orphans()

    def render(out: Any) -> None:
        lang = out.lang
        out.text(say("graph.clusters", lang, count=len(clusters)))
        for number, group in enumerate(clusters[:limit], start=1):
            head = say("graph.cluster", lang, number=number, count=len(group))
            out.tree([(0, head), *((1, item_line(node, lang)) for node in group[:limit])])
        out.text(say("graph.bearing", lang, count=len(bearing)))
        for row in bearing:
            out.text(f"- {say('graph.bears', lang, bears=row.bears, reach=row.reach)} {item_line(row.node, lang)}")
        out.text(say("graph.orphans", lang, count=len(orphans)))
        for node in orphans[:limit]:
            out.text(f"- {item_line(node, lang)}")

    fields = {
        "clusters": [[item_fields(node) for node in group] for group in clusters],
        "load_bearing": [{**item_fields(row.node), "bears": row.bears, "reach": row.reach} for row in bearing],
        "orphans": [item_fields(node) for node in orphans],
    }
    common.output("graph.analyse").result(fields, render)
    return ExitCode.ok


def draw(
    common: Common,
    name: Annotated[str, typer.Argument(metavar="[rqa|deliberate|review]", help="Which graph.")] = "rqa",
) -> int:
    """Draw the graph of a turn, or another, as Mermaid text.

    Example: rqa graph draw
    """
    from rqa_graph import deliberation, graph, reviewing
    from rqa_graph.drawing import mermaid

    graphs: dict[str, Any] = {"rqa": graph.graph, "deliberate": deliberation.graph, "review": reviewing.graph}
    if name not in graphs:
        raise UsageFaultError("option.choice", option="GRAPH", value=name, choices=", ".join(graphs))
    drawing = mermaid(graphs[name])
    common.output("graph.draw").result({"mermaid": drawing}, lambda out: out.text(drawing))
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "stats": stats,
    "search": search,
    "show": show,
    "status": status,
    **curation.COMMANDS,
    "ask": ask,
    "analyse": analyse,
    "export": export,
    "draw": draw,
}
"""Name and function of each command of the group."""
