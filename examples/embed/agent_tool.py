"""The assistant as a tool of a LangChain agent: the agent asks it, and gets verified text that says who said what.

Needs no key and no server: the agent's model is scripted and the built-in engine answers the tool. Run it with
`pip install 'rqa-graph[agents]'` and `python examples/embed/agent_tool.py`; then put your own model in its place. What
the agent asks is kept as the agent's words (`Context.agent`), never as the user's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver

from rqa_graph import build_graph
from rqa_graph.settings import Settings
from rqa_nodes.state import Context

TOLD = "I keep bees near Lund and harvest honey in August."
QUESTION = "What do you know about my bees?"


class ScriptedAgent(GenericFakeChatModel):
    """A model that says fixed things, tool calls among them."""

    def bind_tools(self, tools: Any, **options: Any) -> ScriptedAgent:  # type: ignore[override]  # nothing to bind
        """Take any tools."""
        del tools, options
        return self


def memory_tool(ask: Callable[[str, str], str]) -> BaseTool:
    """The tool that the agent sees."""

    @tool
    def ask_memory(question: str) -> str:
        """Ask what is known about the user. The answer says who said each thing; repeat it as it is."""
        return ask(question, "travel-agent")

    return ask_memory


def main() -> None:
    """The person tells the assistant something; later an agent asks for it."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings.load(home=home, overrides={"models": {"chat": "builtin"}})
        graph = build_graph(settings=settings, checkpointer=InMemorySaver())

        def ask(text: str, agent: str) -> str:
            result = graph.invoke(
                {"messages": [HumanMessage(text)]},
                {"configurable": {"thread_id": agent or "mara"}},
                context=Context(user="mara", agent=agent),
            )
            return result["messages"][-1].text

        ask(TOLD, "")  # the person's own words
        call = AIMessage("", tool_calls=[{"name": "ask_memory", "args": {"question": QUESTION}, "id": "c1"}])
        model = ScriptedAgent(messages=iter([call, AIMessage("Honey in August, then: book September.")]))
        agent = create_agent(model, tools=[memory_tool(ask)])
        messages = agent.invoke({"messages": [HumanMessage("When can I travel?")]})["messages"]
        print("tool:  ", next(message.text for message in messages if isinstance(message, ToolMessage)))
        print("agent: ", messages[-1].text)


if __name__ == "__main__":
    main()
