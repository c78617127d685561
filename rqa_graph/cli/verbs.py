"""`rqa memory confirm`, `deny`, `revalidate`, `relate`, `unrelate`, `merge`, `history`: what a person says of an item.

Each is the person's own act, and each but an erasure can be taken back; what it leaves is said in one line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Final

import typer

from rqa_graph.cli.common import Common
from rqa_graph.errors import ExitCode, UsageFaultError
from rqa_graph.messages import say

__all__ = ["COMMANDS", "Days", "Handle", "Other", "span"]

_DRAWABLE: Final = (
    *("answers", "asks", "blocked_by", "contradicts", "depends_on", "derived_from"),
    *("fulfills", "mentions", "same_topic", "supersedes", "supports"),
)
"""For the help, which must cost no store; `relations` is what decides."""

Handle = Annotated[str, typer.Argument(metavar="HANDLE", help="As in a citation: k3v9xq or [m:k3v9xq].")]
Other = Annotated[str, typer.Argument(metavar="OTHER", help="The handle of another item.")]
Relation = Annotated[str, typer.Argument(metavar="|".join(_DRAWABLE), help="How the first stands to the second.")]
Words = Annotated[str, typer.Option("--words", metavar="TEXT", help="What you say beside it, as an item of its own.")]
Days = Annotated[
    float | None,
    typer.Option("--days", metavar="N", min=0, max=36525, help="How long it stands; 0: without an end."),
]


def span(days: float | None) -> timedelta | None:
    """What `--days` means: None is the default of the kind."""
    from rqa_checkpoints.writing import FOREVER

    return None if days is None else timedelta(days=days) if days else FOREVER


def confirm(common: Common, handle: Handle, *, words: Words = "") -> int:
    """Say yes to what the assistant or a document said.

    The item stays whose it is; your yes is a new item of yours, and points to it.

    Example: rqa memory confirm k3v9xq --words "I dread the finish line."
    """
    return _answer(common, handle, "confirm", words)


def deny(common: Common, handle: Handle, *, words: Words = "") -> int:
    """Say no to what the assistant or a document said.

    The item stays as it was written; your no is a new item of yours, and contradicts it.

    Example: rqa memory deny k3v9xq --words "I am only tired."
    """
    return _answer(common, handle, "deny", words)


def _answer(common: Common, handle: str, verb: str, words: str) -> int:
    from rqa_graph.cli.session import open_memory
    from rqa_graph.inputs import check_text
    from rqa_graph.memory_fields import bare, item_fields
    from rqa_nodes.language import detect

    with open_memory(common) as session:
        node = session.memory.show(bare(handle), scope=session.scope).node
        lang = "ja" if detect(node.text) == "ja" else "en"
        call = getattr(session.memory, verb)
        said = call(bare(handle), scope=session.scope, words=check_text(words) if words else "", lang=lang)

    key = {"confirm": "memory.confirmed", "deny": "memory.denied"}[verb]

    def render(out: Any) -> None:
        out.text(say(key, out.lang, text=node.text))
        out.text(say("memory.answer_kept", out.lang, handle=said.handle, of=node.handle))

    common.output(f"memory.{verb}").result({**item_fields(said), "of": item_fields(node)}, render)
    return ExitCode.ok


def revalidate(common: Common, handle: Handle, *, days: Days = None) -> int:
    """Say that your own words, or a document, still hold.

    They count as said today, and what has an end has its time anew.

    Example: rqa memory revalidate k3v9xq --days 14
    """
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, item_fields

    with open_memory(common) as session:
        node = session.memory.revalidate(bare(handle), scope=session.scope, lifetime=span(days))

    def render(out: Any) -> None:
        key = "memory.revalidated_until" if node.expires_at else "memory.revalidated"
        out.text(say(key, out.lang, handle=node.handle, until=node.expires_at[:10]))

    common.output("memory.revalidate").result(item_fields(node), render)
    return ExitCode.ok


def relate(common: Common, handle: Handle, relation: Relation, other: Other) -> int:
    """Draw a relation from one item to another.

    `unrelate` takes it back.

    Example: rqa memory relate k3v9xq supports p8r2wd
    """
    return _relate(common, handle, relation, other, verb="relate")


def unrelate(common: Common, handle: Handle, relation: Relation, other: Other) -> int:
    """Take a relation between two items back.

    Example: rqa memory unrelate k3v9xq supports p8r2wd
    """
    return _relate(common, handle, relation, other, verb="unrelate")


def _relate(common: Common, handle: str, relation: str, other: str, *, verb: str) -> int:
    if relation not in _DRAWABLE:
        raise UsageFaultError("option.choice", option="RELATION", value=relation, choices=", ".join(_DRAWABLE))
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare

    src, dst = bare(handle), bare(other)
    with open_memory(common) as session:
        changed = getattr(session.memory, verb)(src, dst, relation, scope=session.scope)
    key = f"memory.{verb}d" if changed else f"memory.{verb}d_already"
    fields = {"src": src, "dst": dst, "relation": relation, "changed": changed}
    output = common.output(f"memory.{verb}")
    output.result(fields, lambda out: out.text(say(key, out.lang, src=src, dst=dst, relation=relation)))
    return ExitCode.ok


def merge(
    common: Common,
    keep: Annotated[str, typer.Argument(metavar="KEEP", help="The item that stands for the others.")],
    others: Annotated[list[str], typer.Argument(metavar="OTHER...", help="Items of the same class that say the same.")],
) -> int:
    """Let one item stand for others; `restore` undoes it.

    The others are hidden and point to it; no mass, count or date moves.

    Example: rqa memory merge k3v9xq p8r2wd
    """
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, item_fields

    merged = [bare(one) for one in others]
    with open_memory(common) as session:
        kept = session.memory.merge(bare(keep), merged, scope=session.scope)
    fields = {**item_fields(kept), "merged": merged}
    output = common.output("memory.merge")
    output.result(
        fields, lambda out: out.text(say("memory.merged", out.lang, handle=kept.handle, others=", ".join(merged)))
    )
    return ExitCode.ok


def history(common: Common, handle: Handle) -> int:
    """Show what became of an item, and its versions.

    Example: rqa memory history k3v9xq
    """
    from rqa_graph.cli.items import answers_to, item_line, nodes_of, show_items, tree_rows
    from rqa_graph.cli.session import open_memory
    from rqa_graph.memory_fields import bare, item_fields, tree_fields

    with open_memory(common, needs="log") as session:
        told = session.memory.history(bare(handle), scope=session.scope)
        answers = answers_to(session.memory, [told.node, *told.versions, *nodes_of(told.lineage)], session.scope)
        ends = {row.detail[end] for row in told.events for end in ("src", "dst") if end in row.detail}
        handles = {node.id: node.handle for node in session.memory.get(sorted(ends), scope=session.scope)}
    events = [{"seq": row.seq, "at": row.at, "event": row.op, **row.detail} for row in told.events]

    def words(detail: Mapping[str, str], lang: str) -> str:
        if "src" in detail:
            ends = (handles.get(detail[name], detail[name]) for name in ("src", "dst"))
            relation = say(f"relation.{detail['kind']}", lang)
            return f" -{relation}-> ".join(ends)
        named = {"from": "node_status", "to": "node_status", "actor": "history.actor", "how": "history.how"}
        said = {name: say(f"{named[name]}.{value}", lang) if name in named else value for name, value in detail.items()}
        moved = " -> ".join(said[name] for name in ("from", "to") if name in said)
        return " ".join(value for name, value in {"": moved, **said}.items() if name not in {"from", "to"} and value)

    def render(out: Any) -> None:
        lang = out.lang
        show_items(out, [told.node], answers)
        columns = [say(f"history.{name}", lang) for name in ("at", "event", "detail")]
        rows = [[row.at[:19], say(f"history.{row.op}", lang), words(row.detail, lang)] for row in told.events]
        out.table(columns, rows)
        if len(told.versions) > 1:
            out.text(say("history.versions", lang))
            show_items(out, told.versions, answers)
        if told.lineage:
            top = (0, item_line(told.node, lang, answers))
            out.tree([top, *tree_rows(told.lineage, lang, answers=answers)])

    fields = {
        **item_fields(told.node),
        "events": events,
        "versions": [item_fields(node) for node in told.versions],
        "tree": tree_fields(told.lineage),
    }
    common.output("memory.history").result(fields, render)
    return ExitCode.ok


COMMANDS: Final[Mapping[str, Callable[..., int]]] = {
    "confirm": confirm,
    "deny": deny,
    "revalidate": revalidate,
    "relate": relate,
    "unrelate": unrelate,
    "merge": merge,
    "history": history,
}
"""Name and function of each command; they belong to the group `rqa memory`."""
