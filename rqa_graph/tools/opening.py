"""Which tools did a person enable?"""

from __future__ import annotations

from rqa_graph.folders import open_folder_index
from rqa_graph.settings import Settings
from rqa_graph.tools.document_fetch import DocumentFetch
from rqa_graph.tools.local_rag import LocalRag
from rqa_nodes.tools.toolbox import Tool, Toolbox

__all__ = ["open_toolbox"]


def open_toolbox(settings: Settings) -> Toolbox:
    """The tools of the settings; nothing of them is opened before it is called."""
    chosen, tools = settings.tools, list[Tool]()
    if chosen.local_rag.enabled:
        tools.append(LocalRag(open_folder_index(settings), chosen.local_rag))
    if chosen.document_fetch.enabled:
        tools.append(DocumentFetch(chosen.document_fetch))
    return Toolbox(tools)
