"""`QdrantSaver` alone, in a project that has nothing else of ours: checkpoints in Qdrant, in process or on a server.

Needs no key and no server. Run it with `python examples/embed/qdrant_saver.py`; give `from_location` the URL of a
Qdrant server instead of a folder and nothing else changes. The thread is interrupted, everything is closed, and another
process could go on from here: the second half opens the folder anew.
"""

from __future__ import annotations

import tempfile

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from rqa_graph import QdrantSaver

CONFIG: RunnableConfig = {"configurable": {"thread_id": "order-7"}}


def order(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Ask before anything is bought."""
    wanted = str(state["messages"][0].text)
    answer = interrupt({"question": f"Order {wanted!r}?"})
    return {"messages": [AIMessage("Ordered." if answer == "yes" else "Left alone.")]}


def main() -> None:
    """Stop at the question, close, open again, answer."""
    builder = StateGraph(MessagesState)
    builder.add_node("order", order)
    builder.add_edge(START, "order")
    with tempfile.TemporaryDirectory() as folder:
        with QdrantSaver.from_location(folder) as saver:
            app = builder.compile(checkpointer=saver)
            stopped = app.invoke({"messages": [("user", "ten frames")]}, CONFIG)
            print("asks:   ", stopped["__interrupt__"][0].value["question"])
        with QdrantSaver.from_location(folder) as saver:
            app = builder.compile(checkpointer=saver)
            print("waits:  ", app.get_state(CONFIG).next[0])
            print("says:   ", app.invoke(Command(resume="yes"), CONFIG)["messages"][-1].text)
            print("history:", len(list(app.get_state_history(CONFIG))), "checkpoints")


if __name__ == "__main__":
    main()
