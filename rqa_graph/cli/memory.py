"""`rqa memory`: what is remembered, who said it, and how is it hidden or erased?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli import looking, persona, verbs
from rqa_graph.cli.common import Common, add_group
from rqa_graph.cli.erasure import erase
from rqa_graph.cli.export import export
from rqa_graph.cli.output import Output
from rqa_graph.cli.recall import recall
from rqa_graph.cli.verbs import Days, Handle, span
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.inputs import read_message
from rqa_graph.messages import say

__all__ = ["COMMANDS", "Handle", "register"]

_SOURCES = ("user", "assistant", "external", "system")


def register(app: typer.Typer) -> None:
    """Add the group of commands."""
    add_group(
        app, "memory", "Show, find, add, hide and erase what is remembered.\n\nExample: rqa memory list", COMMANDS
    )


def add(
    common: Common,
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="What to remember, in your own words.")],
    *,
    external: Annotated[
        str, typer.Option("--external", metavar="LOCATOR", help="Not your words: a path or URL they come from.")
    ] = "",
    kind: Annotated[
        str, typer.Option("--kind", metavar="KIND", help="Such as note, task or hypothesis; default: by its form.")
    ] = "",
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="A label, such as relationship:Ilse; repeatable."),
    ] = None,
    days: Days = None,
) -> int:
    """Remember a text as something you said.

    What it excludes of what you said before is marked, as in a conversation, and shown.

    A hypothesis stands for 7 days, a commitment for 14, a task for 30, all else without an end.

    Example: rqa memory add "My locker is 41."
    """
    from rqa_checkpoints.provenance import SourceClass, canonical_kind
    from rqa_checkpoints.selecting import excerpt
    from rqa_graph.cli.items import show_items
    from rqa_graph.cli.session import open_memory
    from rqa_graph.curating import cross
    from rqa_graph.entailment import open_entailment
    from rqa_graph.memory_fields import item_fields

    words = read_message(text)
    with open_memory(common) as session:
        node = session.memory.add(
            words,
            scope=session.scope,
            source=SourceClass.external if external else SourceClass.user,
            author=external or session.scope.user,
            locator=external,
            kind=canonical_kind(kind) if kind else None,
            tags=tags or (),
            lifetime=span(days),
        )
        found = cross(session.memory, node, nli=open_entailment(session.settings.memory.nli))

    def render(out: Output) -> None:
        show_items(out, [node])
        for one in found:
            said = {"date": one.earlier.at[:10], "text": excerpt(one.earlier.text), "handle": one.earlier.handle}
            out.text(say(f"memory.crossing.{one.relation}", out.lang, **said))

    rows = [{"relation": one.relation, "handle": one.earlier.handle} for one in found]
    common.output("memory.add").result({**item_fields(node), "crossings": rows}, render)
    return ExitCode.ok


def list_items(
    common: Common,
    *,
    source: Annotated[str, typer.Option("--source", metavar="|".join(_SOURCES), help="Only this class.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000, help="At most so many.")] = 20,
    hidden: Annotated[bool, typer.Option("--hidden", help="The forgotten ones.")] = False,
) -> int:
    """List items, the newest first.

    Example: rqa memory list --source user --limit 5
    """
    if source and source not in _SOURCES:
        raise UsageFaultError("option.choice", option="--source", value=source, choices=", ".join(_SOURCES))
    from rqa_checkpoints.provenance import SourceClass
    from rqa_checkpoints.queries import NodeFilter
    from rqa_graph.cli.items import answers_to, show_items
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import item_fields

    where = NodeFilter(sources=frozenset({SourceClass(source)} if source else ()), hidden=hidden)
    with open_memory(common, needs="log") as session:
        nodes = session.memory.list(scope=session.scope, where=where, limit=limit)
        answers = answers_to(session.memory, nodes, session.scope)
    fields = {"items": [item_fields(node) for node in nodes]}
    common.output("memory.list").result(fields, lambda out: show_items(out, nodes, answers))
    return ExitCode.ok


def show(common: Common, handle: Handle) -> int:
    """Show an item, who said it, and what it was made from.

    Example: rqa memory show k3v9xq
    """
    from rqa_graph.cli.items import answers_to, item_line, kind_name, nodes_of, tree_rows, who_said
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, detail_fields

    with open_memory(common, needs="log") as session:
        detail = session.memory.show(bare(handle), scope=session.scope)
        answers = answers_to(session.memory, [detail.node, *nodes_of(detail.lineage)], session.scope)
    fields = detail_fields(detail)

    def render(out: Any) -> None:
        lang = out.lang
        names = ("handle", "id", "kind", "status", "author", "recorded_at", "expires_at", "seen", "locator", "text")
        said = {**fields, "kind": kind_name(detail.node, lang), "status": say(f"node_status.{fields['status']}", lang)}
        rows = [[say(f"memory.{name}", lang), said[name]] for name in names if said[name]]
        origin = ", ".join(say(f"source.{source.value}", lang) for source in detail.node.origin)
        rows[:0] = [[say("memory.source", lang), who_said(detail.node, lang, answers)]]
        rows += [[say("memory.origin", lang), origin]]
        rows += [[say("memory.confirmed_by", lang), item_line(node, lang)] for node in detail.confirmations]
        rows += [[say("memory.denied_by", lang), item_line(node, lang)] for node in detail.denials]
        rows += [[say("memory.tags", lang), ", ".join(detail.node.tags)]] if detail.node.tags else []
        if detail.node.hidden:
            rows.append([say("memory.hidden", lang), say("memory.hidden_since", lang)])
        out.table([say("field", lang), say("value", lang)], rows)
        if detail.lineage:
            top = (0, item_line(detail.node, lang, answers))
            out.tree([top, *tree_rows(detail.lineage, lang, answers=answers)])

    common.output("memory.show").result(fields, render)
    return ExitCode.ok


def forget(common: Common, handle: Handle) -> int:
    """Hide an item from recall; `restore` brings it back. Nothing is erased: `erase` does that.

    Example: rqa memory forget k3v9xq
    """
    return _hide(common, handle, "forget")


def restore(common: Common, handle: Handle) -> int:
    """Bring back an item that was forgotten, merged away or over.

    Example: rqa memory restore k3v9xq
    """
    return _hide(common, handle, "restore")


def _hide(common: Common, handle: str, verb: str) -> int:
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, item_fields

    with open_memory(common) as session:
        node = getattr(session.memory, verb)(bare(handle), scope=session.scope)
    words = {"forget": "memory.forgotten", "restore": "memory.restored"}[verb]
    output = common.output(f"memory.{verb}")
    output.result(item_fields(node), lambda out: out.text(say(words, out.lang, handle=node.handle)))
    return ExitCode.ok


def audit(common: Common) -> int:
    """Count items by class, and find what should not be there.

    Exit code 3: something was found.

    Example: rqa memory audit
    """
    from dataclasses import asdict

    from rqa_graph.cli.session import open_memory

    with open_memory(common, needs="log") as session:
        report = session.memory.audit(scope=session.scope)
    fields = {**asdict(report), "clean": report.clean}

    def render(out: Any) -> None:
        rows = [[say(f"source.{name}", out.lang), count] for name, count in report.by_source.items()]
        out.table([say("memory.source", out.lang), say("memory.count", out.lang)], rows)
        found = ("exact_duplicates", "near_duplicates", "quarantined", "from_own_prompt")
        out.table(
            [say("field", out.lang), say("memory.count", out.lang)],
            [[say(f"audit.{name}", out.lang), len(getattr(report, name))] for name in found],
        )

    common.output("memory.audit").result(fields, render, ok=report.clean)
    return ExitCode.ok if report.clean else ExitCode.removed


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "add": add,
    "list": list_items,
    "show": show,
    "recall": recall,
    **looking.COMMANDS,
    **verbs.COMMANDS,
    **persona.COMMANDS,
    "forget": forget,
    "restore": restore,
    "export": export,
    "erase": erase,
    "audit": audit,
}
"""Name and function of each command of the group."""
