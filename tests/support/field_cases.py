"""One person's talk with a scripted model, and what it leaves in memory: the set-up of the field cases."""

from __future__ import annotations

from typing import Any

from rqa_checkpoints.provenance import MemoryNode, Scope, SourceClass
from rqa_graph.services import AppServices
from rqa_graph.turns import Graph
from tests.support.turns import Told, tell

__all__ = ["MARA", "nodes_of", "talk", "words_of_the_user"]

MARA = Scope("local", "mara")


def nodes_of(services: AppServices, source: SourceClass, scope: Scope = MARA) -> list[MemoryNode]:
    """The visible items of a class."""
    return [node for node in services.memory.list(scope=scope, limit=1000) if node.source is source]


def words_of_the_user(services: AppServices) -> str:
    """Everything that is remembered as the user's, as one text."""
    return "\n".join(node.text for node in nodes_of(services, SourceClass.user))


def talk(graph: Graph, *said: str, **context: Any) -> Told:
    """Say these one after the other in one thread; what came of the last one."""
    return [tell(graph, text, **context) for text in said][-1]
