"""The assistant as one node of somebody else's graph, which has a state, a context and a router of its own.

Needs no key and no server: the built-in engine answers. Run it with `python examples/embed/subgraph.py`. Of the outer
context our graph reads the fields that it knows (`user`, `tenant`, `lang`, `model`) and no others.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from rqa_graph import build_graph
from rqa_graph.settings import Settings


@dataclass
class AppContext:
    """What the outer application knows of a caller."""

    user: str
    plan: str = "free"


def choose(state: MessagesState) -> str:
    """The outer application's own router."""
    return "opening_hours" if "open" in str(state["messages"][-1].text) else "assistant"


def opening_hours(state: MessagesState, runtime: Runtime[AppContext]) -> dict[str, list[AIMessage]]:
    """A node that has nothing to do with us."""
    del state
    hours = "day and night" if runtime.context.plan == "pro" else "from nine to five"
    return {"messages": [AIMessage(f"We are there {hours}.")]}


def main() -> None:
    """Two turns through the assistant and one past it."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.load(home=home, overrides={"models": {"chat": "builtin"}})
        builder = StateGraph(MessagesState, context_schema=AppContext)
        builder.add_node("assistant", build_graph(settings=settings))
        builder.add_node("opening_hours", opening_hours)
        builder.add_conditional_edges(START, choose, ["assistant", "opening_hours"])
        builder.add_edge("assistant", END)
        builder.add_edge("opening_hours", END)
        app = builder.compile(checkpointer=InMemorySaver())
        config: RunnableConfig = {"configurable": {"thread_id": "one"}}
        for text in ("I keep bees near Lund.", "When are you open?", "What do you know about my bees?"):
            result = app.invoke({"messages": [("user", text)]}, config, context=AppContext(user="mara", plan="pro"))
            print(f"asked: {text}\nsaid:  {result['messages'][-1].text}\n")
        print(f"{len(result['messages'])} messages in the outer thread")


if __name__ == "__main__":
    main()
