"""A LangChain agent with a memory that keeps its own guesses apart: `EchoGuardMiddleware` in one list.

Needs no key and no server: the model is scripted, so that it makes a guess and comes back to it as a fact. Run it with
`pip install 'rqa-graph[agents]'` and `python examples/agent_middleware.py`; then put your own model in its place.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

from rqa_checkpoints.provenance import Scope
from rqa_graph import EchoGuardMiddleware, ProvenanceMemory

TURNS = (
    (
        "I keep missing my morning run.",
        "Maybe you are afraid of failing at the half-marathon.",
    ),
    (
        "What do you know about why I miss my morning run?",
        "As we established, you are afraid of failing at the half-marathon. You wrote that you sleep badly [m:7zq4kd].",
    ),
    (
        "発表の準備が進みません。",
        "上司の佐伯さんの評価を恐れているのかもしれません。",
    ),
    (
        "発表の準備が進まない理由について、何が分かっていますか？",
        "先ほど確認した通り、上司の佐伯さんの評価を恐れているのが理由です。",
    ),
)
"""What is asked, and what the model answers."""


def main() -> None:
    """Run the turns, and show what the model wrote and what was let out."""
    numbers = itertools.count()
    model = GenericFakeChatModel(messages=iter([AIMessage(reply) for _, reply in TURNS]))
    with ProvenanceMemory.open(
        ":memory:", clock=lambda: datetime.now(UTC), ids=lambda: f"id{next(numbers)}", embedder="hash"
    ) as memory:
        guard = EchoGuardMiddleware(memory, scope=Scope("local", "mara"), remember=True)
        agent = create_agent(model, middleware=[guard], checkpointer=InMemorySaver())
        for text, reply in TURNS:
            result = agent.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": "one"}})
            said = result["messages"][-1]
            print(f"asked:  {text}\nwrote:  {reply}\nshown:  {said.text}")
            print(f"report: {said.response_metadata['rqa']['counts']}\n")
        for node in reversed(memory.list(scope=Scope("local", "mara"))):
            print(f"kept as {node.source}: {node.text}")


if __name__ == "__main__":
    main()
