"""How is a remembered item shown to a person: on one line, as rows of a table, with its lineage?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rqa_checkpoints.lineage import Ancestor
from rqa_checkpoints.provenance import Answered, MemoryNode, Scope
from rqa_graph.cli.output import Output
from rqa_graph.messages import say

__all__ = ["Answers", "answers_to", "item_line", "kind_name", "nodes_of", "show_items", "tree_rows", "who_said"]

Answers = Mapping[str, Answered]
"""What the person answered, by the id of what they answered; unanswered items are not in it."""

_NONE: Answers = {}


def answers_to(memory: Any, nodes: Sequence[MemoryNode], scope: Scope) -> Answers:
    """The answers that stand to these items."""
    found: Answers = memory.answered([node.id for node in nodes], scope=scope) if nodes else _NONE
    return found


def who_said(node: MemoryNode, lang: str, answers: Answers = _NONE) -> str:
    """Whose words an item is, and what the person answered to it: a guess that they have confirmed is none."""
    answer = answers.get(node.id)
    return say(f"source.{node.source.value}.{answer.stance.value}" if answer else f"source.{node.source.value}", lang)


def tree_rows(
    ancestors: Sequence[Ancestor], lang: str, depth: int = 1, *, answers: Answers = _NONE
) -> Iterator[tuple[int, str]]:
    """The lineage of an item as lines with their depth."""
    for one in ancestors:
        known = item_line(one.node, lang, answers) if one.node else one.id
        ends = say(f"lineage.{one.ends}", lang) if one.ends else ""
        yield depth, f"{say(f'lineage.{one.relation}', lang)} {known} {ends}"
        yield from tree_rows(one.parents, lang, depth + 1, answers=answers)


def nodes_of(ancestors: Sequence[Ancestor]) -> list[MemoryNode]:
    """All items of a lineage, as far as they are known."""
    own = [one.node for one in ancestors if one.node is not None]
    return [*own, *(node for one in ancestors for node in nodes_of(one.parents))]


def item_line(node: MemoryNode, lang: str, answers: Answers = _NONE) -> str:
    """One item on one line: its handle, who said it, when, and the words."""
    return f"[{node.handle}] {who_said(node, lang, answers)} ({node.recorded_at[:10]}): {node.text}"


def show_items(output: Output, nodes: Sequence[MemoryNode], answers: Answers = _NONE) -> None:
    """A table of items; who said it stands beside every one."""
    lang = output.lang
    if not nodes:
        output.text(say("memory.none", lang))
        return
    columns = [say(f"memory.{name}", lang) for name in ("handle", "source", "kind", "date", "text")]
    rows = [
        [node.handle, who_said(node, lang, answers), kind_name(node, lang), node.recorded_at[:10], node.text]
        for node in nodes
    ]
    output.table(columns, rows)


def kind_name(node: MemoryNode, lang: str) -> str:
    """What an item is, in words."""
    return say(f"node_kind.{node.kind.value}", lang)
