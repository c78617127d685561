"""`MemoryStore` alone, in a project that has nothing else of ours: a LangGraph store that knows who said what.

Needs no key and no server. Run it with `python examples/embed/memory_store.py`. What code writes through a store is the
assistant's, so what a model concluded never comes back as the user's word.
"""

from __future__ import annotations

import itertools
import tempfile
from datetime import UTC, datetime

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from rqa_checkpoints.provenance import Scope
from rqa_graph import MemoryStore, ProvenanceMemory, SourceClass

NOTES = ("acme", "ann", "notes")
"""A namespace begins with tenant and user."""


def note(state: MessagesState, runtime: Runtime[None]) -> dict[str, list[AIMessage]]:
    """A node of the foreign project: it reads and writes its store like any other."""
    assert runtime.store is not None
    text = str(state["messages"][-1].text)
    near = [item.value["text"] for item in runtime.store.search(NOTES, query=text, limit=2)]
    runtime.store.put(NOTES, text[:40], {"text": f"Probably matters: {text}"})
    return {"messages": [AIMessage("; ".join(near) or "Nothing noted on that yet.")]}


def main() -> None:
    """Two turns over one store, and who is credited."""
    numbers = itertools.count()
    with (
        tempfile.TemporaryDirectory() as folder,
        ProvenanceMemory.open(folder, clock=lambda: datetime.now(UTC), ids=lambda: f"id{next(numbers)}") as memory,
    ):
        builder = StateGraph(MessagesState)
        builder.add_node("note", note)
        builder.add_edge(START, "note")
        app = builder.compile(store=MemoryStore(memory))
        for text in ("The ferry to Ven leaves at noon.", "When does the boat to the island go?"):
            result = app.invoke({"messages": [("user", text)]})
            print(f"asked: {text}\nfound: {result['messages'][-1].text}\n")
        ann = Scope("acme", "ann")
        memory.add("I get seasick.", scope=ann, source=SourceClass.user, author="ann")
        for node in memory.list(scope=ann):
            print(f"{node.source}: {node.text}")


if __name__ == "__main__":
    main()
