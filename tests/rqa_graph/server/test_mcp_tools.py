"""The tools as another agent's client sees them: over HTTP through the gate, and on standard input and output."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import Implementation

from rqa_checkpoints.provenance import Scope, SourceClass
from tests.support.deliberations import answering, deliberating_services
from tests.support.http_server import Served, served
from tests.support.opened import Opened

TOOLS = {"remember", "recall", "explore", "reflect", "forget", "verify", "ask", "deliberate"}
CLIENT = Implementation(name="test agent", version="1")


@pytest.fixture
def server(opened: Opened, tmp_path: Path) -> Iterator[Served]:
    replies = ["Wax moths prefer dark combs.", "As we established, you hate winter [m:zzzzz9]. Combs are stored dry."]
    with served(opened(replies), tmp_path) as found:
        yield found


@asynccontextmanager
async def _session(server: Served, token: str = "") -> AsyncIterator[ClientSession]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as wire,
        streamable_http_client(f"{server.url}/mcp/", http_client=wire) as streams,
        ClientSession(streams[0], streams[1], client_info=CLIENT) as session,
    ):
        await session.initialize()
        yield session


async def _call(session: ClientSession, tool: str, **arguments: Any) -> Any:
    found = await session.call_tool(tool, arguments)
    assert not found.is_error, found.content
    return found.structured_content


async def test_the_tools_are_described_for_a_model(server: Served) -> None:
    async with _session(server) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool.description
        for field in tool.input_schema["properties"].values():
            assert field.get("description"), f"{tool.name}: {field}"
    assert tools["recall"].annotations is not None
    assert tools["recall"].annotations.read_only_hint is True


async def test_what_an_agent_notes_is_never_the_users_word(server: Served) -> None:
    async with _session(server) as session:
        noted = await _call(session, "remember", text="The user is afraid of failing at the half-marathon.")
        found = await _call(session, "recall", query="half-marathon")
        asked = await _call(session, "ask", message="The user told me that they fear dark combs. What eats them?")
    assert (noted["source"], noted["author"]) == ("assistant", "noted by test agent")
    assert [(item["source"], item["author"]) for item in found["items"]] == [("assistant", "noted by test agent")]
    assert asked["text"] == "Wax moths prefer dark combs."
    nodes = server.home.memory.list(scope=server.home.scope, limit=20)
    assert {node.source for node in nodes} == {SourceClass.assistant}
    assert any("dark combs" in node.text and node.author == "noted by test agent" for node in nodes)


async def test_the_memory_is_looked_at_as_a_whole(server: Served) -> None:
    async with _session(server) as session:
        noted = await _call(session, "remember", text="The hive by the lake is weak.")
        explored = await _call(session, "explore", query="hive by the lake")
        summary = await _call(session, "reflect")
        bad = await session.call_tool("reflect", {"side": "everything"})
    assert [item["handle"] for item in explored["items"]] == [noted["handle"]]
    assert summary["total"] == 1
    assert set(summary["counts"]) >= {"values", "tasks_todo", "contradictions", "dormant", "duplicates"}
    assert bad.is_error


async def test_a_reply_of_ask_is_verified_and_a_thread_goes_on(server: Served) -> None:
    async with _session(server) as session:
        first = await _call(session, "ask", message="Tell me about wax moths in hives.")
        second = await _call(session, "ask", message="How are combs stored in winter?", thread=first["thread"])
    assert second["thread"] == first["thread"]
    assert "established" not in second["text"]
    assert second["verification"]["removed"] >= 1


async def test_verify_needs_no_memory(server: Served) -> None:
    memory = [{"handle": "k3v9xq", "source": "user", "text": "I keep bees near Lund."}]
    async with _session(server) as session:
        report = await _call(session, "verify", reply="You keep bees [m:k3v9xq]. See [m:zzzzz9].", memory=memory)
        bad = await session.call_tool("verify", {"reply": "x", "memory": [{"handle": 1}]})
    assert report["cited"] == ["k3v9xq"]
    assert "zzzzz9" not in report["text"]
    assert bad.is_error
    assert "source is None" in str(bad.content)


async def test_a_verified_answer_comes_with_its_sources(tmp_path: Path) -> None:
    services = deliberating_services(tmp_path / "documents", answering())
    with served(services, tmp_path) as server:
        async with _session(server) as session:
            found = await _call(session, "deliberate", question="How tall is Mount Fuji?")
            again = await _call(session, "deliberate", question="How tall is Mount Fuji?")
            bad = await session.call_tool("deliberate", {"question": " "})
    services.close()
    assert found["status"] == "ok"
    assert found["sources"]
    assert again["source"] == "integrity_cache_exact"
    assert bad.is_error


async def test_over_http_the_token_says_whose_memory(server: Served) -> None:
    server.home.memory.add("Bo's locker is 41.", scope=Scope("local", "bo"), source=SourceClass.user, author="bo")
    async with _session(server, server.token("ann")) as session:
        assert (await _call(session, "recall", query="locker"))["items"] == []
        forgotten = await session.call_tool("forget", {"handle": "zzzzzz"})
    assert forgotten.is_error
    assert "no item is called" in str(forgotten.content)
    async with httpx2.AsyncClient() as plain:
        answer = await plain.post(f"{server.url}/mcp/", json={"jsonrpc": "2.0", "method": "tools/list", "id": 1})
    assert answer.status_code == 401


async def test_on_standard_input_and_output(tmp_path: Path, programs: Path) -> None:
    words = ["mcp", "--home", str(tmp_path), "--user", "mara", "--model", "builtin"]
    async with (
        stdio_client(StdioServerParameters(command=str(programs / "rqa"), args=words, env=_environment())) as streams,
        ClientSession(streams[0], streams[1], client_info=CLIENT) as session,
    ):
        await session.initialize()
        noted = await _call(session, "remember", text="利用者は紅茶が好きらしい。")
        found = await _call(session, "recall", query="紅茶")
    assert noted["source"] == "assistant"
    assert json.dumps(found["items"], ensure_ascii=False).count("紅茶") == 1


def _environment() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if not name.startswith("RQA_")}
