"""The graph under the real development server: offline, over langgraph-sdk, without `--allow-blocking`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from langgraph_sdk import get_client

from rqa_checkpoints.provenance import Proposal, Scope
from rqa_graph.clock import utc_now
from rqa_graph.memory_opening import open_memory_of
from rqa_graph.settings import Settings
from tests.support.dev_server import ROOT, dev_folder, dev_server
from tests.support.wishes import WISH

pytestmark = pytest.mark.skipif(
    not (Path(sys.executable).parent / "langgraph").exists(), reason="langgraph-cli[inmem] is not installed"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The URL of a server that runs in a folder of its own, and its log."""
    folder = dev_folder(tmp_path_factory.mktemp("dev"))
    with open_memory_of(Settings.load(home=folder / "home")) as memory:
        waits = Proposal(kind="self_update", payload=WISH["en"], requester="scripted", key="en")
        memory.queue.put(waits, scope=Scope("local", "mara"), at=utc_now().isoformat(timespec="seconds"))
    with dev_server(folder) as running:
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


def test_the_example_of_a_remote_graph_runs_against_it(server: tuple[str, Path], programs: Path) -> None:
    program = ROOT / "examples" / "embed" / "remote_graph.py"
    done = subprocess.run(
        [programs / "python", program, server[0]], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "I keep otters in the old mill near Ystad" in done.stdout.split("said:")[2]
    assert "report: {'valid': 1}" in done.stdout
    assert "recall route" in done.stdout


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


_STEP: Final = re.compile(r"`((?:GET|POST) /[a-z/{}]+)`")
_IDENT: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


class Studio:
    """The calls that the page makes, each noted as the guide names it."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, headers={"origin": "https://smith.langchain.com"}, timeout=60)
        self.calls: set[str] = set()

    def close(self) -> None:
        self._client.close()

    def call(self, method: str, path: str, **options: Any) -> Any:
        answer = self._client.request(method, path, **options)
        assert answer.status_code == 200, answer.text
        self.calls.add(f"{method} {_IDENT.sub('{id}', path.partition('?')[0])}")
        return answer.json() if answer.headers["content-type"].startswith("application/json") else answer.text

    def run(self, thread: str, assistant: str, **given: Any) -> list[Any]:
        """The data of all events of a run."""
        body = {"assistant_id": assistant, "stream_mode": ["updates", "values"], "stream_subgraphs": True, **given}
        raw = self.call("POST", f"/threads/{thread}/runs/stream", json=body)
        return [json.loads(line[6:]) for line in raw.splitlines() if line.startswith("data: ")]


@pytest.fixture
def studio(server: tuple[str, Path]) -> Iterator[Studio]:
    with closing(Studio(server[0])) as opened:
        yield opened


def test_a_turn_is_inspected_as_the_guide_says(studio: Studio) -> None:
    section = (
        (ROOT / "docs" / "guides" / "studio.md")
        .read_text("utf-8")
        .split("## Inspect a turn in Studio")[1]
        .split("\n## ")[0]
    )

    # 1: the graph, with each node's task
    found = {row["graph_id"]: row for row in studio.call("POST", "/assistants/search", json={"limit": 100})}
    assert all(len(found[name]["description"]) > 40 for name in ("rqa", "deliberate", "review"))
    rqa = found["rqa"]["assistant_id"]
    drawn = studio.call("GET", f"/assistants/{rqa}/graph?xray=true")
    tasks = {node["id"]: node.get("metadata", {}).get("does", "") for node in drawn["nodes"]}
    assert all(len(task) > 20 for name, task in tasks.items() if not name.startswith("__")), tasks
    studio.call("GET", f"/assistants/{rqa}/subgraphs")

    # 2: the form, and two turns
    for name in found:
        schemas = studio.call("GET", f"/assistants/{found[name]['assistant_id']}/schemas")
        fields = schemas["input_schema"]["properties"] | schemas["context_schema"]["properties"]
        undescribed = [field for field, schema in fields.items() if not schema.get("description")]
        assert not undescribed, (name, undescribed)
        assert all("default" in schema for schema in schemas["context_schema"]["properties"].values())
    thread = studio.call("POST", "/threads", json={})["thread_id"]
    for text in ("I keep bees near Lund.", "What do you know about my bees?"):
        events = studio.run(
            thread, rqa, input={"messages": [{"type": "human", "content": text}]}, context={"lang": "en"}
        )
    assert {"route", "recall", "answer", "verify"} <= {name for event in events for name in event}

    # 3: the state
    state = studio.call("GET", f"/threads/{thread}/state?subgraphs=true")
    # Another test of this module may have told the same person's bees before.
    assert (state["values"]["route"]["level"], set(state["values"]["report"]["counts"])) == (1, {"valid"})
    given = {item["handle"]: item["source"] for item in state["values"]["injected"]}
    assert "user" in given.values()

    # 4: the history, and on from a checkpoint of before
    history = studio.call("POST", f"/threads/{thread}/history", json={"limit": 50})
    told = history[0]["metadata"]
    assert told["cited"]
    assert {item["handle"]: item["source"] for item in told["cited"]}.items() <= given.items()
    assert all(item["source"] in ("user", "assistant") for item in told["written"])
    before = next(row for row in history if row["next"] == ["answer"])
    studio.run(thread, rqa, input=None, checkpoint_id=before["checkpoint"]["checkpoint_id"])
    again = studio.call("GET", f"/threads/{thread}/state")
    assert again["values"]["messages"][-1]["content"] == state["values"]["messages"][-1]["content"]

    # 5: a decision
    (item,) = studio.call("GET", "/reviews")["items"]
    review, thread = found["review"]["assistant_id"], studio.call("POST", "/threads", json={})["thread_id"]
    studio.run(thread, review, input={"item": item["id"]})
    (interrupt,) = studio.call("GET", f"/threads/{thread}/state")["tasks"][0]["interrupts"]
    assert set(interrupt["response_schema"]["properties"]["decision"]["enum"]) == {"approve", "edit", "reject"}
    assert WISH["en"]["proposed_adjustment"] in interrupt["value"]["text"]
    studio.run(thread, review, command={"resume": {"decision": "reject", "version": 1}})
    assert studio.call("GET", f"/threads/{thread}/state")["values"]["outcome"] == "rejected"

    # 6: the store
    assert studio.call("POST", "/store/namespaces", json={}) is not None
    assert studio.call("POST", "/store/items/search", json={"namespace_prefix": []}) is not None
    assert studio.calls == set(_STEP.findall(section))
