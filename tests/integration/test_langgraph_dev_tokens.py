"""Two persons with tokens on the real development server: whatever a client names, each reaches only what is theirs."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from langgraph_sdk import get_client

from rqa_checkpoints.provenance import Scope
from rqa_graph.clock import utc_now
from rqa_graph.server.tokens import TOKENS_FILE, TokenFile
from tests.support.dev_server import dev_folder, dev_server

pytestmark = pytest.mark.skipif(
    not (Path(sys.executable).parent / "langgraph").exists(), reason="langgraph-cli[inmem] is not installed"
)
_REFUSED: Final = {401, 403, 404, 409}
BEES: Final = "I keep bees near Lund and harvest honey in August."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """The URL, and a token a person."""
    folder = dev_folder(tmp_path_factory.mktemp("dev"))
    tokens = TokenFile(folder / "home" / TOKENS_FILE, clock=utc_now)
    held = {user: tokens.add(user, Scope("local", user)) for user in ("ann", "bo")}
    with dev_server(folder) as (url, _log):
        yield url, held


@pytest.fixture
async def clients(server: tuple[str, dict[str, str]]) -> AsyncIterator[tuple[Any, Any]]:
    """Ann's and Bo's."""
    url, held = server
    async with AsyncExitStack() as stack:
        ann, bo = [
            await stack.enter_async_context(
                get_client(url=url, api_key=None, headers={"authorization": f"Bearer {token}"})
            )
            for token in held.values()
        ]
        yield ann, bo


def _asked(text: str) -> dict[str, Any]:
    return {"input": {"messages": [{"role": "user", "content": text}]}}


async def _status(call: Any) -> int:
    """The HTTP status with which a call was refused; 200 if it was not."""
    try:
        await call
    except httpx.HTTPStatusError as error:
        return error.response.status_code
    return 200


async def _anns_thread(ann: Any) -> str:
    thread: str = (await ann.threads.create(metadata={"owner": "local/bo"}))["thread_id"]
    await ann.runs.wait(thread, "rqa", **_asked(BEES), context={"user": "bo", "tenant": "elsewhere"})
    return thread


async def test_a_turn_is_the_token_s_whatever_its_context_names(clients: tuple[Any, Any]) -> None:
    ann, bo = clients
    thread = await _anns_thread(ann)
    state = await ann.threads.get_state(thread)
    assert (state["values"]["turn"]["tenant"], state["values"]["turn"]["user"]) == ("local", "ann")
    assert (await ann.threads.get(thread))["metadata"]["owner"] == "local/ann"
    question = _asked("What do you know about my bees?")
    named: list[dict[str, Any]] = [
        {"context": {"user": "ann", "tenant": "local"}},
        {"config": {"configurable": {"user": "ann", "tenant": "local"}}},
        {"config": {"configurable": {"langgraph_auth_user": {"identity": "local/ann"}}}},
        {},
    ]
    for options in named:
        for place in (None, (await bo.threads.create())["thread_id"]):
            said = await bo.runs.wait(place, "rqa", **question, **options)
            assert "Lund" not in said["messages"][-1]["content"], options
    own = await ann.runs.wait(None, "rqa", **question, context={"user": "bo"})
    assert "Lund" in own["messages"][-1]["content"]


async def test_another_s_thread_cannot_be_seen_changed_or_gone_on_with(clients: tuple[Any, Any]) -> None:
    ann, bo = clients
    thread = await _anns_thread(ann)
    tried = {
        "get": bo.threads.get(thread),
        "state": bo.threads.get_state(thread),
        "history": bo.threads.get_history(thread),
        "update_state": bo.threads.update_state(thread, {"messages": []}),
        "update": bo.threads.update(thread, metadata={"owner": "local/bo"}),
        "copy": bo.threads.copy(thread),
        "delete": bo.threads.delete(thread),
        "run": bo.runs.wait(thread, "rqa", **_asked("What was said here?")),
        "begin": bo.threads.create(thread_id=thread, if_exists="do_nothing"),
        "runs": bo.runs.list(thread),
    }
    seen = {name: await _status(call) for name, call in tried.items()}
    assert {name for name, status in seen.items() if status not in _REFUSED} <= {"runs"}, seen
    assert not await _empty_or_refused(bo.runs.list(thread))
    assert thread not in {row["thread_id"] for row in await bo.threads.search(limit=100)}
    assert await bo.threads.search(metadata={"owner": "local/ann"}, limit=100) == []
    messages = (await ann.threads.get_state(thread))["values"]["messages"]
    assert [message["type"] for message in messages] == ["human", "ai"]


async def _empty_or_refused(call: Any) -> list[Any]:
    try:
        found: list[Any] = await call
    except httpx.HTTPStatusError:
        return []
    return found


async def test_a_turn_that_is_forged_as_another_s_is_not_gone_on_with(clients: tuple[Any, Any]) -> None:
    _, bo = clients
    thread = (await bo.threads.create())["thread_id"]
    await bo.runs.wait(thread, "rqa", **_asked("My locker is 41."))
    turn = (await bo.threads.get_state(thread))["values"]["turn"]
    await bo.threads.update_state(thread, {"turn": {**turn, "user": "ann"}}, as_node="recall")
    for given in (_asked("What is my locker?"), {"input": None}):
        said = await bo.runs.wait(thread, "rqa", **given, raise_error=False)
        assert "ForeignTurnError" in str(said.get("__error__")), said


async def test_store_items_are_one_s_own(clients: tuple[Any, Any]) -> None:
    ann, bo = clients
    notes = ["local", "ann", "notes"]
    await ann.store.put_item(notes, key="n1", value={"text": "Ilse maintains the tide tables"})
    assert (await ann.store.get_item(notes, key="n1"))["value"]["text"].startswith("Ilse")
    for prefix in ([], ["local"], ["local", "ann"], notes):
        found = await ann.store.search_items(prefix)
        assert [item["key"] for item in found["items"]] == ["n1"], prefix
        listed = await ann.store.list_namespaces(prefix=prefix)
        assert listed["namespaces"] == [notes], prefix
    tried = {
        "get": bo.store.get_item(notes, key="n1"),
        "put": bo.store.put_item(notes, key="n1", value={"text": "Ilse left"}),
        "delete": bo.store.delete_item(notes, key="n1"),
        "search": bo.store.search_items(notes),
        "list": bo.store.list_namespaces(prefix=notes),
        "short put": bo.store.put_item(["local"], key="n2", value={"text": "x"}),
    }
    assert {name: await _status(call) for name, call in tried.items()} == dict.fromkeys(tried, 403)
    for prefix in ([], ["local"]):
        assert (await bo.store.search_items(prefix))["items"] == []
        assert (await bo.store.list_namespaces(prefix=prefix))["namespaces"] == []
    assert (await ann.store.get_item(notes, key="n1"))["value"]["text"].startswith("Ilse")


async def test_the_openai_route_and_the_memory_answer_there_for_the_same_person(
    server: tuple[str, dict[str, str]], clients: tuple[Any, Any]
) -> None:
    await _anns_thread(clients[0])
    url, held = server
    asked = {"messages": [{"role": "user", "content": "What do you know about my bees?"}]}
    heard = {}
    for user, token in held.items():
        bearer = {"authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(base_url=url, headers=bearer, timeout=60) as client:
            said = (await client.post("/v1/chat/completions", json=asked)).json()
            heard[user] = said["choices"][0]["message"]["content"]
            assert (await client.get("/whoami")).json()["user"] == user
            items = (await client.get("/memory")).json()["items"]
            assert any("Lund" in item["text"] for item in items) is (user == "ann")
    assert "Lund" in heard["ann"]
    assert "Lund" not in heard["bo"]


def test_nobody_gets_in_without_a_token_and_nobody_changes_what_all_share(
    server: tuple[str, dict[str, str]],
) -> None:
    url, held = server
    with httpx.Client(base_url=url, timeout=60) as client:
        for path in ("/info", "/whoami", "/assistants/search", "/threads/search", "/store/items/search", "/runs/wait"):
            for headers in ({}, {"x-auth-scheme": "langsmith"}, {"authorization": "Bearer rqa_x"}):
                assert client.post(path, json={}, headers=headers).status_code == 401, (path, headers)
        client.headers["authorization"] = f"Bearer {held['bo']}"
        (rqa,) = client.post("/assistants/search", json={"graph_id": "rqa"}).json()
        changed = client.patch(f"/assistants/{rqa['assistant_id']}", json={"name": "mine"})
        made = client.post("/assistants", json={"graph_id": "rqa", "context": {"user": "ann"}})
        cron = client.post(
            "/runs/crons", json={"assistant_id": "rqa", "schedule": "0 0 1 1 *", **_asked("What about bees?")}
        )
        assert [changed.status_code, made.status_code, cron.status_code] == [403] * 3
        assert client.post("/a2a/rqa", json={}).status_code == 404


def test_studio_is_let_in_and_other_pages_are_not(server: tuple[str, dict[str, str]]) -> None:
    url, held = server
    asks = {"access-control-request-method": "POST", "access-control-request-private-network": "true"}
    with httpx.Client(base_url=url, timeout=60) as client:
        for origin, allowed in (
            ("https://smith.langchain.com", True),
            ("https://smith.langchain.com.evil.example", False),
        ):
            answer = client.options("/threads/search", headers={**asks, "origin": origin})
            assert (answer.status_code == 200) is allowed
            read = client.get("/info", headers={"origin": origin, "authorization": f"Bearer {held['bo']}"})
            assert (read.headers.get("access-control-allow-origin") == origin) is allowed
            refused = client.get("/info", headers={"origin": origin})
            assert (refused.status_code, "access-control-allow-origin" in refused.headers) == (401, allowed)
        answer = client.options("/info", headers={**asks, "origin": "https://smith.langchain.com"})
        assert answer.headers["access-control-allow-private-network"] == "true"
