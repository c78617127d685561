"""A review under the real development server, over langgraph-sdk: asked, killed, started again, answered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client

from rqa_checkpoints.provenance import Proposal, Scope
from rqa_graph.clock import utc_now
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import Settings
from tests.support.dev_server import dev_folder, dev_server
from tests.support.wishes import WISH

pytestmark = pytest.mark.skipif(
    not (Path(sys.executable).parent / "langgraph").exists(), reason="langgraph-cli[inmem] is not installed"
)
MARA = Scope("local", "mara")


def _queue(home: Path) -> list[str]:
    """An item a language, as turns would leave them."""
    with open_memory_of(Settings.load(home=home)) as memory:
        at = utc_now().isoformat(timespec="seconds")
        return [
            memory.queue.put(
                Proposal(kind="self_update", payload=WISH[lang], requester="scripted", key=lang), scope=MARA, at=at
            ).id
            for lang in WISH
        ]


async def _run(client: Any, thread: str, **given: Any) -> dict[str, Any]:
    context = {"tenant": "elsewhere", "user": "juno", "reviewer": "mio"}  # the server knows better who asks
    result: dict[str, Any] = await client.runs.wait(thread, "review", context=context, **given)
    return result


async def test_a_review_is_asked_before_a_kill_and_answered_after_it(tmp_path: Path) -> None:
    folder = dev_folder(tmp_path)
    items = _queue(folder / "home")
    threads = {item: f"00000000-0000-4000-8000-{number:012d}" for number, item in enumerate(items)}
    with dev_server(folder, kill=True) as (url, _log):
        async with get_client(url=url, api_key=None) as client:
            for item, thread in threads.items():
                await client.threads.create(thread_id=thread, if_exists="do_nothing")
                asked = await _run(client, thread, input={"item": item})
                (interrupt,) = asked["__interrupt__"]
                assert (interrupt["value"]["item"], interrupt["value"]["version"]) == (item, 1)
            schemas = await client.assistants.search(graph_id="review")
            assert "approves, edits or rejects" in (schemas[0].get("description") or "")
    with dev_server(folder, kill=True) as (url, log):
        async with get_client(url=url, api_key=None) as client:
            for thread in threads.values():
                await client.threads.create(thread_id=thread, if_exists="do_nothing")
            approved = await _run(client, threads[items[0]], command={"resume": {"decision": "approve", "version": 1}})
            assert (approved["outcome"], approved["status"]) == ("approved", "approved")
            assert "mara" in approved["messages"][-1]["content"]
            rejected = await _run(client, threads[items[1]], command={"resume": {"decision": "reject", "version": 1}})
            assert (rejected["outcome"], rejected["messages"][-1]["content"][-7:]) == ("rejected", "却下しました。")
            twice = await _run(client, threads[items[0]], input={"item": items[0]})
            assert twice["outcome"] == "already_decided"
        assert "Blocking" not in log.read_text("utf-8", "replace")
    with open_memory_of(Settings.load(home=folder / "home"), read_only=True) as memory:
        assert [row.by for row in memory.queue.areas(scope=MARA)] == ["mara"]
        assert memory.verify_chain() is None
