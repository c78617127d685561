"""Whatever a search tool returns, it becomes sources with an address, or nothing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables.config import var_child_runnable_config

from rqa_checkpoints.provenance import Scope
from rqa_graph.tool_settings import WebSearchSettings
from rqa_graph.tools.web_search import WebSearch
from rqa_nodes.errors import ToolError
from rqa_nodes.tools.toolbox import Source, ToolCall
from tests.support.search_tools import FixedSearch

HERE = "tests.support.search_tools"
TAX = "The water tax doubled."
URL = "https://water.example.org/tax"


def _search(tool: str = f"{HERE}:FixedSearch", **options: Any) -> list[Source]:
    settings = WebSearchSettings(enabled=True, calls=1, seconds=5, items=5, tool=tool, options=options)
    search = WebSearch(settings)
    assert search.leaves("anything")
    return list(search.run(ToolCall(query="mill tax", scope=Scope("local", "ann"))))


_ROWS = [{"title": "Tax", "url": URL, "content": TAX}, {"link": URL, "snippet": TAX}, {"href": URL, "body": TAX}]


@pytest.mark.parametrize(
    ("found", "texts"),
    [
        (_ROWS, [f"Tax\n{TAX}", TAX, TAX]),
        ({"query": "mill tax", "results": _ROWS[:1], "response_time": 1.2}, [f"Tax\n{TAX}"]),
        (json.dumps(_ROWS[1:2]), [TAX]),
        (json.dumps({"organic": _ROWS[2:]}), [TAX]),
        (("words", _ROWS[1:2]), [TAX]),
        (_ROWS[0], [f"Tax\n{TAX}"]),
    ],
    ids=["rows", "results", "JSON", "organic", "artifact", "one"],
)
def test_the_shapes_that_search_tools_use_are_read(
    found: Any, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FixedSearch, "found", found)
    sources = _search()
    assert [source.text for source in sources] == texts
    assert {source.locator for source in sources} == {URL}
    assert sources[0].digest == hashlib.sha256(texts[0].encode()).hexdigest()


@pytest.mark.parametrize(
    "found", ["水利税は二倍になった。", "{not JSON", [TAX], {"content": TAX, "url": "javascript:x()"}]
)
def test_a_result_without_an_address_is_the_tools_own_word(found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FixedSearch, "found", found)
    (source,) = _search()
    assert source.locator == f"{HERE}:FixedSearch"


@pytest.mark.parametrize(
    "found",
    ["", "  ", [], {}, None, 7, [None, 7, [], {}], [{"url": URL}], "[" * 100_000, {"results": [{"content": 7}]}],
)
def test_what_holds_no_text_is_no_source(found: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FixedSearch, "found", found)
    assert [source for source in _search() if source.text.strip("[")] == []


def test_the_options_of_the_settings_reach_it_and_no_callback_hears_the_query(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heard: list[Any] = []

    class _Listener(BaseCallbackHandler):
        def on_tool_start(self, *args: Any, **kwargs: Any) -> None:
            heard.append(args)

    listening = var_child_runnable_config.set({"callbacks": [_Listener()]})
    monkeypatch.setattr(FixedSearch, "found", _ROWS)
    monkeypatch.setattr(FixedSearch, "keys", [])
    monkeypatch.setattr(FixedSearch, "asked", [])
    try:
        _search(api_key="tvly-1")
    finally:
        var_child_runnable_config.reset(listening)
    assert (FixedSearch.asked, FixedSearch.keys, heard) == (["mill tax"], ["tvly-1"], [])


@pytest.mark.parametrize("tool", ["nowhere.at.all:Tool", f"{HERE}:Nothing", f"{HERE}:NoTool"])
def test_a_tool_that_is_none_is_refused_by_name(tool: str) -> None:
    with pytest.raises(ToolError, match=tool):
        _search(tool)
