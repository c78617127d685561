"""The assistant on a LangGraph server, called from another process as if it were a graph of its own.

Start `langgraph dev --no-browser --n-jobs-per-worker 4` in a checkout, then run
`python examples/embed/remote_graph.py [URL] [TOKEN]`. With a token (`rqa token add`) the turn is that person's.
"""

from __future__ import annotations

import sys

import httpx
from langchain_core.runnables import RunnableConfig
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_sync_client

URL = "http://127.0.0.1:2024"


def main(url: str = URL, token: str = "") -> None:
    """Two turns in a thread of the server."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    with get_sync_client(url=url, api_key=None, headers=headers) as client:
        graph = RemoteGraph("rqa", sync_client=client)
        thread = client.threads.create()["thread_id"]
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        for text in ("I keep otters in the old mill near Ystad.", "What do you know about my otters?"):
            result = graph.invoke({"messages": [{"role": "user", "content": text}]}, config)
            print(f"asked:  {text}\nsaid:   {result['messages'][-1]['content']}")
            print(f"report: {result['report']['counts']}\n")
        print("nodes: ", *sorted(graph.get_graph().nodes))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except httpx.HTTPError as error:
        sys.exit(f"No LangGraph server with the graph `rqa` answers there: {error}")
