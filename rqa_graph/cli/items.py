"""How is a remembered item shown to a person: on one line, as rows of a table, with its lineage?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rqa_checkpoints.lineage import Ancestor
from rqa_checkpoints.provenance import MemoryNode
from rqa_graph.cli.output import Output
from rqa_graph.messages import say

__all__ = ["item_line", "kind_name", "show_items", "tree_rows"]


def tree_rows(ancestors: Sequence[Ancestor], lang: str, depth: int = 1) -> Iterator[tuple[int, str]]:
    """The lineage of an item as lines with their depth."""
    for one in ancestors:
        known = item_line(one.node, lang) if one.node else one.id
        ends = say(f"lineage.{one.ends}", lang) if one.ends else ""
        yield depth, f"{say(f'lineage.{one.relation}', lang)} {known} {ends}"
        yield from tree_rows(one.parents, lang, depth + 1)


def item_line(node: MemoryNode, lang: str) -> str:
    """One item on one line: its handle, who said it, when, and the words."""
    who = say(f"source.{node.source.value}", lang)
    return f"[{node.handle}] {who} ({node.recorded_at[:10]}): {node.text}"


def show_items(output: Output, nodes: Sequence[MemoryNode]) -> None:
    """A table of items; who said it stands beside every one."""
    lang = output.lang
    if not nodes:
        output.text(say("memory.none", lang))
        return
    columns = [say(f"memory.{name}", lang) for name in ("handle", "source", "kind", "date", "text")]
    rows = [
        [node.handle, say(f"source.{node.source.value}", lang), kind_name(node, lang), node.recorded_at[:10], node.text]
        for node in nodes
    ]
    output.table(columns, rows)


def kind_name(node: MemoryNode, lang: str) -> str:
    """What an item is, in words."""
    return say(f"node_kind.{node.kind.value}", lang)
