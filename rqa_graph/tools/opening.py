"""Which tools did a person enable?

A tool that is off costs nothing: its module is imported where it is on.
"""

from __future__ import annotations

from rqa_graph.settings import Settings
from rqa_nodes.tools.toolbox import Tool, Toolbox

__all__ = ["open_toolbox"]


def open_toolbox(settings: Settings) -> Toolbox:
    """The tools of the settings; nothing of them is opened before it is called."""
    chosen, tools = settings.tools, list[Tool]()
    if chosen.local_rag.enabled:
        from rqa_graph.folders import open_folder_index
        from rqa_graph.tools.local_rag import LocalRag

        tools.append(LocalRag(open_folder_index(settings), chosen.local_rag))
    if chosen.document_fetch.enabled:
        from rqa_graph.tools.document_fetch import DocumentFetch

        tools.append(DocumentFetch(chosen.document_fetch))
    if chosen.web_search.enabled:
        from rqa_graph.tools.web_search import WebSearch

        tools.append(WebSearch(chosen.web_search))
    return Toolbox(tools)
