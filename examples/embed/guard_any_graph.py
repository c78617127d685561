"""A LangGraph graph that somebody else built, let out only through `guard`.

Needs no key and no server: its nodes say fixed things. The graph searches, asks a person before it sends, and claims
what nobody said. Run it with `python examples/guard_any_graph.py`.
"""

from __future__ import annotations

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from rqa_graph import Injected, guard

REPLY = (
    "As we confirmed, the mill at Lund stands dry. As we established, you hate winter. "
    "You told me you keep bees [m:k3v9xq]. You also have a boat [m:zzzzz9]."
)
REPLY_JA = "先ほど確認した通り、あなたは冬が嫌いです。ルンドの水車は止まっています。"


def search(state: MessagesState) -> dict[str, list[AIMessage | ToolMessage]]:
    """Pretend that a tool was called."""
    call = AIMessage("", tool_calls=[{"name": "search", "args": {"q": str(state["messages"][-1].text)}, "id": "c1"}])
    return {"messages": [call, ToolMessage("The mill at Lund stands dry.", tool_call_id="c1")]}


def approve(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Ask a person, then say what a careless model would say."""
    lang = interrupt({"question": "In which language shall I answer?", "asked": str(state["messages"][0].text)})
    return {"messages": [AIMessage(REPLY_JA if lang == "ja" else REPLY)]}


def main() -> None:
    """Run both languages through the interrupt."""
    builder = StateGraph(MessagesState)
    builder.add_node("search", search)
    builder.add_node("approve", approve)
    builder.add_edge(START, "search")
    builder.add_edge("search", "approve")
    given = [Injected(handle="k3v9xq", source="user", text="I keep bees near Lund.")]
    guarded = guard(builder.compile(checkpointer=InMemorySaver()), given=given)
    for lang, asked in (("en", "What do you know about the mill?"), ("ja", "水車について何を知っていますか？")):
        config: RunnableConfig = {"configurable": {"thread_id": lang}}
        stopped = guarded.invoke({"messages": [("user", asked)]}, config)
        print("asks:  ", stopped["__interrupt__"][0].value["question"])
        for message, _ in guarded.stream(Command(resume=lang), config, stream_mode="messages"):
            print("shown: ", message.text)
            print("report:", message.response_metadata["rqa"]["counts"], "\n")


if __name__ == "__main__":
    main()
