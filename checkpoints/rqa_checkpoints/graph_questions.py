"""What may the graph be asked in words, and what does it answer?

"What is still open about X", "what contradicts X", "what rests on X", in English and Japanese; anything else is taken
for a topic, and asks what is open about it. The words are matched in the texts, then one relation is followed, so that
an open question about the topic is found that does not name it. No model: the answer is items, each with how it was
reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import networkx as nx

from rqa_checkpoints import sparse
from rqa_checkpoints.graph_analysis import RESTS_ON, is_open
from rqa_checkpoints.provenance import MemoryNode, fold

__all__ = ["Answered", "Asked", "Wanted", "ask", "parse"]


class Wanted(StrEnum):
    """What is asked of a topic."""

    open = "open"
    contradicts = "contradicts"
    rests = "rests"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question to the graph."""

    wanted: Wanted
    topic: str
    """"" asks about everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One item of an answer."""

    node: MemoryNode
    relation: str = ""
    """How it was reached from an item that names the topic; "" where it names it itself."""
    through: MemoryNode | None = None


_ABOUT: Final = r"(?:about|on|of|with|regarding|concerning|around|for|in)"
_FORMS: Final = (
    (Wanted.contradicts, r"what (?:speaks against|contradicts|conflicts with|opposes|argues against) (?P<topic>.*)"),
    (Wanted.rests, r"what (?:rests|stands|depends|relies|builds|hangs) (?:up)?on (?P<topic>.*)"),
    (Wanted.contradicts, r"(?P<topic>.*?)(?:と|に)(?:矛盾|対立|反)(?:し|する).*"),
    (Wanted.rests, r"(?P<topic>.*?)に(?:依存|基づ|かか)(?:し|い|っ|る|く).*"),
    (
        Wanted.open,
        (
            r"(?:what(?:'s| is| are| remains?)?|which(?: questions?)?(?: is| are)?|show(?: me)?|list)"
            r"(?: the| my| our)?(?: still| yet)?(?: (?:open|unresolved|unanswered|unsettled|undecided|unclear|left))"
            rf"(?: questions?| points?| issues?)?(?: {_ABOUT} (?P<topic>.*))?"
        ),
    ),
    (Wanted.open, rf"(?:open|unresolved|unanswered) (?:questions?|points?|issues?)(?: {_ABOUT} (?P<topic>.*))?"),
    (Wanted.open, rf"what (?:do|don't) (?:we|i) (?:still )?(?:not )?know(?: yet)? {_ABOUT} (?P<topic>.*)"),
    (
        Wanted.open,
        (
            r"(?P<topic>.*?)(?:について|に関して|に関する|の|で)?(?:、)?(?:まだ|いまだに|現在)?(?:何が|どこが|どれが)?"
            r"(?:未解決|未回答|未定|残ってい|解決していな|決まっていな|開いてい|オープン|答えが出ていな).*"
        ),
    ),
)
"""First match wins; what none fits is a topic."""
_PATTERNS: Final = tuple((wanted, re.compile(form)) for wanted, form in _FORMS)
_EDGES: Final = " \t?？。．.!！、\"'「」『』"
_LEAST_SHARED: Final = 0.5
"""Share of the weight of the topic's grams that a text must have where it does not hold all words."""


def parse(question: str) -> Asked:
    """What is asked, and of which topic."""
    words = fold(question).strip(_EDGES)
    for wanted, pattern in _PATTERNS:
        match = pattern.fullmatch(words)
        if match:
            return Asked(wanted=wanted, topic=(match["topic"] or "").strip(_EDGES))
    return Asked(wanted=Wanted.open, topic=words)


def ask(asked: Asked, graph: nx.MultiDiGraph[str], nodes: Mapping[str, MemoryNode], *, limit: int) -> list[Answered]:
    """The items that answer, those that name the topic first, each once."""
    named = [node for node in reversed(list(nodes.values())) if _names(asked.topic, node.text)]
    found: dict[str, Answered] = {}
    if asked.wanted is Wanted.open:
        found = {node.id: Answered(node=node) for node in named if is_open(node)}
    for row in (row for node in named for row in _reached(asked.wanted, node, graph, nodes)):
        found.setdefault(row.node.id, row)
    return list(found.values())[:limit]


def _names(topic: str, text: str) -> bool:
    if not topic:
        return True
    words = fold(text)
    if all(word in words for word in topic.split()):
        return True
    wanted = sparse.encode_query(topic)
    there, total = set(sparse.encode_query(text).indices), sum(wanted.values)
    shared = sum(weight for gram, weight in zip(wanted.indices, wanted.values, strict=True) if gram in there)
    return total > 0 and shared >= _LEAST_SHARED * total


def _reached(
    wanted: Wanted, node: MemoryNode, graph: nx.MultiDiGraph[str], nodes: Mapping[str, MemoryNode]
) -> Iterator[Answered]:
    away = [(nodes[dst], relation, True) for _, dst, relation in graph.out_edges(node.id, keys=True)]
    here = [(nodes[src], relation, False) for src, _, relation in graph.in_edges(node.id, keys=True)]
    for other, relation, points in sorted(away + here, key=lambda row: (row[1], row[0].id)):
        match wanted:
            case Wanted.open:
                fits = is_open(other)
            case Wanted.contradicts:
                fits = relation == "contradicts"
            case Wanted.rests:
                fits = (relation in RESTS_ON and not points) or (relation == "supports" and points)
        if fits:
            yield Answered(node=other, relation=relation, through=node)
