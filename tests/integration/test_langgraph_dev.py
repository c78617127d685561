"""The graph under the real development server: offline, over langgraph-sdk, without `--allow-blocking`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from tests.support.dev_server import dev_folder, dev_server

pytestmark = pytest.mark.skipif(
    not (Path(sys.executable).parent / "langgraph").exists(), reason="langgraph-cli[inmem] is not installed"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The URL of a server that runs in a folder of its own, and its log."""
    with dev_server(dev_folder(tmp_path_factory.mktemp("dev"))) as running:
        yield running


@pytest.fixture
async def client(server: tuple[str, Path]) -> AsyncIterator[Any]:
    async with get_client(url=server[0], api_key=None) as opened:
        yield opened


async def _turn(client: Any, thread: str, text: str) -> dict[str, Any]:
    asked = {"messages": [{"role": "user", "content": text}]}
    result: dict[str, Any] = await client.runs.wait(thread, "rqa", input=asked)
    return result


@pytest.mark.parametrize(
    ("told", "asked", "word"),
    [
        ("I keep bees near Lund and harvest honey in August.", "What do you know about my bees?", "Lund"),
        ("来週は金沢で織物の展示を見る予定です。", "織物の展示について何を知っていますか？", "金沢"),
    ],
)
async def test_the_second_turn_of_a_thread_recalls_the_first(client: Any, told: str, asked: str, word: str) -> None:
    thread = (await client.threads.create())["thread_id"]
    await _turn(client, thread, told)
    second = await _turn(client, thread, asked)
    assert word in second["messages"][-1]["content"]
    assert second["report"]["counts"]["valid"] >= 1
    assert [m["type"] for m in second["messages"]] == ["human", "ai", "human", "ai"]


async def test_checkpoints_and_store_are_ours_and_nothing_blocked(server: tuple[str, Path], client: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    await _turn(client, thread, "The boat shed is painted green.")
    history = await client.threads.get_history(thread, limit=20)
    assert len(history) >= 4
    assistants = await client.assistants.search(graph_id="rqa")
    assert "memory claim" in (assistants[0].get("description") or "")
    await client.store.put_item(["local", "mara", "notes"], key="n1", value={"text": "Ilse maintains the tide tables"})
    item = await client.store.get_item(["local", "mara", "notes"], key="n1")
    assert item["value"] == {"text": "Ilse maintains the tide tables"}
    log = server[1].read_text("utf-8", "replace")
    assert "Blocking" not in log
    assert "custom checkpointer" in log.lower()
